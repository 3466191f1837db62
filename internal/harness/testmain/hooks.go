package testmain

import (
	"errors"
	"flag"
	"runtime"
	"testing"
	"unsafe"
)

// hooks is the value of the flag by which the package testing of harness.EditStandard finds its methods. Original
// archives of package testing call none of them.
type hooks struct{}

// registerHooks registers the flag harness.HooksFlag.
func registerHooks() { flag.Var(hooks{}, "checkalloc.hooks", "not for users") }

func (hooks) String() string { return "" }

func (hooks) Set(string) error { return errors.New("it takes no value") }

// Current returns the benchmark whose timer calls Timer, or nil if there is none. Benchmarks of a trial, and benchmarks
// that a benchmark runs by testing.Benchmark, are not recorded.
func (hooks) Current() *testing.B { return current }

// Timer is called when a method of the benchmark's timer has had its effect.
func (hooks) Timer(method string) {
	switch method {
	case "StartTimer":
		Started()
	case "StopTimer":
		Stopped()
	case "ResetTimer":
		Timed()
	}
}

// Run is called in place of b.Run, and reports whether it ran the sub-benchmark.
func (hooks) Run(b *testing.B, name string, f func(*testing.B)) (ran, ok bool) {
	if e := exploring; e == nil || e.expectingRun || e.work != nil || e.measuring || e.trial == nil {
		return false, false
	}
	return true, Sub(b, name, f)
}

// Name returns the name of a benchmark that testing.Benchmark runs without one, "" for one that stays as it is.
func (hooks) Name(b *testing.B) string {
	if e := exploring; e != nil && e.measuring && b.Name() == "" {
		return e.name
	}
	return ""
}

// Skipping is called ahead of b.Skip with what it says.
func (hooks) Skipping(why string) { Skipping(why) }

// blockSize is the size in bytes of a block of tiny objects.
const blockSize = 16

// tinyApart reports whether tiny objects share no block while all allocations are recorded, as with the package runtime
// of harness.EditStandard.
func tinyApart() bool {
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = locating
	for i := range tinySinks {
		tinySinks[i] = new(byte)
	}
	runtime.MemProfileRate = rate
	for i, p := range tinySinks {
		for _, q := range tinySinks[:i] {
			if uintptr(unsafe.Pointer(p))/blockSize == uintptr(unsafe.Pointer(q))/blockSize {
				return false
			}
		}
	}
	return true
}

var tinySinks [3]*byte
