// Package order returns a pointer to a local variable up to its caller.
package order

// ANCHOR: up

// An Order is what one table has ordered.
type Order struct{ Cups, Cents int }

// New returns an order of cups of tea.
//
//go:noinline
func New(cups int) *Order {
	// ANCHOR: order
	order := Order{Cups: cups, Cents: 320 * cups}
	return &order
	// ANCHOR_END: order
}

// Bill returns what cups of tea cost, in cents.
func Bill(cups int) int {
	order := New(cups)
	return order.Cents
}

// ANCHOR_END: up
