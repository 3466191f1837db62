// Command stays only looks at its parameter.
package main

import (
	"fmt"
	"testing"
)

type order struct{ dish *string }

//go:noinline
func length(o *order) int { return len(*o.dish) }

func main() {
	soup := "soup"
	o := &order{dish: &soup}
	fmt.Println(length(o), testing.AllocsPerRun(1000, func() {
		dish := "stew"
		length(&order{dish: &dish})
	}), "allocs")
}
