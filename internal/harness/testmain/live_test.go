package testmain

import (
	"runtime"
	"strings"
	"testing"
)

// TestLive measures operations that each keep a part of something: as much as the whole is live, and what nothing
// refers to is not.
func TestLive(t *testing.T) {
	keepRuntimeOut(t)
	// keeping returns a benchmark whose operations make size bytes each, and keep the first 16 of them.
	keeping := func(size func(i int) int, cut func([]byte) []byte) func(*testing.B) {
		return func(b *testing.B) {
			whole := make([][]byte, b.N)
			for i := range whole {
				whole[i] = make([]byte, size(i))
			}
			parts := make([][]byte, b.N)
			b.ResetTimer()
			for i := range b.N {
				parts[i] = cut(whole[i])
				whole[i] = nil
			}
			b.StopTimer()
			Stopped()
			runtime.KeepAlive(parts)
		}
	}
	part := func(b []byte) []byte { return b[:16] }
	clone := func(b []byte) []byte { return append(make([]byte, 0, 16), b[:16]...) }
	large := func(int) int { return 2048 }
	loop := func(b *testing.B) {
		Looping()
		for b.Loop() {
			allocationSink = new([16]byte)
		}
		Looped()
	}
	for _, test := range []struct {
		name        string
		f           func(*testing.B) // the first benchmark that confirms a pass
		least, most float64          // live B/op, of which 24 are the slice that is kept
		met         bool             // at first
		confirmed   bool
	}{
		{"a part keeps the whole", keeping(large, part), 2048, 2100, false, false},
		{"a clone keeps itself", keeping(large, clone), 40, 56, true, true},
		{"a part of what is made behind the first operations", keeping(func(i int) int {
			if i > operations {
				return 2048
			}
			return 16
		}, part), 1800, 2100, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := Benchmark{Name: "BenchmarkKeep", F: loop, Allocs: 1, Bytes: NoTarget, Live: 64,
				Confirm: []testing.InternalBenchmark{{Name: "BenchmarkKeepConfirm", F: test.f},
					{Name: "BenchmarkKeepConfirmMore", F: loop}}}
			got, err := measure(b, operations)
			if err != nil || got.AllocsPerOp != 1 || got.LiveBytesPerOp < 40 || got.Confirmed > 0 != test.met {
				t.Errorf("%+v, %v; want it met: %v", got, err, test.met)
			}
			got, err = confirm(b.confirmation(0), confirmFactor()*operations)
			if err != nil || got.LiveBytesPerOp < test.least || got.LiveBytesPerOp > test.most ||
				got.Confirmed > 0 != test.confirmed {
				t.Errorf("%v live B/op, confirmed over %d operations, %v; want %v to %v, confirmed %v",
					got.LiveBytesPerOp, got.Confirmed, err, test.least, test.most, test.confirmed)
			}
			// The others do not measure it.
			got, err = confirm(b.confirmation(1), confirmFactor()*operations)
			if err != nil || got.LiveBytesPerOp != 0 || got.Confirmed == 0 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	failing := Benchmark{Name: "BenchmarkKeep", F: loop, Allocs: 1, Bytes: NoTarget, Live: 64,
		Confirm: []testing.InternalBenchmark{{Name: "BenchmarkKeepConfirm", F: func(b *testing.B) { b.Fatal("wrong") }}}}
	if got, err := measure(failing, operations); err != nil || !got.Failed || got.Name != "BenchmarkKeep" {
		t.Errorf("a confirmation that fails: %+v, %v", got, err)
	}
	none := func(*testing.B) {}
	_, err := measure(Benchmark{Name: "BenchmarkNoEnd", F: none, Allocs: 1, Bytes: NoTarget, Live: 64,
		Confirm: []testing.InternalBenchmark{{Name: "BenchmarkNoEndConfirm", F: none}}}, operations)
	if err == nil || !strings.Contains(err.Error(), "has to call b.Loop, or b.StopTimer") {
		t.Errorf("a benchmark that never stops its timer: %v", err)
	}
}
