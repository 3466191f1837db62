package testmain

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/harness/wire"
)

func TestPlausible(t *testing.T) {
	const all = operations + 1
	for _, test := range []struct {
		name      string
		many, one used
		want      bool
	}{
		{"two an operation", used{2 * all, 96 * all}, used{2, 96}, true},
		{"a first operation that allocates more", used{2*all + 40, 96 * all}, used{42, 96}, true},
		{"one in ten", used{100, 6400}, used{}, true},
		{"nothing", used{}, used{}, true},
		{"once more in the one, by chance", used{2 * all, 96 * all}, used{10_000, 96}, false},
		{"a first operation of many bytes", used{2 * all, 40*all + 37_000}, used{3, 37_040}, false},
		{"nothing but once in the one", used{}, used{1, 16}, false},
	} {
		if got := plausible(test.many, test.one, operations); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestShare(t *testing.T) {
	const all = operations + 1
	for _, test := range []struct {
		name      string
		n         int
		many, one used
		want      used
		ok        bool
	}{
		{"two an operation", 100, used{2 * all, 96 * all}, used{2, 96}, used{202, 9696}, true},
		{"a first operation that allocates more", 20, used{2*all + 40, 96 * all}, used{42, 96},
			used{82, 96 * 21}, true},
		{"one in ten", 100, used{100, 6400}, used{0, 0}, used{10, 640}, true},
		{"nothing", 100, used{}, used{}, used{}, true},
		{"one in all", 100, used{1, 16}, used{}, used{}, false},
		{"blocks of tiny objects", 100, used{all, 16 * 334}, used{1, 16}, used{}, false},
		{"more in the one", 100, used{0, 0}, used{1, 16}, used{}, false},
		{"more in the one, by chance", 100, used{2 * all, 96 * all}, used{1002, 96}, used{}, false},
	} {
		got, ok := expectedUse(test.n, test.many, test.one, operations)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%s: %v %v, want %v %v", test.name, got, ok, test.want, test.ok)
		}
	}
}

func TestSlopeAgrees(t *testing.T) {
	for _, test := range []struct {
		name string
		s, t slope
		want bool
	}{
		{"the same", slope{1, 64}, slope{1, 64}, true},
		{"an object in a thousand operations", slope{1, 64}, slope{1.001, 64.1}, true},
		{"an object in ten operations", slope{1, 64}, slope{1.1, 65}, false},
		{"strings of random length", slope{2, 1000}, slope{2, 1015}, true},
		{"an array for all operations, in a larger size class", slope{0, 16}, slope{0, 16.8}, false},
	} {
		if got := test.s.agrees(test.t); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestByChance(t *testing.T) {
	for _, test := range []struct {
		name  string
		calls string // innermost first
		want  bool
	}{
		{"a line of the benchmark", "runtime.mallocgc exercise.F exercise_test.BenchmarkF runtime.goexit", false},
		{"the cache of a type switch", "runtime.mallocgc runtime.buildInterfaceSwitchCache exercise.F runtime.goexit",
			true},
		{"the cache of a type assertion", "runtime.buildTypeAssertCache exercise.F runtime.goexit", true},
		{"the scavenger's timer", "runtime.mallocgc runtime.growslice runtime.(*timers).addHeap " +
			"runtime.(*scavengerState).sleep runtime.bgscavenge runtime.goexit", true},
		{"a go statement's new goroutine", "runtime.malg runtime.newproc1 runtime.newproc.func1 runtime.systemstack",
			false},
		{"a finalizer of the program", "runtime.mallocgc exercise.finalize runtime.runFinalizers runtime.goexit",
			false},
		{"main", "runtime.mallocgc main.main runtime.main runtime.goexit", false},
		{"no calls", "", false},
	} {
		var calls []wire.Frame
		for f := range strings.FieldsSeq(test.calls) {
			calls = append(calls, wire.Frame{Func: f})
		}
		if got := byChance(calls); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestMinus(t *testing.T) {
	a, b, c, d := site{size: 1}, site{size: 2}, site{size: 3}, site{size: 4}
	// Two records of one site are stacks that differ beyond what a site holds.
	p, q := profile{{a, 5}, {b, 2}, {a, 1}, {d, 1}}, profile{{c, 1}, {b, 2}, {a, 3}}
	got, want := p.minus(q), profile{{a, 2}, {a, 1}, {d, 1}, {c, -1}}
	if !slices.Equal(got, want) || got.bytes() != 3+4-3 {
		t.Errorf("%d bytes, got %+v, want %+v", got.bytes(), got, want)
	}
}

var sink *[16]byte

// keepRuntimeOut does what a test binary does before it measures, until the end of the test: without it, one run in a
// hundred counts an allocation of the runtime.
func keepRuntimeOut(t *testing.T) {
	procs, percent, limit := runtime.GOMAXPROCS(0), debug.SetGCPercent(-1), debug.SetMemoryLimit(-1)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	disableGC()
}

// TestLuck measures 1.05 allocs/op. Once, a single operation allocates 64 more by chance. The figure gets lower by
// that, but it must not meet a target of 1.
func TestLuck(t *testing.T) {
	keepRuntimeOut(t)
	firsts := 0
	b := Benchmark{Name: "BenchmarkLuck", Allocs: 1, Bytes: NoTarget, Live: NoTarget, F: func(b *testing.B) {
		if b.N == 1 {
			if firsts++; firsts == 2 { // the first warms up
				for range 63 {
					sink = new([16]byte)
				}
			}
		}
		for i := range b.N {
			sink = new([16]byte)
			if i%20 == 19 {
				sink = new([16]byte)
			}
		}
	}}
	if lucky := newMeasurement(b.F).measure(b.Name, operations); !b.met(lucky) {
		t.Fatalf("%v allocs/op: the operation does not have the luck that is tested", lucky.AllocsPerOp)
	}
	firsts = 0
	got, err := measure(b, operations)
	if err != nil || got.Confirmed != 0 || got.AllocsPerOp < 1.0499 || got.N < 10*operations {
		t.Errorf("%v allocs/op over %d operations, confirmed over %d, %v", got.AllocsPerOp, got.N, got.Confirmed, err)
	}
	even := Benchmark{Name: "BenchmarkEven", Allocs: 1, Bytes: NoTarget, Live: NoTarget, F: func(b *testing.B) {
		for range b.N {
			sink = new([16]byte)
		}
	}}
	got, err = measure(even, operations)
	if err != nil || got.AllocsPerOp != 1 || got.N != operations || got.Confirmed < 10*operations {
		t.Errorf("%v allocs/op over %d operations, confirmed over %d, %v", got.AllocsPerOp, got.N, got.Confirmed, err)
	}
}

// TestOnceByChance measures a benchmark whose B/op grow with the operations. In one of its last runs, from which the
// figures are, a single operation allocates one object more by chance. No figure contains it.
func TestOnceByChance(t *testing.T) {
	keepRuntimeOut(t)
	all := 0
	for back := -1; back < 4; back++ { // at first, no run has the object
		runs := 0
		m := newMeasurement(func(b *testing.B) {
			if runs++; runs == all-back {
				sink = new([16]byte)
			}
			var list []int
			for n := range b.N {
				list = append(slices.Clip(list), n)
			}
			runtime.KeepAlive(list)
		})
		got, _ := m.steady("BenchmarkGrows", time.Microsecond, benchtime{})
		objects := int64(0)
		for _, s := range got.Stacks {
			objects += s.Objects
		}
		if m.err != nil || got.AllocsPerOp != 1 || objects != int64(got.Profiled) || got.Later.AllocsPerOp != 1 {
			t.Errorf("an object in run %d of %d: %v allocs/op, %d objects of %d operations, later %+v, %v",
				all-back, runs, got.AllocsPerOp, objects, got.Profiled, got.Later, m.err)
		}
		if back < 0 {
			all = runs
		}
	}
}

// TestReserveTimers tests that a timer that begins to run allocates only itself.
func TestReserveTimers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	reserveTimers()
	var before, after runtime.MemStats
	var timers [reservedTimers / 2]*time.Timer
	runtime.ReadMemStats(&before)
	for i := range timers {
		timers[i] = time.AfterFunc(time.Hour, func() {})
	}
	runtime.ReadMemStats(&after)
	for _, timer := range timers {
		timer.Stop()
	}
	if n := after.Mallocs - before.Mallocs; n != uint64(len(timers)) {
		t.Errorf("%d timers allocate %d objects", len(timers), n)
	}
}
