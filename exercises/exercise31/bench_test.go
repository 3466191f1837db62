package orders_test

import (
	"testing"

	"onthestack/exercises/exercise31"
)

// BenchmarkUnpaid looks at 680 orders of 40 customers. Every second customer has paid all of
// them; the others have 112 orders to pay, of which one has 17 and each of the others 5.
func BenchmarkUnpaid(b *testing.B) {
	var rows []orders.Row
	for customer := range 40 {
		unpaid := 5
		if customer == 0 {
			unpaid = 17
		}
		for i := range 17 {
			paid := customer%2 == 1 || i >= unpaid
			rows = append(rows, orders.Row{Customer: customer, Number: 100*customer + i, Cents: 999, Paid: paid})
		}
	}
	for b.Loop() {
		orders.Unpaid(rows)
	}
}
