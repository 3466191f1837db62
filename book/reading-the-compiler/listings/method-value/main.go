// Command method-value makes a function of a method.
package main

import (
	"fmt"
	"testing"
)

type clock struct{ minute int }

func (c *clock) tick() { c.minute++ }

var every func()

//go:noinline
func wind(c *clock) {
	every = c.tick
}

//go:noinline
func twice(c *clock) {
	tick := c.tick
	tick()
	tick()
}

func main() {
	c := new(clock)
	wind(c)
	every()
	twice(c)
	fmt.Println(c.minute, testing.AllocsPerRun(1000, func() { wind(c) }), "allocs",
		testing.AllocsPerRun(1000, func() { twice(c) }), "allocs")
}
