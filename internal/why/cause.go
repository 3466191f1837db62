package why

import (
	"fmt"
	"go/ast"
	"math"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// unknownFunction is the reason where the compiler reports nothing and the profile does not name the function of the
// runtime.
const unknownFunction = unannounced + "the runtime allocates here, and only the program that was " +
	"profiled tells by which function"

const (
	unannounced   = "not announced by the compiler: "
	unknownReason = unannounced + "allocated by the runtime for this line"
)

// testReason is the reason for a line of an exercise's tests, on which a check makes no escape report.
const testReason = "this line belongs to the tests, whose escape report a check does not make: " +
	"go test -gcflags=-m prints it"

// stackBuffer is the size in bytes of the stack buffer that the compiler reserves for a backing array whose size is
// known only at run time: "variablemakethreshold" in cmd/compile (since Go 1.25), and tmpStringBufSize in the runtime.
const stackBuffer = 32

// A runtimeAllocator explains why compiled code calls runtime functions that allocate on a line for which the compiler
// reports nothing on the heap.
type runtimeAllocator struct {
	functions []string // prefixes of their names
	kind      Kind
	// stays reports whether the compiler calls these functions for an expression that does not escape. It allocates all
	// the same if its value does not fit the stack buffer at run time. why returns this reason for an object of size
	// bytes.
	stays func(escape.Diagnostic) bool
	why   func(size int) string
	// withoutDiagnostic is the reason if the compiler reports nothing for the line, "" if it does not follow from the
	// function.
	withoutDiagnostic string
}

// runtimeAllocators are the functions of the runtime that allocate for code of a known form, except runtime.newobject.
// A new reason is an entry here, with its kind.
var runtimeAllocators = []runtimeAllocator{
	{
		functions: []string{"runtime.growslice"},
		kind:      AppendGrew,
		stays:     stores(escape.Append),
		why: func(size int) string {
			if size <= stackBuffer {
				return "append grew the slice, and found no room that the compiler keeps ready on the stack"
			}
			return "append grew the slice beyond what the compiler keeps ready on the stack"
		},
		withoutDiagnostic: "append grew the slice: its capacity was used up",
	}, {
		functions: []string{"runtime.moveSlice"},
		kind:      AppendGrew,
		withoutDiagnostic: "the array that append filled on the stack is copied to the heap, because the slice outlives " +
			"this frame",
	}, {
		functions: []string{"runtime.makeslice"},
		kind:      SizeAtRunTime,
		stays:     stores(escape.Array),
		why:       func(size int) string { return "its size is known only at run time, and " + over(size) },
	}, {
		functions: []string{"runtime.mapassign", "runtime.makemap"},
		kind:      MapGrew,
		stays:     stores(escape.Map),
		why: func(int) string {
			return "the map has more entries than fit the group that the compiler keeps on the stack"
		},
		withoutDiagnostic: unannounced + "storing into a map may make it grow",
	}, {
		functions:         []string{"runtime.concatstring"},
		kind:              StringConcatenation,
		stays:             func(d escape.Diagnostic) bool { return strings.Contains(escape.Subject(d), " + ") },
		why:               func(size int) string { return "the concatenation makes a new string, and " + over(size) },
		withoutDiagnostic: unannounced + "adding to a string makes a new one",
	}, {
		functions: []string{"runtime.stringtoslicerune"},
		kind:      Conversion,
		stays:     begins("([]rune)("),
		why: func(int) string {
			return "the conversion copies, and more than 32 runes do not fit what the compiler keeps ready on the stack"
		},
		withoutDiagnostic: copies,
	}, {
		functions: []string{"runtime.slicebytetostring", "runtime.stringtoslicebyte", "runtime.slicerunetostring",
			"runtime.concatbyte"},
		kind:              Conversion,
		stays:             begins("string(", "([]", "[]byte("),
		why:               func(size int) string { return "the conversion copies, and " + over(size) },
		withoutDiagnostic: copies,
	}, {
		functions:         []string{"runtime.makechan"},
		kind:              EscapesToHeap,
		withoutDiagnostic: "a channel is always made on the heap",
	}, {
		functions:         []string{"runtime.convT"},
		kind:              InterfaceBoxing,
		withoutDiagnostic: unannounced + "the value is boxed on the heap, to fit in an interface",
	}, {
		functions:         []string{"runtime.deferproc"},
		kind:              DeferInLoop,
		withoutDiagnostic: unannounced + "a deferred call in a loop needs a record for each iteration",
	}, {
		functions: []string{"runtime.selectgo", "runtime.chansend", "runtime.chanrecv", "runtime.block"},
		kind:      Unexplained,
		withoutDiagnostic: unannounced + "a goroutine that waits for a channel needs a record, which the " +
			"runtime uses again",
	}, {
		functions: []string{"runtime.typeAssert", "runtime.interfaceSwitch"},
		kind:      TypeCache,
		withoutDiagnostic: unannounced + "the runtime sometimes caches the type that this assertion " +
			"or switch met",
	},
}

const copies = unannounced + "the conversion copies"

func stores(kind escape.Storage) func(escape.Diagnostic) bool {
	return func(d escape.Diagnostic) bool { return escape.StorageOf(d) == kind }
}

func begins(prefixes ...string) func(escape.Diagnostic) bool {
	return func(d escape.Diagnostic) bool {
		expr := escape.Subject(d)
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(expr, p) })
	}
}

func over(size int) string {
	return fmt.Sprintf("%d bytes is over the %d that the compiler keeps ready on the stack", size, stackBuffer)
}

// atRunTime returns the reason why code on a line called the runtime function in cause.
func (r *compilerReport) atRunTime(l *line, cause profile.Cause) (Kind, string) {
	i := slices.IndexFunc(runtimeAllocators, func(a runtimeAllocator) bool {
		return slices.ContainsFunc(a.functions, func(f string) bool { return strings.HasPrefix(cause.Func, f) })
	})
	starts := strings.HasPrefix(l.Code, "go ")
	if cause.Func == profile.Unknown && !starts {
		if i = r.onlyAllocator(l); i < 0 {
			return Unexplained, unknownFunction
		}
	}
	if i >= 0 {
		a := runtimeAllocators[i]
		if slices.ContainsFunc(r.byLine[sourceLine{l.File, l.Line}], a.isOnStack) {
			why := "its size grows with the number of operations"
			if cause.Objects > 0 {
				why = a.why(int(math.Round(cause.Bytes / cause.Objects)))
			}
			return a.kind, "does not escape, yet allocates: " + why
		}
		if a.withoutDiagnostic != "" && r.isReported(l) {
			return a.kind, a.withoutDiagnostic
		}
		if a.withoutDiagnostic != "" {
			return a.kind, strings.TrimPrefix(a.withoutDiagnostic, unannounced)
		}
	}
	if starts && (cause.Func == profile.NewObject || cause.Func == profile.Unknown) {
		return Goroutine, "starting a goroutine allocates a closure with the call's arguments"
	}
	if name, ok := strings.CutPrefix(cause.Func, "runtime."); ok && ast.IsExported(name) {
		return Callee, "allocated inside " + cause.Func + ", which is called here"
	}
	return Unexplained, r.unknown(l)
}

// isReported reports whether the compiler's report is on a line, too. A check leaves out the tests of an exercise.
func (r *compilerReport) isReported(l *line) bool {
	return !r.pkg.Exercise || !strings.HasSuffix(l.File, "_test.go")
}

// unknown returns the reason for a line about which nothing is known.
func (r *compilerReport) unknown(l *line) string {
	if r.isReported(l) {
		return unknownReason
	}
	return testReason
}

// onlyAllocator returns the index of the only runtimeAllocator whose functions may have been called on a line, given the
// values there that do not escape. It is -1 if there is none, or if there are several.
func (r *compilerReport) onlyAllocator(l *line) int {
	only := -1
	for i, a := range runtimeAllocators {
		if !slices.ContainsFunc(r.byLine[sourceLine{l.File, l.Line}], a.isOnStack) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = i
	}
	return only
}

// isOnStack reports whether d is on an expression for which compiled code calls the functions and which does not
// escape.
func (a runtimeAllocator) isOnStack(d escape.Diagnostic) bool {
	return a.stays != nil && d.Kind == escape.Stays && a.stays(d)
}
