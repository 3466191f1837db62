// Command elements stores addresses in a slice, a map, an array and a struct.
package main

import "fmt"

type pair struct{ first, second *int }

type shop struct {
	slice []*int
	table map[string]*int
	array [2]*int
	pair  pair
}

var open shop

//go:noinline
func fill(a, b, c, d, e int) {
	open.slice = []*int{&a}
	open.table = map[string]*int{"window": &b}
	open.array = [2]*int{0: &c}
	open.pair = pair{first: &d}
	open.table["door"] = &e
}

func main() {
	fill(1, 2, 3, 4, 5)
	fmt.Println(*open.slice[0], *open.table["window"], *open.array[0], *open.pair.first, *open.table["door"])
}
