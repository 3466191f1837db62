package testmain

import (
	"runtime"
	"slices"
	"strings"

	"onthestack/internal/harness/wire"
)

// A site identifies a record of the memory profile: a stack of calls, innermost first, and the size of the objects that
// were allocated with it. The runtime keeps 128 calls, so stacks that differ only beyond them are the same.
type site struct {
	calls [128]uintptr
	size  int64 // bytes
}

// A record counts the objects that were allocated at a site.
type record struct {
	site
	objects int64
}

// A profile lists sites in the runtime's order, the latest first.
type profile []record

// read returns all allocations recorded so far. The runtime publishes them when it collects garbage, so a collection
// has to come before. Recording has to be off meanwhile, since read itself allocates.
func read() profile { return readBy(func(r *published) int64 { return r.AllocObjects }) }

// readHeld returns the recorded allocations that garbage collection has not freed.
func readHeld() profile {
	return readBy(func(r *published) int64 { return r.AllocObjects - r.FreeObjects })
}

func readBy(objects func(*published) int64) profile {
	var recorded []published
	for n, ok := publish(nil, true); !ok; {
		recorded = make([]published, n)
		n, ok = publish(recorded, true)
	}
	p := make(profile, 0, len(recorded))
	for _, r := range recorded {
		if n := objects(&r); n > 0 {
			s := site{size: r.size()}
			copy(s.calls[:], r.stack())
			p = append(p, record{s, n})
		}
	}
	return p
}

// minus returns p with the counts of q subtracted. Counts may become negative.
func (p profile) minus(q profile) profile {
	taken := map[site]int64{}
	for _, r := range q {
		taken[r.site] += r.objects
	}
	var rest profile
	add := func(s site, objects int64) {
		if objects != 0 {
			rest = append(rest, record{s, objects})
		}
	}
	for _, r := range p {
		add(r.site, r.objects-taken[r.site])
		delete(taken, r.site)
	}
	for _, r := range q {
		add(r.site, -taken[r.site])
		delete(taken, r.site)
	}
	return rest
}

// sum returns the sum of a figure of each record.
func (p profile) sum(figure func(record) int64) (sum int64) {
	for _, r := range p {
		sum += figure(r)
	}
	return sum
}

// bytes returns the size of all objects together.
func (p profile) bytes() int64 { return p.sum(func(r record) int64 { return r.objects * r.size }) }

// objects returns the number of objects.
func (p profile) objects() int64 { return p.sum(func(r record) int64 { return r.objects }) }

// tiny returns the number of objects that may be tiny, if these were recorded with their sizes.
func (p profile) tiny() int64 {
	return max(0, p.sum(func(r record) int64 {
		if r.size < blockSize {
			return r.objects
		}
		return 0
	}))
}

// splitChance separates from p what the runtime allocated by chance, at different operations in each run.
func (p profile) splitChance() (rest, chance profile) {
	for _, r := range p {
		if byChance(frames(r.calls[:])) {
			chance = append(chance, r)
		} else {
			rest = append(rest, r)
		}
	}
	return rest, chance
}

// byChance reports whether the runtime allocated, with these calls, something that the benchmark did not ask for:
//   - The cache of the types that a type assertion or type switch meets. For a new type, the runtime makes one with a
//     probability of 1/1024 each time (runtime/iface.go, since Go 1.22): a few times in a program's life.
//   - An object of a goroutine that the runtime itself started, such as the timer with which the scavenger sleeps
//     (runtime/mgcscavenge.go). Its calls are all of package runtime, down to runtime.goexit. The calls of a go
//     statement, which may allocate the new goroutine, are also all of package runtime, but they run on the system
//     stack and do not end there.
func byChance(calls []wire.Frame) bool {
	ownGoroutine := len(calls) > 0 && calls[len(calls)-1].Func == "runtime.goexit"
	for _, f := range calls {
		if f.Func == "runtime.buildTypeAssertCache" || f.Func == "runtime.buildInterfaceSwitchCache" {
			return true
		}
		ownGoroutine = ownGoroutine && strings.HasPrefix(f.Func, "runtime.")
	}
	return ownGoroutine
}

// stacks returns the calls of each site with their names.
func (p profile) stacks() []wire.Stack {
	stacks := make([]wire.Stack, 0, len(p))
	for _, r := range p {
		stacks = append(stacks, wire.Stack{Objects: r.objects, Size: r.size, Frames: frames(r.calls[:])})
	}
	return stacks
}

func frames(calls []uintptr) []wire.Frame {
	if end := slices.Index(calls, 0); end >= 0 {
		calls = calls[:end]
	}
	var frames []wire.Frame
	for list, more := runtime.CallersFrames(calls), len(calls) > 0; more; {
		var f runtime.Frame
		f, more = list.Next()
		frames = append(frames, wire.Frame{Func: f.Function, File: f.File, Line: f.Line})
	}
	return frames
}
