// Command shared-steps shares an order down the stack, and another one up.
package main

type order struct{ cups, cents int }

//go:noinline
func fill(o *order, cups int) {
	o.cups = cups
	o.cents = 320 * cups
}

//go:noinline
func newOrder(cups int) *order {
	o := order{cups, 320 * cups}
	return &o
}

func main() {
	var down order
	fill(&down, 3)
	up := newOrder(2)
	println(down.cents, up.cents)
}
