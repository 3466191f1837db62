package testmain

import "testing"

func TestPerOperation(t *testing.T) {
	const all = operations + 1
	for _, test := range []struct {
		name            string
		all, one, first uint64
		want            float64
	}{
		{"two an operation", 2 * all, 2, 64, 2},
		{"a first operation that allocates more", 2*all + 40, 42, 64, 2},
		{"one in ten", 100, 0, 64, 0.1},
		{"nothing", 0, 0, 64, 0},
		{"once more in the one, by chance", 2 * all, 10_000, 64, 1.936},
		{"nothing but once in the one", 0, 1, 64, 0},
	} {
		if got := perOperation(test.all, test.one, test.first); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
