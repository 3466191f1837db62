// Package recorder is added to a program that package step has rewritten. The program tells it which function began or
// ended, which line it executes and where its variables are. After each statement the recorder sends the host a
// snapshot: the frames of all goroutines with their variables, and every object that these reach.
//
// The rewritten program runs as WebAssembly on one thread, and the recorder never waits, so it has no locks. It keeps
// every variable and every object that it has seen, so that the memory of one is never used again for another: an
// address is an identity.
package recorder

import (
	"os"
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	"onthestack/internal/harness/wire"
)

// A Frame is the number of a call of a function of the program, or 0 if the call began before the first step or after
// the last one.
//
// It is an integer, and its methods are not inlined, so that rewritten programs need not load the types of package
// reflect. That would take the compiler as long as a small program does.
type Frame int

// A frame is what is known of a call.
type frame struct {
	id             Frame
	function, line int
	goroutine      int
	vars           []variable
}

type variable struct {
	id   int
	at   unsafe.Pointer
	typ  *knownType
	size int
	v    reflect.Value // addressable
}

var (
	enabled    bool
	steps      int
	calls      []*frame     // all frames, by number - 1
	goroutines []*goroutine // in the order in which they began
	globals    []variable
	references = map[unsafe.Pointer]*reference{}
	literals   = map[unsafe.Pointer]closure{}
)

type goroutine struct {
	id    int
	stack []*frame
}

type closure struct {
	id       int
	captures []unsafe.Pointer
}

// Enter begins a frame of the function with that number.
//
//go:noinline
func Enter(function, line int) Frame {
	if !enabled {
		return 0
	}
	f := &frame{id: Frame(len(calls) + 1), function: function, line: line, goroutine: currentGoroutine()}
	calls = append(calls, f)
	g := find(f.goroutine)
	if g == nil {
		g = &goroutine{id: f.goroutine}
		goroutines = append(goroutines, g)
	}
	g.stack = append(g.stack, f)
	if len(g.stack) > wire.MaxCalls {
		end(wire.TooDeep)
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

// finalizers reports whether the program may set finalizers.
var finalizers bool

// Finalizers records that the program may set finalizers. It has a result so that the declaration of a variable can
// call it.
func Finalizers() bool {
	finalizers = true
	return true
}

// currentGoroutine returns the number of the goroutine that runs. No stack trace is needed if there is only one and it
// has a frame. runtime.NumGoroutine does not count the goroutine in which finalizers run.
//
//go:noinline
func currentGoroutine() int {
	if len(goroutines) == 1 && !finalizers && runtime.NumGoroutine() == 1 {
		return goroutines[0].id
	}
	var text [40]byte
	n := runtime.Stack(text[:], false) // "goroutine 7 [running]"
	id := 0
	for _, b := range text[len("goroutine "):n] {
		if b < '0' || b > '9' {
			break
		}
		id = 10*id + int(b-'0')
	}
	return id
}

// A reference keeps the memory at an address from being freed.
type reference struct {
	step  int // the last step with an object at this address
	first int // the first object there in that step: its index in the snapshot's pending objects, plus one
}

//go:noinline
func keep(p unsafe.Pointer) *reference {
	r := references[p]
	if r == nil {
		r = new(reference)
		references[p] = r
	}
	return r
}

// variableAt returns the variable that pointer points to, and keeps it.
//
//go:noinline
func variableAt(id int, pointer any) variable {
	p := reflect.ValueOf(pointer)
	at := p.UnsafePointer()
	keep(at)
	v := p.Elem()
	return variable{id, at, lookup(v.Type()), int(v.Type().Size()), v}
}

// Var tells where the variable with that number is now.
//
//go:noinline
func (f Frame) Var(id int, pointer any) {
	if f == 0 {
		return
	}
	call, v := calls[f-1], variableAt(id, pointer)
	for i := range call.vars {
		if call.vars[i].id == id {
			call.vars[i] = v
			return
		}
	}
	call.vars = append(call.vars, v)
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
func (f Frame) Began() { f.snapshot(wire.EventBegan) }

// At tells that the statement with that number has been executed, and makes a snapshot.
//
//go:noinline
func (f Frame) At(line int) {
	f.Line(line)
	f.snapshot(wire.EventExecuted)
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
	f.snapshot(wire.EventEnded)
	g := find(calls[f-1].goroutine)
	if i := slices.Index(g.stack, calls[f-1]); i >= 0 {
		g.stack = g.stack[:i]
	}
	if len(g.stack) == 0 {
		goroutines = slices.DeleteFunc(goroutines, func(other *goroutine) bool { return other == g })
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
		c.captures = append(c.captures, variableAt(id, pointer).at)
	}
	literals[literal] = c
}

// end ends the program at a limit of the recording.
func end(limit byte) {
	enabled = false
	send([]byte{wire.MessageLimit, limit})
	os.Exit(0)
}
