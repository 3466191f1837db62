package testmain

import (
	"runtime"
	"slices"

	"onthestack/internal/harness/wire"
)

// A site is what tells one record of the memory profile from another: a stack of calls, innermost first, and the size of the
// objects that were allocated with it. Stacks that differ beyond the 32nd call are one.
type site struct {
	calls [32]uintptr
	size  int64 // bytes
}

// A record counts the objects that were allocated at a site.
type record struct {
	site
	objects int64
}

// A profile lists sites in the runtime's order: the one that came last comes first.
type profile []record

// read returns all allocations that were recorded so far. The runtime publishes them when garbage is collected, so that has to
// come before. Nothing is to be recorded meanwhile: what read allocates is not the benchmark's.
func read() profile {
	var published []runtime.MemProfileRecord
	for n, ok := runtime.MemProfile(nil, true); !ok; {
		published = make([]runtime.MemProfileRecord, n)
		n, ok = runtime.MemProfile(published, true)
	}
	p := make(profile, 0, len(published))
	for _, r := range published {
		if r.AllocObjects > 0 {
			p = append(p, record{site{r.Stack0, r.AllocBytes / r.AllocObjects}, r.AllocObjects})
		}
	}
	return p
}

// minus returns p without what is in q too. It may list sites with less than nothing.
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

// bytes is the size of all objects together.
func (p profile) bytes() (sum int64) {
	for _, r := range p {
		sum += r.objects * r.size
	}
	return sum
}

// stacks spells out the calls of each site.
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
