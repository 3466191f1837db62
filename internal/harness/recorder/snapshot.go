package recorder

import (
	"cmp"
	"encoding/binary"
	"reflect"
	"slices"
	"unsafe"

	"onthestack/internal/harness/recording"
)

func (f Frame) snapshot(event byte) {
	if f == 0 || !enabled {
		return
	}
	if steps == recording.MaxSteps {
		end(recording.TooLong)
	}
	steps++
	s := snapshot{seen: map[object]bool{}}
	s.byte(recording.Step)
	s.byte(event)
	s.int(calls[f-1].goroutine)
	var stacks []*frame
	for _, g := range goroutines {
		stacks = append(stacks, g.stack[max(0, len(g.stack)-recording.MaxFrames):]...)
	}
	if len(stacks) > 2*recording.MaxFrames {
		stacks = stacks[:2*recording.MaxFrames]
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
}

// A snapshot is a message under construction.
type snapshot struct {
	b       []byte
	pending []object
	seen    map[object]bool
}

// An object is memory that a pointer leads to.
type object struct {
	at    unsafe.Pointer
	typ   reflect.Type
	count int // of elements, for the array of a slice; or one, or referred
}

const (
	one      = -1 // a value of type typ
	referred = -2 // what a map, a channel or a func of type typ refers to
)

func (s *snapshot) byte(b byte)   { s.b = append(s.b, b) }
func (s *snapshot) int(n int)     { s.b = binary.AppendUvarint(s.b, uint64(max(n, 0))) }
func (s *snapshot) text(t string) { s.int(len(t)); s.b = append(s.b, t...) }

func (s *snapshot) address(p unsafe.Pointer) { s.b = binary.AppendUvarint(s.b, uint64(uintptr(p))) }

// typeOf appends the number of a type, from 1 on, and declares the type before the message if it is new.
func (s *snapshot) typeOf(t reflect.Type) {
	n, known := types[t]
	if !known {
		n = len(types) + 1
		types[t] = n
		send(append([]byte{recording.Type}, cut(t.String(), 200)...))
	}
	s.int(n)
}

func cut(text string, most int) string { return text[:min(len(text), most)] }

func (s *snapshot) vars(vars []variable) {
	vars = vars[:min(len(vars), recording.MaxVars)]
	s.int(len(vars))
	for _, v := range vars {
		s.int(v.id)
		s.address(v.at.Addr().UnsafePointer())
		s.int(int(v.at.Type().Size()))
		s.typeOf(v.at.Type())
		s.value(v.at, 0)
	}
}

// reach appends an address, and has the object there be part of the snapshot.
func (s *snapshot) reach(p unsafe.Pointer, t reflect.Type, count int) {
	s.address(p)
	o := object{p, t, count}
	if p == nil || s.seen[o] || len(s.seen) >= recording.MaxObjects {
		return
	}
	s.seen[o] = true
	kept[p] = true
	s.pending = append(s.pending, o)
}

// objects appends the objects, and those that they reach.
func (s *snapshot) objects() {
	for i := 0; i < len(s.pending); i++ {
		o := s.pending[i]
		s.byte(1)
		s.address(o.at)
		base, _, _ := findObject(uintptr(o.at), 0, 0)
		heap := byte(0)
		if base != 0 {
			heap = 1
		}
		s.byte(heap)
		switch c, literal := literals[o.at]; {
		case o.count == referred && o.typ.Kind() == reflect.Func:
			s.int(s.sizeOfClosure(c))
			s.typeOf(o.typ)
			s.byte(recording.Captures)
			s.int(c.id)
			if !literal {
				s.int(0)
				break
			}
			s.int(len(c.captures))
			for _, v := range c.captures {
				s.address(v.Addr().UnsafePointer())
			}
		case o.count == referred && o.typ.Kind() == reflect.Map:
			s.int(48)
			s.typeOf(o.typ)
			m := reflect.NewAt(o.typ, unsafe.Pointer(&o.at)).Elem()
			s.byte(recording.Entries)
			s.int(m.Len())
			s.int(min(m.Len(), recording.MaxElements))
			for _, key := range firstKeys(m) {
				s.value(key, 1)
				s.value(m.MapIndex(key), 1)
			}
		case o.count == referred:
			c := reflect.NewAt(o.typ, unsafe.Pointer(&o.at)).Elem()
			s.int(sizeOfChan)
			s.typeOf(o.typ)
			s.byte(recording.Array) // what is in its buffer cannot be read
			s.int(c.Len())
			s.int(0)
		case o.count >= 0:
			t := reflect.ArrayOf(o.count, o.typ)
			s.int(int(t.Size()))
			s.typeOf(t)
			s.value(reflect.NewAt(t, o.at).Elem(), 0)
		default:
			s.int(int(o.typ.Size()))
			s.typeOf(o.typ)
			s.value(reflect.NewAt(o.typ, o.at).Elem(), 0)
		}
	}
	s.byte(0)
	cut := byte(0)
	if len(s.seen) >= recording.MaxObjects {
		cut = 1
	}
	s.byte(cut)
}

// sizeOfChan is the size of a channel without its buffer, at least: hchan in runtime/chan.go.
const sizeOfChan = 96

// mostSorted bounds the entries of a map that is read in the order of its keys.
const mostSorted = 1000

// firstKeys returns the first keys of a map in their order, so that a map is drawn in the same way in each snapshot.
// The keys of a large map, and those without an order, are in the map's own order.
func firstKeys(m reflect.Value) []reflect.Value {
	keys := make([]reflect.Value, 0, min(m.Len(), mostSorted))
	for iter := m.MapRange(); len(keys) < mostSorted && iter.Next(); {
		keys = append(keys, iter.Key())
	}
	if m.Len() <= mostSorted {
		slices.SortStableFunc(keys, compare)
	}
	return keys[:min(len(keys), recording.MaxElements)]
}

func compare(a, b reflect.Value) int {
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

func (*snapshot) sizeOfClosure(c closure) int {
	if len(c.captures) == 0 {
		return 0
	}
	return 8 * (1 + len(c.captures)) // at least: a variable that is captured by value may be larger
}

// findObject returns the address of the object of the heap that p points into, 0 if p points elsewhere. The signature
// is fixed, because widely used packages link to the function.
//
//go:linkname findObject runtime.findObject
func findObject(p, refBase, refOff uintptr) (base uintptr, span unsafe.Pointer, index uintptr)
