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
	for _, test := range []struct {
		name        string
		f           func(*testing.B)
		least, most float64 // live B/op, of which 24 are the slice that is kept
		confirmed   bool
	}{
		{"a part keeps the whole", keeping(large, part), 2048, 2100, false},
		{"a clone keeps itself", keeping(large, clone), 40, 56, true},
		{"a part of what is made behind the usual operations", keeping(func(i int) int {
			if i > operations {
				return 2048
			}
			return 16
		}, part), 1800, 2100, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := Benchmark{Name: "BenchmarkKeep", F: test.f, Allocs: 1, Bytes: NoTarget, Live: 64}
			got, err := measure(b, operations)
			if err != nil || got.LiveBytesPerOp < test.least || got.LiveBytesPerOp > test.most ||
				got.Confirmed > 0 != test.confirmed {
				t.Errorf("%v live B/op, confirmed over %d operations, %v; want %v to %v, confirmed %v",
					got.LiveBytesPerOp, got.Confirmed, err, test.least, test.most, test.confirmed)
			}
		})
	}
	// The first benchmark that confirms a pass measures it, if there are any.
	loop := func(b *testing.B) {
		Looping()
		for b.Loop() {
			allocationSink = new([16]byte)
		}
		Looped()
	}
	for want, kept := range map[bool]func(*testing.B){true: keeping(large, clone), false: keeping(large, part)} {
		confirms := testing.InternalBenchmark{Name: "BenchmarkKeepConfirm", F: kept}
		b := Benchmark{Name: "BenchmarkKeep", F: loop, Allocs: 1, Bytes: NoTarget, Live: 64,
			Confirm: []testing.InternalBenchmark{confirms, {Name: "BenchmarkKeepConfirmMore", F: loop}}}
		got, err := measure(b, operations)
		if err != nil || got.Confirmed > 0 != want || got.LiveBytesPerOp < 40 || got.AllocsPerOp != 1 {
			t.Errorf("%v allocs/op, %v live B/op, confirmed over %d operations, %v; want confirmed %v", got.AllocsPerOp,
				got.LiveBytesPerOp, got.Confirmed, err, want)
		}
		for i := range b.Confirm {
			got, err := confirm(b.confirmation(i), 2*operations)
			if err != nil || got.Confirmed > 0 != (want || i > 0) || got.LiveBytesPerOp > 0 != (i == 0) {
				t.Errorf("%s: %v live B/op, confirmed over %d operations, %v", b.Confirm[i].Name, got.LiveBytesPerOp,
					got.Confirmed, err)
			}
		}
	}
	failing := Benchmark{Name: "BenchmarkKeep", F: loop, Allocs: 1, Bytes: NoTarget, Live: 64,
		Confirm: []testing.InternalBenchmark{{Name: "BenchmarkKeepConfirm", F: func(b *testing.B) { b.Fatal("wrong") }}}}
	if got, err := measure(failing, operations); err != nil || !got.Failed || got.Name != "BenchmarkKeep" {
		t.Errorf("a confirmation that fails: %+v, %v", got, err)
	}
	_, err := measure(Benchmark{Name: "BenchmarkNoEnd", F: func(*testing.B) {}, Allocs: 1, Bytes: NoTarget, Live: 64},
		operations)
	if err == nil || !strings.Contains(err.Error(), "has to call b.Loop, or b.StopTimer") {
		t.Errorf("a benchmark that never stops its timer: %v", err)
	}
}
