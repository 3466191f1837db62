// The task: checkalloc task exercise31

// Package orders answers questions about the orders of
// customers.
package orders

// A Row is a row of a query: an order of a customer.
type Row struct {
	Customer int
	Number   int
	Cents    int
	Paid     bool
}

// An Order is an order that is not paid.
type Order struct {
	Number int
	Cents  int
}

// Unpaid returns the orders that are not paid: one list for
// each customer who has any, with customers and orders in
// the order of the rows. The rows of a customer stand side
// by side.
//
// The caller uses the memory of the rows again. The lists
// belong to the caller, who may append to any of them, which
// changes none of the others.
func Unpaid(rows []Row) [][]Order {
	// Changed: the first pass over the rows only counts, so that each of the two arrays is
	// made once and with its final size. Arrays that grow are copied from one size to the
	// next, and the sizes before the last one are garbage: that is what the other change
	// costs, with nearly as few allocations.
	orders, customers := count(rows)
	all := make([]Order, 0, orders)
	lists := make([][]Order, 0, customers)
	for len(rows) > 0 {
		n := first(rows)
		// Changed: all lists are parts of one array. The third index ends the capacity of a
		// list where the list ends, so that an append to it copies it, and does not write
		// over the next list.
		start := len(all)
		for _, row := range rows[:n] {
			if !row.Paid {
				all = append(all, Order{row.Number, row.Cents})
			}
		}
		if end := len(all); end > start {
			lists = append(lists, all[start:end:end])
		}
		rows = rows[n:]
	}
	return lists
	// The cost: the rows are read twice, and a caller who keeps one list keeps the array of
	// all. If reading them were dear, for example from a connection, the append that grows
	// would be the better choice.
}

// count returns how many orders are not paid, and how many
// customers have such orders.
func count(rows []Row) (orders, customers int) {
	for len(rows) > 0 {
		n := first(rows)
		before := orders
		for _, row := range rows[:n] {
			if !row.Paid {
				orders++
			}
		}
		if orders > before {
			customers++
		}
		rows = rows[n:]
	}
	return orders, customers
}

// first returns how many rows the first customer has.
func first(rows []Row) int {
	n := 1
	for n < len(rows) && rows[n].Customer == rows[0].Customer {
		n++
	}
	return n
}
