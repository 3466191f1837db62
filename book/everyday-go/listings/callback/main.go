// Command callback adds up the sizes of files that a store passes to a function.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: store
type store interface {
	Each(visit func(name string, size int))
}

// ANCHOR_END: store

type disk []int

func (d disk) Each(visit func(name string, size int)) {
	for _, size := range d {
		visit("file", size)
	}
}

// ANCHOR: literal
func total(s store) (sum int) {
	s.Each(func(name string, size int) { sum += size })
	return sum
}

// ANCHOR_END: literal

// ANCHOR: method
type adder struct{ sum int }

func (a *adder) add(name string, size int) { a.sum += size }

func (a *adder) total(s store) int {
	a.sum = 0
	s.Each(a.add)
	return a.sum
}

// ANCHOR_END: method

// ANCHOR: kept
type keeper struct {
	sum   int
	visit func(name string, size int)
}

func newKeeper() *keeper {
	k := &keeper{}
	k.visit = func(name string, size int) { k.sum += size }
	return k
}

func (k *keeper) total(s store) int {
	k.sum = 0
	s.Each(k.visit)
	return k.sum
}

// ANCHOR_END: kept

// ANCHOR: concrete
func totalOf(d disk) (sum int) {
	d.Each(func(name string, size int) { sum += size })
	return sum
}

// ANCHOR_END: concrete

// ANCHOR: main
var files store = disk{120, 80, 4096}

func main() {
	a, k := &adder{}, newKeeper()
	fmt.Println("literal:     ", total(files), testing.AllocsPerRun(1000, func() { total(files) }), "allocs")
	fmt.Println("method value:", a.total(files), testing.AllocsPerRun(1000, func() { a.total(files) }), "allocs")
	fmt.Println("kept:        ", k.total(files), testing.AllocsPerRun(1000, func() { k.total(files) }), "allocs")
	d := files.(disk)
	fmt.Println("concrete:    ", totalOf(d), testing.AllocsPerRun(1000, func() { totalOf(d) }), "allocs")
}

// ANCHOR_END: main
