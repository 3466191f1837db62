package testmain

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"onthestack/internal/harness/wire"
)

// Begin begins the measurement of Once before the program's variables are initialized. It returns a
// value only so that a variable can be initialized with it.
func Begin() bool {
	newOnce()
	return true
}

// Once runs the main function of a program and reports what it allocated, as a benchmark called "main" of a single
// operation. The report is written when main ends, panics, or is about to exit by Exit, and when all goroutines are
// blocked. A program that ends in another way leaves no report.
func Once(main func()) {
	o := running
	if o == nil {
		o = newOnce()
	}
	defer o.end()
	main()
}

// Exit replaces os.Exit in a program whose main function is run by Once.
//
//go:noinline
func Exit(code int) {
	if running != nil {
		running.end()
	}
	os.Exit(code)
}

func init() {
	// Nothing is recorded before the measurement, so that all that is recorded is the program's.
	runtime.MemProfileRate = counting
	allocationSink = new([64]byte) // the runtime applies the rate at this allocation
}

// running is the measurement of the program, nil before it begins.
var running *once

// A once is the measurement of a program's main function, or of all its own code.
type once struct {
	used  used // before
	ended sync.Once
}

// allocated returns what the program has allocated so far.
func allocated() used {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return used{m.Mallocs, m.TotalAlloc}
}

// blocked is longer than any program's own time. The clock of a sandboxed program jumps to the next timer when all
// goroutines wait, so this timer fires only where nothing else is left to run.
const blocked = 200 * 365 * 24 * time.Hour

func newOnce() *once {
	disableGC()
	runtime.MemProfileRate = counting
	o := &once{}
	running = o
	go func() {
		time.Sleep(blocked)
		o.end()
	}()
	runtime.Gosched()
	fillTinyBlock()
	runtime.MemProfileRate = locating
	allocationSink = new([64]byte) // the runtime applies the rate at this allocation
	o.used = allocated()
	return o
}

// fillTinyBlock fills the block in which the runtime puts tiny objects, so that main's first one opens a block, which
// is recorded. A garbage collection would do it too, but empties each sync.Pool.
func fillTinyBlock() {
	for {
		b := new(byte)
		allocationSink = b
		if uintptr(unsafe.Pointer(b))%16 == 15 {
			return
		}
	}
}

func (o *once) end() {
	o.ended.Do(func() {
		now := allocated()
		runtime.MemProfileRate = counting
		allocationSink = new([64]byte)
		runtime.GC()
		located, chance := read().splitChance()
		stacks := slices.DeleteFunc(located.stacks(), func(s wire.Stack) bool {
			// The allocations of this package are not counted.
			i := slices.IndexFunc(s.Frames, func(f wire.Frame) bool { return !strings.HasPrefix(f.Func, "runtime.") })
			return i >= 0 && strings.Contains(s.Frames[i].Func, "/testmain.")
		})
		channel, err := openChannel(orphanTime)
		if err == nil {
			report := wire.AppendBenchmark(wire.AppendMeasuring(nil), wire.Benchmark{
				Name: "main", N: 1, Profiled: 1, Stacks: stacks,
				AllocsPerOp: float64(int64(now.allocs-o.used.allocs) - chance.objects()),
				BytesPerOp:  float64(int64(now.bytes-o.used.bytes) - chance.bytes()),
			})
			_, err = channel.Write(wire.AppendDone(report))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "checkalloc: cannot write the report:", err)
		}
	})
}
