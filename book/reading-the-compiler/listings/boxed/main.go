// Command boxed stores a number in an interface that is kept.
package main

import (
	"fmt"
	"testing"
)

var last interface{}

//go:noinline
func remember(number int) { last = number }

func main() {
	remember(1042)
	fmt.Println(last, testing.AllocsPerRun(1000, func() { remember(1042) }), "allocs")
}
