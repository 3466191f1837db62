// Command to-result hands a parameter back.
package main

import "fmt"

type order struct{ dish *string }

//go:noinline
func same(o *order) *order { return o }

//go:noinline
func dish(o *order) *string { return o.dish }

//go:noinline
func letters(o **order) *string { return (*o).dish }

func main() {
	soup := "soup"
	o := &order{dish: &soup}
	fmt.Println(*same(o).dish, *dish(o), *letters(&o))
}
