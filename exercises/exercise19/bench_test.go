package warehouse_test

import (
	"strconv"
	"testing"

	"onthestack/exercises/exercise19"
)

// BenchmarkStock adds to parts that the stock has had before, asks for the number of them, and for the part with the
// largest number. The names are longer than the 32 bytes that a text may have on the stack.
func BenchmarkStock(b *testing.B) {
	var stock warehouse.Stock
	for i := range 20 {
		stock.Add("a hexagon socket head cap screw of stainless steel, M"+strconv.Itoa(10+i), 1000+i, 0)
	}
	const name = "a hexagon socket head cap screw of stainless steel, M12"

	for b.Loop() {
		stock.Add(name, 1002, 1)
		stock.Count(name, 1002)
		stock.Largest()
	}
}
