package receipt_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	receipt "onthestack/book/stack-and-heap/listings/report"
)

func TestReceipt(t *testing.T) {
	for range 100 {
		prices := make([]int, rand.IntN(30))
		shop := fmt.Sprint("shop ", rand.IntN(1000))
		want := fmt.Sprintln(shop+",", len(prices), "items")
		for i := range prices {
			prices[i] = rand.IntN(5000) - 1000
			want += fmt.Sprintln(prices[i])
		}
		for name, f := range map[string]func(string, []int) string{
			"First": receipt.First, "Guessed": receipt.Guessed, "Found": receipt.Found,
		} {
			if got := f(shop, prices); got != want {
				t.Fatalf("%s(%q, %v) = %q, want %q", name, shop, prices, got, want)
			}
		}
	}
}
