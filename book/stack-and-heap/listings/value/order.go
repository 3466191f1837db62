// Package order returns a copy of a local variable to its caller.
package order

// An Order is what one table has ordered.
type Order struct{ Cups, Cents int }

// ANCHOR: value

// New returns an order of cups of tea.
//
//go:noinline
func New(cups int) Order {
	order := Order{Cups: cups, Cents: 320 * cups}
	return order
}

// ANCHOR_END: value

// Bill returns what cups of tea cost, in cents.
func Bill(cups int) int {
	order := New(cups)
	return order.Cents
}
