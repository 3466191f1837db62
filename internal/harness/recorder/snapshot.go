package recorder

import (
	"cmp"
	"encoding/binary"
	"reflect"
	"slices"
	"unicode/utf8"
	"unsafe"

	"onthestack/internal/harness/wire"
)

func (f Frame) snapshot(event byte) {
	if f == 0 || !enabled {
		return
	}
	if steps == wire.MaxSteps {
		end(wire.TooLong)
	}
	steps++
	s := snapshot{message[:0], pending[:0]}
	s.byte(wire.MessageStep)
	s.byte(event)
	s.int(calls[f-1].goroutine)
	var stacks []*frame
	for _, g := range goroutines {
		stacks = append(stacks, g.stack[max(0, len(g.stack)-wire.MaxFrames):]...)
	}
	if len(stacks) > 2*wire.MaxFrames {
		stacks = stacks[:2*wire.MaxFrames]
	}
	s.int(len(stacks))
	for _, f := range stacks {
		s.int(f.goroutine)
		s.int(int(f.id))
		s.int(f.function)
		s.int(f.line)
		s.vars(f.vars)
	}
	s.vars(globals)
	s.objects()
	send(s.b)
	message, pending = s.b, s.pending
}

// The memory of the last snapshot, which the next one uses again.
var (
	message []byte
	pending []object
)

// A snapshot is a message under construction.
type snapshot struct {
	b       []byte
	pending []object
}

// An object is memory that a pointer leads to.
type object struct {
	at    unsafe.Pointer
	typ   reflect.Type
	count int // of elements, for the array of a slice; or one, or referred
	next  int // the next object at this address: its index in pending, plus one; 0 for none
}

const (
	one      = -1 // a value of type typ
	referred = -2 // what a map, a channel or a func of type typ refers to
)

//go:noinline
func (s *snapshot) byte(b byte) { s.b = append(s.b, b) }

//go:noinline
func (s *snapshot) int(n int) { s.b = binary.AppendUvarint(s.b, uint64(max(n, 0))) }

//go:noinline
func (s *snapshot) text(t string) { s.int(len(t)); s.b = append(s.b, t...) }

//go:noinline
func (s *snapshot) address(p unsafe.Pointer) { s.b = binary.AppendUvarint(s.b, uint64(uintptr(p))) }

// typeNumber appends the number of a type, from 1 on, and declares the type before the message if it is new.
//
//go:noinline
func (s *snapshot) typeNumber(known *knownType) {
	if known.number == 0 {
		declared++
		known.number = declared
		send(append([]byte{wire.MessageType}, known.name...))
	}
	s.int(known.number)
}

// cut returns at most max bytes of a text, without the beginning of a character that does not fit.
func cut(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for n := max; n > max-utf8.UTFMax; n-- {
		if utf8.RuneStart(text[n]) {
			return text[:n]
		}
	}
	return text[:max] // it is not UTF-8
}

func (s *snapshot) vars(vars []variable) {
	vars = vars[:min(len(vars), wire.MaxVars)]
	s.int(len(vars))
	for i := range vars {
		v := &vars[i]
		s.int(v.id)
		s.address(v.at)
		s.int(v.size)
		s.typeNumber(v.typ)
		s.value(v.v, 0)
	}
}

// target appends an address, and has the object there be part of the snapshot.
//
//go:noinline
func (s *snapshot) target(p unsafe.Pointer, t reflect.Type, count int) {
	s.address(p)
	if p == nil || len(s.pending) >= wire.MaxObjects {
		return
	}
	r := keep(p)
	if r.step != steps {
		*r = reference{step: steps}
	}
	for i := r.first; i > 0; i = s.pending[i-1].next {
		if o := &s.pending[i-1]; o.typ == t && o.count == count {
			return
		}
	}
	s.pending = append(s.pending, object{p, t, count, r.first})
	r.first = len(s.pending)
}

// objects appends the pending objects, and all objects that they reach.
func (s *snapshot) objects() {
	for i := 0; i < len(s.pending); i++ {
		o := s.pending[i]
		s.byte(1)
		s.onHeap(o.at)
		s.address(o.at)
		switch kind := o.typ.Kind(); {
		case o.count == referred && kind == reflect.Func:
			s.closure(o)
		case o.count == referred && kind == reflect.Map:
			s.entries(o)
		case o.count == referred:
			s.channel(o)
		case o.count >= 0:
			s.array(o)
		default:
			s.object(o.at, o.typ)
		}
	}
	s.byte(0)
	cut := byte(0)
	if len(s.pending) >= wire.MaxObjects {
		cut = 1
	}
	s.byte(cut)
}

// object appends the size, the type and the value of an object.
//
//go:noinline
func (s *snapshot) object(at unsafe.Pointer, t reflect.Type) {
	s.int(int(t.Size()))
	s.typeNumber(lookup(t))
	s.value(reflect.NewAt(t, at).Elem(), 0)
}

// array appends the array of a slice.
//
//go:noinline
func (s *snapshot) array(o object) {
	size := int(o.typ.Size())
	n := min(o.count, wire.MaxElements)
	s.int(o.count * size)
	s.typeNumber(lookup(o.typ).array(o.count))
	s.byte(wire.KindArray)
	s.int(o.count)
	s.int(n)
	for i := range n {
		s.value(reflect.NewAt(o.typ, unsafe.Add(o.at, i*size)).Elem(), 1)
	}
}

//go:noinline
func (s *snapshot) closure(o object) {
	c := literals[o.at] // of an unknown function, the zero value
	size := 0
	if len(c.captures) > 0 {
		size = 8 * (1 + len(c.captures)) // at least: a variable that is captured by value may be larger
	}
	s.int(size)
	s.typeNumber(lookup(o.typ))
	s.byte(wire.KindCaptures)
	s.int(c.id)
	s.int(len(c.captures))
	for _, p := range c.captures {
		s.address(p)
	}
}

//go:noinline
func (s *snapshot) entries(o object) {
	m := reflect.NewAt(o.typ, unsafe.Pointer(&o.at)).Elem()
	s.int(sizeOfMap)
	s.typeNumber(lookup(o.typ))
	s.byte(wire.KindEntries)
	s.int(m.Len())
	s.int(min(m.Len(), wire.MaxElements))
	for _, e := range firstEntries(m) {
		s.value(e.key, 1)
		s.value(e.value, 1)
	}
}

//go:noinline
func (s *snapshot) channel(o object) {
	c := reflect.NewAt(o.typ, unsafe.Pointer(&o.at)).Elem()
	s.int(sizeOfChan)
	s.typeNumber(lookup(o.typ))
	s.byte(wire.KindArray) // what is in its buffer cannot be read
	s.int(c.Len())
	s.int(0)
}

// sizeOfMap is the size of a map without its tables: Map in internal/runtime/maps/map.go.
const sizeOfMap = 48

// sizeOfChan is the size of a channel without its buffer, at least: hchan in runtime/chan.go.
const sizeOfChan = 96

// maxSorted bounds the entries of a map that is read in the order of its keys.
const maxSorted = 1000

type entry struct{ key, value reflect.Value }

// firstEntries returns the first entries of a map in the order of their keys, so that a map is drawn in the same way in
// each snapshot. If the map is large or its keys have no order, the entries are in the map's own order.
func firstEntries(m reflect.Value) []entry {
	entries := make([]entry, 0, min(m.Len(), maxSorted))
	for iter := m.MapRange(); len(entries) < maxSorted && iter.Next(); {
		entries = append(entries, entry{iter.Key(), iter.Value()})
	}
	if len(entries) > 1 && m.Len() <= maxSorted {
		slices.SortStableFunc(entries, compare)
	}
	return entries[:min(len(entries), wire.MaxElements)]
}

func compare(x, y entry) int {
	a, b := x.key, y.key
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	case a.Kind() == reflect.String:
		return cmp.Compare(a.String(), b.String())
	}
	return 0
}

// findObject returns the address of the object of the heap that p points into, 0 if p points elsewhere. The signature
// is fixed, because widely used packages link to the function, which runtime/mbitmap.go lists.
//
//go:linkname findObject runtime.findObject
func findObject(p, refBase, refOff uintptr) (base uintptr, span unsafe.Pointer, index uintptr)
