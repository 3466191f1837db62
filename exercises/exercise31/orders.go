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
	var lists [][]Order
	for len(rows) > 0 {
		n := first(rows)
		var list []Order
		for _, row := range rows[:n] {
			if !row.Paid {
				list = append(list, Order{row.Number, row.Cents})
			}
		}
		if len(list) > 0 {
			lists = append(lists, list)
		}
		rows = rows[n:]
	}
	return lists
}

// first returns how many rows the first customer has.
func first(rows []Row) int {
	n := 1
	for n < len(rows) && rows[n].Customer == rows[0].Customer {
		n++
	}
	return n
}
