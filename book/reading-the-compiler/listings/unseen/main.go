// Command unseen calls what the compiler cannot look into.
package main

import (
	"fmt"
	"testing"
)

type window interface{ call(number *int) }

type lamp struct{ shown int }

func (l *lamp) call(number *int) { l.shown = *number }

//go:noinline
func byInterface(w window, number int) { w.call(&number) }

//go:noinline
func byFunction(call func(*int), number int) { call(&number) }

func main() {
	l := new(lamp)
	call := l.call
	fmt.Println(testing.AllocsPerRun(1000, func() { byInterface(l, 42) }), "allocs")
	fmt.Println(testing.AllocsPerRun(1000, func() { byFunction(call, 42) }), "allocs")
}
