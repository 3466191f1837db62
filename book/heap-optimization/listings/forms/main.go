// Command forms counts what returning an interface costs, in forms that the compiler sees through and forms that it does not.
package main

import (
	"fmt"
	"testing"
)

// ANCHOR: methods

// A Shade is how a lamp is to shine.
type Shade interface{ Watts() int }

type RGB struct{ R, G, B int }

func (c RGB) Watts() int { return (c.R + c.G + c.B) / 100 }

type Dark struct{ Lamps, Since int }

func (d Dark) Watts() int { return 0 }

// A Strip has a base color for its lamps.
type Strip struct{ Base, Lamps int }

func (s *Strip) RGBAt(i int) RGB { return RGB{s.Base + i, s.Base, s.Base - i} }

func (s *Strip) At(i int) Shade { return s.RGBAt(i) }

func (s *Strip) AtOrDark(i int) Shade {
	if i >= s.Lamps {
		return Dark{s.Lamps, i}
	}
	return s.RGBAt(i)
}

// ANCHOR_END: methods

// A Fixture is anything with lamps.
type Fixture interface{ At(i int) Shade }

// What is computed has to go somewhere.
var (
	watts int
	last  Shade
)

// ANCHOR: main
func main() {
	strip := &Strip{Base: 400, Lamps: 300}
	fixtures := []Fixture{strip}
	count := func(form string, f func(i int)) {
		allocs := testing.AllocsPerRun(1000, func() {
			for i := 0; i < 4; i++ {
				f(i)
			}
		})
		fmt.Printf("%-41s %v allocs for 4 lamps\n", form, allocs)
	}

	count("a struct", func(i int) { watts += strip.RGBAt(i).Watts() })
	count("an interface, of one type", func(i int) { watts += strip.At(i).Watts() })
	count("an interface, of one type or another", func(i int) { watts += strip.AtOrDark(i).Watts() })
	count("an interface, from an interface's method", func(i int) { watts += fixtures[0].At(i).Watts() })
	count("an interface that is kept", func(i int) { last = strip.At(i) })
}

// ANCHOR_END: main
