package till_test

import (
	"testing"

	till "onthestack/exercises/exercise12"
)

func BenchmarkAdd(b *testing.B) {
	roll := []byte(`2 x 1.99 A
1 x 12.50 B
6 back 0.25
3 x 0.05 A
1 x 7.90 A
12 back 0.08
4 x 1.19 B
1 x 129.00 B
`)

	for b.Loop() {
		if _, err := till.Add(roll); err != nil {
			b.Fatal(err)
		}
	}
}
