// Command own-interface passes an address to a method that only types of its own package can have.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: scale

// A scale belongs to this package, because its method is not exported.
type scale interface{ weigh(l *load) int }

type load struct{ apples, pears int }

type kitchen struct{}

func (kitchen) weigh(l *load) int { return 150*l.apples + 180*l.pears }

type market struct{ rounding int }

func (m market) weigh(l *load) int {
	grams := 150*l.apples + 180*l.pears
	return grams - grams%m.rounding
}

//go:noinline
func weigh(s scale, apples, pears int) int {
	l := load{apples, pears}
	return s.weigh(&l)
}

// ANCHOR_END: scale

var scales = []scale{kitchen{}, market{rounding: 50}}

func main() {
	for _, s := range scales {
		fmt.Printf("%T: %v allocs\n", s, testing.AllocsPerRun(1000, func() { weigh(s, 2, 3) }))
	}
}
