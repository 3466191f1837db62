package warehouse_test

import (
	"strconv"
	"testing"

	"onthestack/exercises/exercise4"
)

// BenchmarkStock adds to a part that the stock has had before, asks for the number of it, and for the part with
// the largest number. The name is longer than the 32 bytes that a text may have on the stack.
func BenchmarkStock(b *testing.B) {
	var stock warehouse.Stock
	parts := make([]item, 20)
	for i := range parts {
		parts[i] = item{"hexagon socket head cap screw of stainless steel, with washer, M" + strconv.Itoa(10+i), 1000 + i, 0}
		stock.Add(parts[i].name, parts[i].size, 0)
	}
	p := parts[7]

	for b.Loop() {
		stock.Add(p.name, p.size, 1)
		stock.Count(p.name, p.size)
		stock.Largest()
	}
}
