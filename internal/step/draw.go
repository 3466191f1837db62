package step

import (
	"cmp"
	"slices"

	"onthestack/internal/harness/wire"
)

// Bounds on all steps of a Document together: their variables and objects, and their values and text, which a page has
// to fetch.
const (
	maxDrawn = 100_000
	maxBytes = 8 << 20
)

// bytesOfValue is about how many bytes an empty value has in JSON, and as many has each variable that it captures.
const bytesOfValue = 40

// draws adds something with a value to what is drawn, and the bytes that its texts have in JSON. To encode it for that
// would take as long as to encode it for the page.
func (j *joiner) draws(texts ...string) {
	j.drawn++
	for _, text := range texts {
		j.bytes += len(text)
	}
}

// number gives ids to the objects in the order in which they appear, and then to the variables in frames.
func (j *joiner) number() {
	type numbered struct {
		kind, first int // variables in frames are of kind 1, after the objects
		id          *int
	}
	var all []numbered
	for _, c := range j.memory {
		switch {
		case c.place == OnHeap || c.variable < 0 && c.place != Static:
			all = append(all, numbered{0, c.first, &c.id})
		case c.variable >= 0:
			all = append(all, numbered{1, c.first, &c.id})
		}
	}
	for _, u := range j.unseen {
		all = append(all, numbered{0, u.from, &u.id})
	}
	slices.SortStableFunc(all, func(a, b numbered) int {
		return cmp.Or(a.kind-b.kind, a.first-b.first)
	})
	for i, n := range all {
		*n.id = i + 1
	}
}

var events = map[byte]string{wire.EventBegan: Called, wire.EventExecuted: Executed, wire.EventEnded: Returned}

// step draws one snapshot. It is called for each in turn: an object that a snapshot does not show keeps its value.
func (j *joiner) step(n int, s *snapshot) Step {
	out := Step{
		Event: events[s.event], Goroutine: s.goroutine, Cut: s.cut,
		Stack: make([]Frame, 0, len(s.frames)), Heap: make([]Object, 0, len(s.objects)),
	}
	for _, f := range s.frames {
		site := j.program.sites[f.site]
		shown := j.shown(s, f)
		frame := Frame{
			ID: f.id, Goroutine: f.goroutine, Function: f.function, File: site.place.file, Line: site.place.line,
			Inlined: j.frames[f.id], Slots: make([]Slot, 0, len(shown)),
		}
		for _, v := range shown {
			frame.Slots = append(frame.Slots, j.slot(v, v.variable))
		}
		j.draws(frame.File)
		out.Stack = append(out.Stack, frame)
		if f.goroutine == s.goroutine {
			out.File, out.Line = frame.File, frame.Line
		}
	}
	for _, g := range s.globals {
		out.Globals = append(out.Globals, j.slot(g, j.program.globals[g.variable]))
	}
	j.updateValues(s)
	j.addObjects(&out, n, s)
	for _, u := range j.unseen {
		if u.from > n {
			continue
		}
		j.draws(u.line.File, u.line.Reason)
		j.bytes += bytesOfValue
		out.Heap = append(out.Heap, Object{
			ID: u.id, File: u.line.File, Line: u.line.Line, Bytes: u.size * u.count, Count: u.count, Place: OnHeap,
			Reason: u.line.Reason, Unseen: true, Undated: u.undated, Value: Value{Kind: "unknown"},
		})
	}
	for _, o := range out.Heap {
		out.Allocs, out.Bytes = out.Allocs+o.Count, out.Bytes+o.Bytes
	}
	byID := func(a, b Object) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(out.Heap, byID)
	slices.SortFunc(out.Elsewhere, byID)
	return out
}

// updateValues sets the values of the regions that a snapshot has.
func (j *joiner) updateValues(s *snapshot) {
	now := make(map[*region]value, len(s.objects))
	types := make(map[*region]int, len(s.objects))
	see := func(at content) {
		if c := j.memory.find(at.memory.at); c != nil && (at.memory == c.memory || types[c] == 0) {
			now[c], types[c] = at.value, at.typ
		}
	}
	for _, o := range s.objects {
		see(o.content)
	}
	for _, f := range s.frames {
		for _, v := range f.slots {
			see(v.content)
		}
	}
	for c, v := range now {
		c.value = v
	}
}

// addObjects adds the objects of step n to out.
func (j *joiner) addObjects(out *Step, n int, s *snapshot) {
	// A variable whose frame has ended can be reached if its function was inlined: the caller's frame has it.
	live := map[int]bool{}
	for _, f := range s.frames {
		live[f.id] = true
	}
	for _, c := range j.memory {
		garbage := c.last < n
		if c.first > n || c.id == 0 || c.place != OnHeap &&
			(garbage || c.variable >= 0 && (live[c.frame] || c.place == Static)) {
			continue
		}
		o := Object{
			ID: c.id, File: c.at.file, Line: c.at.line, Type: c.typ, Bytes: c.size, Count: 1, Place: c.place,
			Reason: c.why, Garbage: garbage,
		}
		if c.variable >= 0 {
			o.Name = j.program.vars[c.variable].name
		}
		o.Value = j.value(c.value)
		if o.Value.Kind == "" || o.Value.Kind == "unknown" && c.typ == "" {
			o.Type, o.Value.Kind = cmp.Or(o.Type, "string data"), "unknown"
		}
		j.draws(o.Name, o.File, o.Type, o.Reason)
		if c.place == OnHeap {
			out.Heap = append(out.Heap, o)
		} else {
			out.Elsewhere = append(out.Elsewhere, o)
		}
	}
}

func (j *joiner) slot(v slot, variable int) Slot {
	declared := j.program.vars[variable]
	s := Slot{
		Name: declared.name, Role: string(declared.role), Type: j.typeName(v.typ), Bytes: int(v.memory.size),
		Place: NotKnown, Value: j.value(v.value),
	}
	c := j.memory.find(v.memory.at)
	switch {
	case c != nil:
		s.ID, s.Place, s.Reason = c.id, c.place, c.why
	case s.Bytes == 0:
		s.Place, s.Reason = OnStack, "it has no size"
	}
	j.draws(s.Name, s.Type, s.Reason)
	return s
}

// value draws a value.
func (j *joiner) value(v value) Value {
	out := Value{Kind: kindNames[v.kind], Text: v.text, Len: v.len, Cap: v.cap, Names: v.names}
	switch v.kind {
	case wire.KindPointer, wire.KindSlice, wire.KindMap, wire.KindChan, wire.KindFunc:
		out.Nil = v.at == 0
		out.To = j.target(v.at)
	case wire.KindString:
		if v.len > 0 {
			out.To = j.target(v.at)
		}
	case wire.KindInterface:
		out.Nil = v.typ == 0
		out.Type = j.typeName(v.typ)
		out.To = j.target(v.at)
	case wire.KindCaptures:
		for i, at := range v.captures {
			if t := j.target(at); t != nil {
				out.Captures = append(out.Captures, *t)
			}
			if i < len(j.program.literals[v.literal]) {
				captured := j.program.literals[v.literal][i]
				out.Names = append(out.Names, j.program.vars[captured].name)
				out.By = append(out.By, j.report.captures(captured))
			}
		}
	}
	if len(v.elems) > 0 {
		out.Elems = make([]Value, len(v.elems))
	}
	for i, e := range v.elems {
		out.Elems[i] = j.value(e)
	}
	j.bytes += bytesOfValue*(1+len(out.Captures)) + len(out.Text) + len(out.Type)
	for _, name := range out.Names {
		j.bytes += len(name)
	}
	return out
}

// target returns where an address leads, nil for address 0.
func (j *joiner) target(at uint64) *Target {
	if at == 0 {
		return nil
	}
	c := j.memory.find(at)
	if c == nil || c.id == 0 {
		return &Target{}
	}
	return &Target{c.id, int(at - c.memory.at)}
}

// end adds the last step, in which the program is over.
func (j *joiner) end(d *Document, output string) {
	last := Step{Event: Ended, Stack: []Frame{}, Heap: []Object{}}
	if n := len(d.Steps); n > 0 {
		previous := d.Steps[n-1]
		last = previous
		last.Event = Ended
		if d.End.Kind == EndReturned || previous.Event == Returned && len(previous.Stack) == 1 {
			last.Stack, last.Elsewhere = []Frame{}, nil
		}
	}
	last.Output = output
	d.Steps = append(d.Steps, last)
}
