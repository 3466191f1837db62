package step

import (
	"cmp"
	"slices"
	"sort"

	"onthestack/internal/harness/wire"
)

// A region is a piece of memory that one variable or one object had during the whole run. The recorder keeps all memory
// that it has seen, so no two of them share an address.
type region struct {
	sighting

	id      int // in the Document
	place   string
	why     string
	line    *measuredLine // the measured line that made it, nil for none
	at      place         // where it was made
	size    int           // as allocated
	counted bool          // it is one of the objects counted on line
	last    int           // the last snapshot in which something leads to it, -1 for none
	typ     string
	value   value // the last one known, and while steps are drawn the last one drawn
}

// A memory is all regions of a run, by address.
type memory []*region

// A sighting is a piece of memory in a snapshot.
type sighting struct {
	memory   span
	first    int  // the snapshot; of a region, the one that has it first
	heap     bool // in the recorded program
	variable int  // the variable whose memory it is, -1 for none
	frame    int  // the frame of the variable
}

// newMemory merges what the snapshots show: pieces that overlap are one region.
func newMemory(p *program, snapshots []*snapshot) memory {
	var all []sighting
	add := func(s sighting) {
		if s.memory.at != 0 && s.memory.size != 0 {
			all = append(all, s)
		}
	}
	var strings func(n int, v value)
	strings = func(n int, v value) {
		if v.kind == wire.KindString && v.boxed {
			add(sighting{span{v.at, uint64(v.len)}, n, true, -1, 0})
		}
		for _, e := range v.elems {
			strings(n, e)
		}
	}
	for n, s := range snapshots {
		for _, f := range s.frames {
			for _, slot := range f.slots {
				v := p.vars[slot.variable]
				if v.role == captured {
					continue // its own function has it, or had it
				}
				add(sighting{slot.memory, n, true, slot.variable, f.id})
				strings(n, slot.value)
			}
		}
		for _, g := range s.globals {
			add(sighting{g.memory, n, false, p.globals[g.variable], 0})
			strings(n, g.value)
		}
		for _, o := range s.objects {
			add(sighting{o.memory, n, o.heap, -1, 0})
			strings(n, o.value)
		}
	}
	slices.SortStableFunc(all, func(a, b sighting) int { return cmp.Compare(a.memory.at, b.memory.at) })
	var m memory
	var c *region
	for _, s := range all {
		if c == nil || s.memory.at >= c.memory.end() {
			c = &region{sighting: s, last: -1}
			m = append(m, c)
			continue
		}
		c.memory.size = max(c.memory.end(), s.memory.end()) - c.memory.at
		c.first = min(c.first, s.first)
		c.heap = c.heap || s.heap
		if s.variable >= 0 && c.variable < 0 {
			c.variable, c.frame = s.variable, s.frame
		}
	}
	return m
}

// find returns the region that an address points into, nil for none.
func (m memory) find(at uint64) *region {
	i := sort.Search(len(m), func(i int) bool { return m[i].memory.end() > at })
	if at == 0 || i == len(m) || m[i].memory.at > at {
		return nil
	}
	return m[i]
}

// targets calls f with each address in a value.
func (v value) targets(f func(at uint64)) {
	if v.at != 0 {
		f(v.at)
	}
	for _, at := range v.captures {
		f(at)
	}
	for _, e := range v.elems {
		e.targets(f)
	}
}

// hidden reports whether a value may lead to more than its targets: it was not read to its end.
func (v value) hidden() bool {
	switch v.kind {
	case wire.KindOmitted:
		return true
	case wire.KindChan:
		return v.len > 0 // what is in its buffer
	case wire.KindArray, wire.KindEntries:
		n := len(v.elems)
		if v.kind == wire.KindEntries {
			n /= 2
		}
		// Numbers lead nowhere.
		if n < v.len && (n == 0 || v.elems[0].kind != wire.KindText || n > 1 && v.elems[1].kind != wire.KindText) {
			return true
		}
	case wire.KindStruct:
		if len(v.elems) == wire.MaxElements {
			return true
		}
	}
	return slices.ContainsFunc(v.elems, value.hidden)
}
