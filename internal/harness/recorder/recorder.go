// Package recorder is added to a program that package step has rewritten. The program tells it which function began or
// ended, which line it executes and where its variables are. After each statement the recorder sends the host a
// snapshot: the frames of all goroutines with their variables, and every object that these reach.
//
// The rewritten program runs as WebAssembly on one thread, and the recorder never waits, so it has no locks. It keeps
// every variable and every object that it has seen, so that the memory of one is never used again for another: an
// address is an identity.
package recorder

import (
	"cmp"
	"encoding/binary"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// The words that begin a message.
const (
	Type  = 'T' // declares the next type: its name
	Step  = 'S' // a snapshot
	Limit = 'L' // a limit is reached, and the program ends: TooLong or TooDeep
)

// The limits that end a recording.
const (
	TooLong = 's' // MaxSteps
	TooDeep = 'd' // MaxCalls
)

// The events at which a snapshot is made.
const (
	Began    = 'b' // a function has begun
	Executed = 'x' // a statement has been executed
	Ended    = 'e' // a function has ended
)

// The kinds of a value.
const (
	Text      = 't' // a number, a bool: its text
	Pointer   = 'p' // an address, 0 for nil
	Slice     = 's' // address, length, capacity
	String    = 'g' // address, length, its first bytes
	Map       = 'm' // address, length
	Chan      = 'c' // address, length, capacity
	Func      = 'f' // address, name
	Interface = 'i' // the type in it (0 for nil), whether the value is in a box, and the box's address or the value
	Struct    = 'r' // its fields: name and value
	Array     = 'a' // its length and its first elements
	Entries   = 'e' // of a map: its length, and its first keys and values
	Captures  = 'k' // of a closure: its literal, and the variables that it captures
	Omitted   = 'o' // not read: nested too deep, or of a kind that cannot be followed
)

// Bounds of a recording. The host has bounds of its own, because the program might send anything.
const (
	MaxSteps    = 1000
	MaxCalls    = 100 // nested, of a goroutine: finding the goroutine takes the longer the deeper its stack is
	MaxObjects  = 150 // in a snapshot
	MaxElements = 16  // of an array, a struct or a map
	MaxDepth    = 4   // of values in values
	MaxText     = 80  // bytes of a text
	MaxFrames   = 40  // in a snapshot
	MaxVars     = 40  // of a frame
)

// A Frame is the number of a call of a function of the program, or 0 if the call began before the first step or after
// the last one.
//
// It is no struct, and its methods are not inlined. Otherwise the compiler would load the types that they use for each
// program that is rewritten, with all of package reflect's, which takes as long as compiling a small program.
type Frame int

// A frame is what is known of a call.
type frame struct {
	id             Frame
	function, line int
	goroutine      int
	vars           []variable
}

type variable struct {
	id int
	at reflect.Value // addressable
}

var (
	enabled    bool
	steps      int
	calls      []*frame     // all frames, by number - 1
	goroutines []*goroutine // in the order in which they began
	globals    []variable
	types      = map[reflect.Type]int{}
	kept       = map[unsafe.Pointer]bool{}
	literals   = map[unsafe.Pointer]closure{}
)

type goroutine struct {
	id    int
	stack []*frame
}

type closure struct {
	id       int
	captures []reflect.Value
}

// Main enables the recorder, when main begins. The variables are those of the package.
func Main(vars ...any) {
	if enabled {
		return
	}
	pointers = vars
	for i, v := range vars {
		globals = append(globals, variable{i, keep(v)})
	}
	enabled = true
}

// The initialization of the package: the pointers to its variables, and the frame of the function that initializes
// them, 0 before and after.
var (
	pointers     []any
	initializing Frame
)

// Begin enables the recorder before the package's variables are initialized, in the function with that number; a number
// below 0 says that no code initializes any. The result is of no use: a variable can be initialized with it.
func Begin(vars interface{ Pointers() []any }, function, line int) bool {
	Main(vars.Pointers()...)
	if function >= 0 {
		initializing = Enter(function, line)
		initializing.Began()
	}
	return true
}

// Initializes tells that the initializer with that number begins, and returns the number.
func Initializes(line int) int {
	if initializing != 0 {
		initializing.Line(line)
	}
	return line
}

// Calls is like Initializes, and returns the function that the initializer calls.
func Calls[F any](line int, f F) F {
	Initializes(line)
	return f
}

// Value stores v in a variable of the package that is about to be initialized with it, makes a snapshot, and returns v.
// The variable is numbered as those of Main; -1 stands for a blank one.
func Value[T any](line, variable int, v T) T {
	Store(variable, v)
	Stored(line)
	return v
}

// Store is the first part of Value, for an initializer with several values.
func Store[T any](variable int, v T) {
	if initializing != 0 && variable >= 0 {
		if p, ok := pointers[variable].(*T); ok {
			*p = v
		}
	}
}

// Stored is the second part of Value.
func Stored(line int) {
	if initializing != 0 {
		initializing.At(line)
	}
}

// Initialized tells that all variables of the package are initialized.
func Initialized() {
	initializing.Exit(0)
	initializing = 0
}

// Enter begins a frame of the function with that number.
//
//go:noinline
func Enter(function, line int) Frame {
	if !enabled {
		return 0
	}
	f := &frame{id: Frame(len(calls) + 1), function: function, line: line, goroutine: goroutineID()}
	calls = append(calls, f)
	g := find(f.goroutine)
	if g == nil {
		g = &goroutine{id: f.goroutine}
		goroutines = append(goroutines, g)
	}
	g.stack = append(g.stack, f)
	if len(g.stack) > MaxCalls {
		end(TooDeep)
	}
	return f.id
}

func find(id int) *goroutine {
	for _, g := range goroutines {
		if g.id == id {
			return g
		}
	}
	return nil
}

// goroutineID returns the number of the goroutine that runs: its stack trace begins with "goroutine 7 [running]".
func goroutineID() int {
	var text [40]byte
	n := runtime.Stack(text[:], false)
	word, _, _ := strings.Cut(strings.TrimPrefix(string(text[:n]), "goroutine "), " ")
	id, _ := strconv.Atoi(word)
	return id
}

// keep returns the variable that pointer points to, and keeps it from being freed.
func keep(pointer any) reflect.Value {
	v := reflect.ValueOf(pointer)
	kept[v.UnsafePointer()] = true
	return v.Elem()
}

// Var tells where the variable with that number is now.
//
//go:noinline
func (f Frame) Var(id int, pointer any) {
	if f != 0 {
		calls[f-1].tell(id, pointer)
	}
}

func (f *frame) tell(id int, pointer any) {
	at := keep(pointer)
	for i := range f.vars {
		if f.vars[i].id == id {
			f.vars[i].at = at
			return
		}
	}
	f.vars = append(f.vars, variable{id, at})
}

// Line tells that the statement with that number begins.
//
//go:noinline
func (f Frame) Line(line int) {
	if f != 0 {
		calls[f-1].line = line
	}
}

// Began makes a snapshot at the beginning of the function, when its parameters are known.
//
//go:noinline
func (f Frame) Began() { f.snapshot(Began) }

// At tells that the statement with that number has been executed, and makes a snapshot.
//
//go:noinline
func (f Frame) At(line int) {
	f.Line(line)
	f.snapshot(Executed)
}

// Exit makes a snapshot at the end of the function, and ends the frame. The results that the function does not name are
// numbered from first on.
//
//go:noinline
func (f Frame) Exit(first int, results ...any) {
	if f == 0 {
		return
	}
	for i, r := range results {
		f.Var(first+i, r)
	}
	f.snapshot(Ended)
	g := find(calls[f-1].goroutine)
	for i := len(g.stack) - 1; i >= 0; i-- {
		if g.stack[i].id == f {
			g.stack = g.stack[:i]
			break
		}
	}
	if len(g.stack) > 0 {
		return
	}
	for i := range goroutines {
		if goroutines[i] == g {
			goroutines = append(goroutines[:i:i], goroutines[i+1:]...)
			break
		}
	}
}

// Closure returns f, a function literal, and remembers which variables it captures.
func Closure[F any](id int, f F, captures ...any) F {
	remember(id, *(*unsafe.Pointer)(unsafe.Pointer(&f)), captures)
	return f
}

//go:noinline
func remember(id int, literal unsafe.Pointer, captures []any) {
	c := closure{id: id}
	for _, pointer := range captures {
		c.captures = append(c.captures, keep(pointer))
	}
	literals[literal] = c
}

// end ends the program at a limit of the recording.
func end(limit byte) {
	enabled = false
	send([]byte{Limit, limit})
	os.Exit(0)
}

func (f Frame) snapshot(event byte) {
	if f == 0 || !enabled {
		return
	}
	if steps == MaxSteps {
		end(TooLong)
	}
	steps++
	s := snapshot{seen: map[object]bool{}}
	s.byte(Step)
	s.byte(event)
	s.int(calls[f-1].goroutine)
	var stacks []*frame
	for _, g := range goroutines {
		stacks = append(stacks, g.stack[max(0, len(g.stack)-MaxFrames):]...)
	}
	if len(stacks) > 2*MaxFrames {
		stacks = stacks[:2*MaxFrames]
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
		send(append([]byte{Type}, cut(t.String(), 200)...))
	}
	s.int(n)
}

func cut(text string, most int) string { return text[:min(len(text), most)] }

func (s *snapshot) vars(vars []variable) {
	vars = vars[:min(len(vars), MaxVars)]
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
	if p == nil || s.seen[o] || len(s.seen) >= MaxObjects {
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
			s.byte(Captures)
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
			s.byte(Entries)
			s.int(m.Len())
			s.int(min(m.Len(), MaxElements))
			for _, key := range firstKeys(m) {
				s.value(key, 1)
				s.value(m.MapIndex(key), 1)
			}
		case o.count == referred:
			c := reflect.NewAt(o.typ, unsafe.Pointer(&o.at)).Elem()
			s.int(sizeOfChan)
			s.typeOf(o.typ)
			s.byte(Array) // what is in its buffer cannot be read
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
	if len(s.seen) >= MaxObjects {
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
	return keys[:min(len(keys), MaxElements)]
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

// value appends a value. Fields that are not exported are read too, so the value is never asked for its interface.
func (s *snapshot) value(v reflect.Value, depth int) {
	if depth > MaxDepth {
		s.byte(Omitted)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		s.scalar(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.scalar(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s.scalar(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32:
		s.scalar(strconv.FormatFloat(v.Float(), 'g', -1, 32))
	case reflect.Float64:
		s.scalar(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Complex64, reflect.Complex128:
		s.scalar(strconv.FormatComplex(v.Complex(), 'g', -1, 128))
	case reflect.String:
		text := v.String()
		s.byte(String)
		s.address(unsafe.Pointer(unsafe.StringData(text)))
		s.int(len(text))
		if base, _, _ := findObject(uintptr(unsafe.Pointer(unsafe.StringData(text))), 0, 0); base != 0 {
			s.byte(1)
		} else {
			s.byte(0)
		}
		s.text(cut(text, MaxText))
		if len(text) > 0 {
			kept[unsafe.Pointer(unsafe.StringData(text))] = true
		}
	case reflect.Pointer:
		s.byte(Pointer)
		s.reach(v.UnsafePointer(), v.Type().Elem(), one)
	case reflect.Slice:
		s.byte(Slice)
		s.reach(v.UnsafePointer(), v.Type().Elem(), v.Cap())
		s.int(v.Len())
		s.int(v.Cap())
	case reflect.Map:
		s.byte(Map)
		s.reach(v.UnsafePointer(), v.Type(), referred)
		s.int(v.Len())
	case reflect.Chan:
		s.byte(Chan)
		s.reach(v.UnsafePointer(), v.Type(), referred)
		s.int(v.Len())
		s.int(v.Cap())
	case reflect.Func:
		s.function(v)
	case reflect.Interface:
		s.dynamic(v, depth)
	case reflect.Struct:
		n := min(v.NumField(), MaxElements)
		s.byte(Struct)
		s.int(n)
		for i := range n {
			s.text(cut(v.Type().Field(i).Name, MaxText))
			s.value(v.Field(i), depth+1)
		}
	case reflect.Array:
		n := min(v.Len(), MaxElements)
		s.byte(Array)
		s.int(v.Len())
		s.int(n)
		for i := range n {
			s.value(v.Index(i), depth+1)
		}
	default:
		s.byte(Omitted)
	}
}

func (s *snapshot) scalar(text string) {
	s.byte(Text)
	s.text(cut(text, MaxText))
}

// function appends a function value: a pointer to a closure, whose first word is the address of the code.
func (s *snapshot) function(v reflect.Value) {
	s.byte(Func)
	if v.IsNil() {
		s.address(nil)
		s.text("")
		return
	}
	var word unsafe.Pointer
	if v.CanAddr() {
		word = *(*unsafe.Pointer)(v.Addr().UnsafePointer())
	}
	s.reach(word, v.Type(), referred)
	name := ""
	if code := runtime.FuncForPC(v.Pointer()); code != nil {
		name = code.Name()
	}
	s.text(cut(name, MaxText))
}

// dynamic appends an interface: its type word, and its data word, which is a pointer to a box unless the value itself
// is a single pointer.
func (s *snapshot) dynamic(v reflect.Value, depth int) {
	s.byte(Interface)
	if v.IsNil() {
		s.int(0)
		return
	}
	e := v.Elem()
	s.typeOf(e.Type())
	if v.CanAddr() && !direct(e.Type()) {
		s.byte(1)
		word := (*[2]unsafe.Pointer)(v.Addr().UnsafePointer())[1]
		s.reach(word, e.Type(), one)
		return
	}
	s.byte(0)
	s.value(e, depth+1)
}

// direct reports whether an interface holds a value of type t in its data word.
func direct(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Struct:
		return t.NumField() == 1 && direct(t.Field(0).Type)
	case reflect.Array:
		return t.Len() == 1 && direct(t.Elem())
	}
	return false
}
