package step

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"onthestack/internal/harness/wire"
)

// A snapshot is a message of the recorder: the program's frames and what they reach, after an event.
type snapshot struct {
	event     byte // one of the events of package wire
	goroutine int
	frames    []frame // of all goroutines; frames of one goroutine are in the order of their calls
	globals   []slot
	objects   []object
	cut       bool // there are more objects than the recorder reads
	output    int  // number of pieces that the program had printed before it
}

type frame struct {
	goroutine, id, function, site int
	slots                         []slot
}

// A slot is a variable.
type slot struct {
	variable int
	content
}

// A content is a piece of memory, and the value in it.
type content struct {
	memory span
	typ    int // number of the type
	value  value
}

// A span is a piece of memory.
type span struct {
	at, size uint64
}

// end returns the address after the span. Addresses and sizes are bounded, so it does not overflow.
func (s span) end() uint64 { return s.at + s.size }

// An object is memory that a pointer leads to.
type object struct {
	heap bool // it is in the heap of the recorded program
	content
}

// A value is a decoded value; kind is one of the kinds of package wire.
type value struct {
	kind     byte
	text     string
	at       uint64 // of a pointer and everything that has one; 0 for nil
	len, cap int
	typ      int  // of the value in an interface, 0 for a nil interface
	boxed    bool // an interface points to its value; also: the bytes of a string are in the heap
	names    []string
	elems    []value  // fields, elements, or keys and values by turns
	captures []uint64 // addresses of variables
	literal  int
}

// Bounds on what a recording may say. The recorder's own bounds are lower.
const (
	maxAddress = 1 << 40
	maxLength  = 1 << 40
	maxTypes   = 4096
	maxValues  = 1 << 17 // in a snapshot
)

// A decoder reads the messages of a recording. It checks everything against the program, because the program may have
// sent the messages itself.
type decoder struct {
	program *program
	types   []string
	b       []byte
	values  int // left
	err     error
}

// message decodes one message. It returns nil for a message that declares a type, and the limit for the last message of
// a recording that reached a limit. An error means that the recorder did not write the message.
func (d *decoder) message(text []byte) (s *snapshot, limit byte, err error) {
	d.b, d.err, d.values = text, nil, maxValues
	switch kind := d.byte(); kind {
	case wire.MessageType:
		if len(d.types) == maxTypes || len(d.b) > wire.MaxTypeName {
			d.fail("it declares too many types, or one with too long a name")
		}
		d.types = append(d.types, typeName(d.b))
	case wire.MessageLimit:
		if limit = d.byte(); len(d.b) > 0 || limit != wire.TooLong && limit != wire.TooDeep {
			d.fail("it names an unknown limit")
		}
	case wire.MessageStep:
		if s = d.snapshot(); len(d.b) > 0 {
			d.fail("something follows its end")
		}
	default:
		d.fail("a message begins with %d", kind)
	}
	return s, limit, d.err
}

// fail records the first error. Whatever is read after it is 0.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	d.b = nil
}

// take reads n bytes.
func (d *decoder) take(n int) []byte {
	if n > len(d.b) {
		d.fail("it ends too early")
		return make([]byte, n)
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *decoder) byte() byte { return d.take(1)[0] }

func (d *decoder) flag() bool {
	b := d.byte()
	if b > 1 {
		d.fail("a flag is %d", b)
	}
	return b == 1
}

// number reads a number below most.
func (d *decoder) number(most uint64) uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 || n >= most {
		d.fail("a number is missing or is not below %d", most)
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) int(most int) int { return int(d.number(uint64(most))) }
func (d *decoder) address() uint64  { return d.number(maxAddress) }
func (d *decoder) length() int      { return int(d.number(maxLength)) }

// text reads a text, and replaces what is not UTF-8: the recorder may have cut the text inside a character.
func (d *decoder) text() string {
	return strings.ToValidUTF8(string(d.take(d.int(wire.MaxText+1))), string(utf8.RuneError))
}

// typ reads the number of a type, 0 for none.
func (d *decoder) typ() int { return d.int(len(d.types) + 1) }

func (d *decoder) snapshot() *snapshot {
	s := &snapshot{event: d.byte()}
	if s.event != wire.EventBegan && s.event != wire.EventExecuted && s.event != wire.EventEnded {
		d.fail("an event is %d", s.event)
	}
	s.goroutine = d.int(1 << 30)
	for range d.int(2*wire.MaxFrames + 1) {
		f := frame{
			goroutine: d.int(1 << 30), id: d.int(1 << 30), function: d.int(len(d.program.functions)),
			site: d.int(len(d.program.sites)),
		}
		if d.err == nil && d.program.sites[f.site].function != f.function {
			d.fail("a frame is at a statement of another function")
		}
		f.slots = d.slots(func(v int) bool {
			return v < len(d.program.vars) && d.program.vars[v].function == f.function
		})
		s.frames = append(s.frames, f)
	}
	s.globals = d.slots(func(v int) bool { return v < len(d.program.globals) })
	for d.flag() {
		if len(s.objects) == wire.MaxObjects {
			d.fail("there are too many objects")
		}
		s.objects = append(s.objects, object{d.flag(), d.content()})
	}
	s.cut = d.flag()
	return s
}

func (d *decoder) slots(valid func(variable int) bool) []slot {
	slots := make([]slot, d.int(wire.MaxVars+1))
	for i := range slots {
		slots[i] = slot{d.int(1 << 30), d.content()}
		if d.err == nil && !valid(slots[i].variable) {
			d.fail("a frame has a variable of another function")
		}
	}
	return slots
}

func (d *decoder) content() content {
	return content{span{d.address(), uint64(d.length())}, d.typ(), d.value(wire.MaxDepth)}
}

// value reads a value with at most depth values in values.
func (d *decoder) value(depth int) value {
	v := value{kind: d.byte()}
	if d.values--; d.values < 0 || depth < -1 {
		d.fail("there are too many values")
		return v
	}
	switch v.kind {
	case wire.KindText:
		v.text = d.text()
	case wire.KindPointer:
		v.at = d.address()
	case wire.KindSlice, wire.KindChan:
		v.at, v.len, v.cap = d.address(), d.length(), d.length()
		if v.len > v.cap {
			d.fail("a length is beyond its capacity")
		}
	case wire.KindString:
		v.at, v.len, v.boxed, v.text = d.address(), d.length(), d.flag(), d.text()
	case wire.KindMap:
		v.at, v.len = d.address(), d.length()
	case wire.KindFunc:
		v.at, v.text = d.address(), d.text()
	case wire.KindInterface:
		if v.typ = d.typ(); v.typ == 0 {
			break
		}
		if v.boxed = d.flag(); v.boxed {
			v.at = d.address()
		} else {
			v.elems = d.elems(1, depth)
		}
	case wire.KindStruct:
		n := d.int(wire.MaxElements + 1)
		v.names, v.elems = make([]string, n), make([]value, n)
		for i := range n {
			v.names[i], v.elems[i] = d.text(), d.value(depth-1)
		}
	case wire.KindArray:
		v.len = d.length()
		v.elems = d.elems(d.int(wire.MaxElements+1), depth)
	case wire.KindEntries:
		v.len = d.length()
		v.elems = d.elems(2*d.int(wire.MaxElements+1), depth)
	case wire.KindCaptures:
		v.literal = d.int(max(1, len(d.program.literals)))
		for range d.int(wire.MaxVars + 1) {
			if len(d.program.literals) == 0 {
				d.fail("a closure of no literal captures variables")
			}
			v.captures = append(v.captures, d.address())
		}
	case wire.KindOmitted:
	default:
		d.fail("a value is of kind %d", v.kind)
	}
	return v
}

func (d *decoder) elems(n, depth int) []value {
	elems := make([]value, n)
	for i := range elems {
		elems[i] = d.value(depth - 1)
	}
	return elems
}

// typeName returns the name of a type as the program writes it, without the name of its own package.
func typeName(text []byte) string {
	return ownPackage.ReplaceAllString(strings.ToValidUTF8(string(text), string(utf8.RuneError)), "$1")
}

// ownPackage matches the name of the program's own package, and what stands before it, which is no part of a name.
var ownPackage = regexp.MustCompile(`(^|[^\w./\x{80}-\x{10FFFF}])main\.`)
