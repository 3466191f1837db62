package step

import (
	_ "embed"
	"slices"

	"onthestack/internal/harness/wire"
)

// Schema identifies the JSON format of a Document.
const Schema = "checkalloc/steps/1"

// JSONSchema is the JSON Schema of a Document.
//
//go:embed schema.json
var JSONSchema []byte

// A Document is a program's run, step by step. If the program could not be built or run, Errors says why and there are
// no steps.
type Document struct {
	Schema string            `json:"schema"`
	Errors string            `json:"errors"` // of the build, as the compiler prints them; "" if there are none
	Files  map[string]string `json:"files"`  // the program's Go files, by name

	Functions []Function `json:"functions"`
	Steps     []Step     `json:"steps"`
	End       End        `json:"end"`

	// Lines are the lines that allocated in a run of the unchanged program, in source order. Not every line has objects
	// in the steps if the steps do not reach the end of the program.
	Lines []Line `json:"lines"`
	// Unmeasured is why the unchanged program was not measured, "" if it was. The heap then holds only what the
	// compiler's report is certain of.
	Unmeasured string `json:"unmeasured"`
	// Cut is why the steps end before the program does, "" if they do not.
	Cut string `json:"cut"`
	// Pending is true if the unchanged program is still being measured. A Document with what each line allocates
	// follows, in which the heap may have more objects, and other ids.
	Pending bool `json:"pending,omitempty"`
}

// CompareSchema identifies the JSON format of a Comparison.
const CompareSchema = "checkalloc/steps-compared/1"

// A Comparison has the steps of two programs, or of one program on two releases of Go, to be drawn beside each other.
type Comparison struct {
	Schema   string     `json:"schema"`
	Programs []Compared `json:"programs"`
}

// A Compared is one side of a Comparison.
type Compared struct {
	Name  string    `json:"name"` // what tells it from the other: a file, or a release
	Go    string    `json:"go"`   // the release that built it, "go1.26.8"
	Steps *Document `json:"steps"`
}

// NewComparison returns the comparison of some programs.
func NewComparison(programs ...Compared) *Comparison {
	return &Comparison{CompareSchema, programs}
}

// A Line is what a line allocated in the whole run of the unchanged program.
type Line struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Allocs int    `json:"allocs"`
	Bytes  int    `json:"bytes"` // as the allocator rounds sizes up
	Reason string `json:"reason"`
	// Shared is true if Allocs is an estimate, since tiny objects of several lines share blocks of 16 bytes. The sum
	// over all lines is exact. In the steps, objects whose line is not known have Line 0.
	Shared bool `json:"shared,omitempty"`
}

// A Function is a function of the program.
type Function struct {
	Name string `json:"name"` // in the runtime's format: "main", "(*T).Read", "main.func1"
	File string `json:"file"`
	Line int    `json:"line"`
	// Inlinable is "yes" or "no" as the compiler reports, or NotKnown.
	Inlinable string `json:"inlinable"`
	Reason    string `json:"reason,omitempty"` // why it cannot be inlined
}

// NotKnown stands where the parts of a picture cannot be joined with certainty.
const NotKnown = "not known"

// The events of a Step.
const (
	Called   = "call"   // a function began: File and Line are its own
	Executed = "line"   // a statement was executed, or the head of a statement whose body follows
	Returned = "return" // a function ended: Line is its return statement, or its last one
	Ended    = "end"    // the program ended: see Document.End
)

// A Step is the state of the program after an event.
type Step struct {
	Event     string `json:"event"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Goroutine int    `json:"goroutine"` // the one that ran
	// Stack has the frames of all goroutines. The frames of one goroutine follow each other, the innermost last.
	Stack []Frame `json:"stack"`
	// Globals are the variables of the package.
	Globals []Slot `json:"globals,omitempty"`
	// Heap are the objects on the heap, by id.
	Heap []Object `json:"heap"`
	// Elsewhere are the objects without a variable that are on a stack, or whose place is not known.
	Elsewhere []Object `json:"elsewhere,omitempty"`
	// Allocs and Bytes are what was allocated so far.
	Allocs int `json:"allocs"`
	Bytes  int `json:"bytes"`
	// Output is what the program printed since the step before.
	Output string `json:"output"`
	// Sentence tells the step in words: what happened, and what has changed since the step before. Screen readers read
	// it out.
	Sentence string `json:"sentence"`
	// Cut is true if not all objects are drawn, because there are too many.
	Cut bool `json:"cut,omitempty"`
}

// A Frame is a call of a function.
type Frame struct {
	ID        int    `json:"id"`
	Goroutine int    `json:"goroutine"`
	Function  int    `json:"function"` // index in Document.Functions
	File      string `json:"file"`
	Line      int    `json:"line"` // where it is
	// Inlined is "yes" if the compiler put the function's body into its caller, so that there is no frame of its own;
	// "no", or NotKnown.
	Inlined string `json:"inlined"`
	Slots   []Slot `json:"slots"`
}

// The places of a variable or an object.
const (
	OnStack = "stack"
	OnHeap  = "heap"
	Static  = "static" // a variable of the package
)

// A Slot is a variable in a frame.
type Slot struct {
	ID    int    `json:"id"` // of its memory: pointers to the variable have it, and slots of closures that capture it
	Name  string `json:"name"`
	Role  string `json:"role,omitempty"` // "parameter", "result", "captured", "package", or "" for a local variable
	Type  string `json:"type"`
	Bytes int    `json:"bytes"`
	// Place is OnStack, OnHeap, Static or NotKnown. A variable on the heap is also an Object with its ID, and its frame
	// has only a pointer to it.
	Place  string `json:"place"`
	Reason string `json:"reason,omitempty"`
	Value  Value  `json:"value"`
}

// An Object is memory without a variable in a frame, or a variable that is on the heap.
type Object struct {
	ID   int    `json:"id"`
	Name string `json:"name,omitempty"` // of the variable
	File string `json:"file"`
	Line int    `json:"line"`           // where it was made; 0 if that is not known
	Type string `json:"type,omitempty"` // "" if nothing in the program shows it
	// Bytes is the size of all Count objects together, on the heap as the allocator rounds it up.
	Bytes  int    `json:"bytes"`
	Count  int    `json:"count"` // more than 1 for objects that nothing distinguishes
	Place  string `json:"place"` // OnHeap, OnStack or NotKnown
	Reason string `json:"reason"`
	// Garbage is true if nothing that is drawn leads to the object now or later.
	Garbage bool `json:"garbage,omitempty"`
	// Unseen is true if the object was counted, but no variable leads to it: the box of an interface that was passed
	// on, a table inside a map, what a library made for itself. Nothing is known about when it becomes garbage.
	Unseen bool `json:"unseen,omitempty"`
	// Undated is true for an Unseen object if it is not known which execution of its line made it.
	Undated bool  `json:"undated,omitempty"`
	Value   Value `json:"value"`
}

// A Value is the value of a variable, a field or an object, drawn as what it is in memory.
type Value struct {
	// Kind is "basic", "pointer", "slice", "string", "map", "chan", "func", "interface", "struct", "array", "entries"
	// (of a map), "closure" or "unknown".
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"` // of a basic value; of a string, its beginning; of a func, its function's name
	Nil  bool   `json:"nil,omitempty"`
	// To is where a pointer leads, and the address in a slice, string, map, chan, func or interface.
	To  *Target `json:"to,omitempty"`
	Len int     `json:"len,omitempty"` // of a slice, string, map, chan, array or entries
	Cap int     `json:"cap,omitempty"` // of a slice or chan
	// Type is the first word of an interface: the type of what it holds.
	Type string `json:"type,omitempty"`
	// Elems are fields, the first elements of an array, keys and values by turns, or what an interface holds in its
	// second word. Names are the names of fields, and of the variables that a closure captures.
	Elems []Value  `json:"elems,omitempty"`
	Names []string `json:"names,omitempty"`
	// Captures are the variables that a closure captures; By says how, "value", "reference" or NotKnown.
	Captures []Target `json:"captures,omitempty"`
	By       []string `json:"by,omitempty"`
}

// equal reports whether two values are the same. reflect.DeepEqual would take a fifth of the time until the first
// picture.
func (v Value) equal(w Value) bool {
	return v.Kind == w.Kind && v.Text == w.Text && v.Nil == w.Nil && v.Len == w.Len && v.Cap == w.Cap &&
		v.Type == w.Type && (v.To == nil) == (w.To == nil) && (v.To == nil || *v.To == *w.To) &&
		slices.EqualFunc(v.Elems, w.Elems, Value.equal) && slices.Equal(v.Names, w.Names) &&
		slices.Equal(v.Captures, w.Captures) && slices.Equal(v.By, w.By)
}

// A Target is an object or a slot, and a position in it.
type Target struct {
	ID     int `json:"id"`               // 0 for static data, and for what is not drawn
	Offset int `json:"offset,omitempty"` // bytes
}

// The kinds of an End.
const (
	EndReturned = "returned" // main returned
	EndExited   = "exited"   // the program called os.Exit
	EndPanicked = "panicked" // it panicked, or the runtime stopped it: a deadlock, a stack overflow
	EndStopped  = "stopped"  // it reached a limit of the sandbox
	EndSteps    = "steps"    // it reached the limit on steps or on nested calls, and was ended
	EndBroken   = "broken"   // its recording is not valid
)

// An End is how the recorded run ended.
type End struct {
	Kind    string `json:"kind"`
	Exit    int    `json:"exit"`    // exit code
	Message string `json:"message"` // a sentence
}

// Failed returns the Document of a program that has no steps because of a problem.
func Failed(problem string) *Document {
	return &Document{
		Schema: Schema, Errors: problem, Files: map[string]string{}, Functions: []Function{}, Steps: []Step{},
		Lines: []Line{},
	}
}

var kindNames = map[byte]string{
	wire.KindText: "basic", wire.KindPointer: "pointer", wire.KindSlice: "slice", wire.KindString: "string",
	wire.KindMap: "map", wire.KindChan: "chan", wire.KindFunc: "func", wire.KindInterface: "interface",
	wire.KindStruct: "struct", wire.KindArray: "array", wire.KindEntries: "entries", wire.KindCaptures: "closure",
	wire.KindOmitted: "unknown",
}

// WithoutSizes returns the document without the sizes of its objects and of what was allocated, for readers who are
// asked for them later. A size of 0 is not shown.
func (d *Document) WithoutSizes() *Document {
	unsized := *d
	unsized.Lines = slices.Clone(d.Lines)
	for i := range unsized.Lines {
		unsized.Lines[i].Bytes = 0
	}
	unsized.Steps = slices.Clone(d.Steps)
	for i := range unsized.Steps {
		s := &unsized.Steps[i]
		s.Bytes, s.Heap, s.Elsewhere = 0, withoutSizes(s.Heap), withoutSizes(s.Elsewhere)
	}
	unsized.narrate()
	return &unsized
}

func withoutSizes(objects []Object) []Object {
	unsized := slices.Clone(objects)
	for i := range unsized {
		unsized[i].Bytes = 0
	}
	return unsized
}
