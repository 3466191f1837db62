// Command content keeps what is behind what a parameter points to.
package main

import "fmt"

type order struct{ dish *string }

var cooking *string

//go:noinline
func cook(o *order) { cooking = o.dish }

func main() {
	dish := "soup"
	o := order{dish: &dish}
	cook(&o)
	fmt.Println(*cooking)
}
