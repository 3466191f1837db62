package digits_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	digits "onthestack/book/heap-optimization/listings/digits-variable"
)

func TestAppend(t *testing.T) {
	values := []int32{0, 1, 9, 10, 99, 100, 215, -1, -9, -10, -215, math.MaxInt32, math.MinInt32}
	for range 1000 {
		values = append(values, rand.Int32()>>rand.IntN(31)-rand.Int32()>>rand.IntN(31))
	}
	for _, tenths := range values {
		sign, size := "", int64(tenths)
		if size < 0 {
			sign, size = "-", -size
		}
		want := fmt.Sprintf("%s%d.%d", sign, size/10, size%10)
		if got := string(digits.Append([]byte("in: "), tenths)); got != "in: "+want {
			t.Fatalf("%d: got %q, want %q", tenths, got, "in: "+want)
		}
	}
}
