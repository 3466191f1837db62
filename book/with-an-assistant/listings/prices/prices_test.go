package prices_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	prices "onthestack/book/with-an-assistant/listings/prices"
)

func TestList(t *testing.T) {
	for range 100 {
		warehouse, article := strings.Repeat("w", rand.IntN(100)), rand.Int()-rand.Int()
		want := 1 + rand.IntN(10000)
		list := prices.List{fmt.Sprintf("%s/%d", warehouse, article): want}
		for name, of := range map[string]func(string, int) int{"Of": list.Of, "Pooled": list.Pooled} {
			if got := of(warehouse, article); got != want {
				t.Errorf("%s(%q, %d) = %d, want %d", name, warehouse, article, got, want)
			}
			if got := of(warehouse+"x", article); got != 0 {
				t.Errorf("%s finds %d in another warehouse", name, got)
			}
		}
	}
}
