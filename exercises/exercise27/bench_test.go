package booking_test

import (
	"testing"

	"onthestack/exercises/exercise27"
)

// BenchmarkRead reads a row of a query that has no end.
func BenchmarkRead(b *testing.B) {
	r := booking.NewReader(endless(row{Booking: booking.Booking{
		ID: 4711, Guest: "Maria-Margaretha Southquay", Bed: 12, Nights: 3, Paid: true,
	}}))
	for b.Loop() {
		if _, err := r.Read(); err != nil {
			b.Fatal(err)
		}
	}
}
