package testmain

import (
	"errors"
	"math"
	"runtime"
)

// live returns how many bytes of the heap are in use for each of n operations when the benchmark stops its timer behind
// the last of them, or leaves its loop over b.Loop. The garbage collector has then freed all that nothing refers to, so
// what is left is what the results of the operations keep: their own bytes, and, if a result is a part of a string or
// an array, the whole string or array.
//
// Nothing is subtracted for the benchmark's own variables, so that a first operation cannot lower the figure by keeping
// more than the others. The figure is rounded to whole bytes: the runtime's own objects are a few hundred bytes in all.
func (m *measurement) live(n int) float64 {
	before, after := inUse(), uint64(0)
	inUseWhenStopped = &after
	m.run(n, counting)
	inUseWhenStopped = nil
	if m.failed || m.err != nil {
		return 0
	}
	if after == 0 {
		m.err = errors.New("a benchmark with a target on live bytes has to call b.Loop, or b.StopTimer behind its loop")
		return 0
	}
	return max(0, math.Round((float64(after)-float64(before))/float64(n)))
}

// inUseWhenStopped is where Stopped writes the bytes of the heap that are in use, or nil if they are not measured.
var inUseWhenStopped *uint64

// inUse collects garbage, twice to empty each sync.Pool, and returns the bytes of the heap that are in use.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
