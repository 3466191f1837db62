// Package order passes a pointer to a local variable down to the function that it calls.
package order

// ANCHOR: down

// An Order is what one table has ordered.
type Order struct{ Cups, Cents int }

// Bill returns what cups of tea cost, in cents.
func Bill(cups int) int {
	// ANCHOR: order
	var order Order
	fill(&order, cups)
	// ANCHOR_END: order
	return order.Cents
}

// ANCHOR: fill

//go:noinline
func fill(o *Order, cups int) {
	o.Cups = cups
	o.Cents = 320 * cups
}

// ANCHOR_END: fill

// ANCHOR_END: down
