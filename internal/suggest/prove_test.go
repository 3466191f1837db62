package suggest

import (
	"testing"

	"onthestack/internal/compare"
)

// TestSaves: a benchmark must allocate less and none more, and by more than the same code differs from run to run.
func TestSaves(t *testing.T) {
	type figure struct{ allocs, allocsNow, bytes, bytesNow float64 }
	for _, test := range []struct {
		name   string
		all    []figure
		spread saving // of the first benchmark
		want   bool
	}{
		{"fewer", []figure{{2, 1, 64, 32}}, saving{}, true},
		{"one of many", []figure{{1052, 1051, 25776, 25760}}, saving{}, true},
		{"smaller", []figure{{2, 2, 64, 48}}, saving{}, true},
		{"fewer in one", []figure{{2, 2, 64, 64}, {3, 2, 64, 64}}, saving{}, true},
		{"the same", []figure{{2, 2, 64, 64}}, saving{}, false},
		{"a rare allocation", []figure{{2, 1.99, 64, 63.7}}, saving{}, false},
		{"fewer, and larger", []figure{{2, 1, 64, 80}}, saving{}, false},
		{"smaller, and more", []figure{{2, 3, 64, 48}}, saving{}, false},
		{"more in another", []figure{{2, 1, 64, 32}, {1, 2, 8, 8}}, saving{}, false},
		{"drawn inputs", []figure{{7.3, 6.9, 800, 790}}, saving{0.3, 20}, false},
		{"drawn inputs, and fewer", []figure{{7.3, 5.2, 800, 790}}, saving{0.3, 20}, true},
		{"drawn inputs, and larger by chance", []figure{{7.3, 5.2, 800, 830}}, saving{0.3, 20}, true},
	} {
		r := &run{spread: map[string]saving{"0": test.spread}}
		var all []compare.Benchmark
		for i, f := range test.all {
			all = append(all, compare.Benchmark{Name: string(rune('0' + i)),
				Allocs: compare.Exact{Old: f.allocs, New: f.allocsNow}, Bytes: compare.Exact{Old: f.bytes, New: f.bytesNow}})
		}
		if stage, why := r.saves(all); (stage == "") != test.want {
			t.Errorf("%s: %q, %s", test.name, stage, why)
		}
	}
}
