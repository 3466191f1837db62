// Package order makes values without a name that outlive the function.
package order

// An Order is what one table has ordered.
type Order struct{ Cups, Cents int }

// ANCHOR: escapes

// New returns an order of cups of tea.
//
//go:noinline
func New(cups int) *Order {
	// ANCHOR: new
	return &Order{Cups: cups, Cents: 320 * cups}
	// ANCHOR_END: new
}

// Queue returns an empty order for each table.
//
//go:noinline
func Queue(tables int) []Order {
	// ANCHOR: queue
	return make([]Order, tables)
	// ANCHOR_END: queue
}

var last any

// Remember keeps the number of a table.
//
//go:noinline
func Remember(table int) {
	// ANCHOR: remember
	last = table
	// ANCHOR_END: remember
}

// ANCHOR_END: escapes

// Last returns the number that Remember was called with last, or nil.
func Last() any { return last }
