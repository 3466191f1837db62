// Package order returns a pointer to a local variable from a function that is inlined.
package order

// An Order is what one table has ordered.
type Order struct{ Cups, Cents int }

// ANCHOR: inlined

// New returns an order of cups of tea.
func New(cups int) *Order {
	order := Order{Cups: cups, Cents: 320 * cups}
	return &order
}

// Bill returns what cups of tea cost, in cents.
func Bill(cups int) int {
	// ANCHOR: call
	order := New(cups)
	// ANCHOR_END: call
	return order.Cents
}

// ANCHOR_END: inlined
