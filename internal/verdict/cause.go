package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

const unexplained = "not announced by the compiler: allocated by the runtime for this line"

// onStack is the size in bytes of the stack buffer that the compiler reserves for a backing array whose size is known only at run
// time: "variablemakethreshold" in cmd/compile (since Go 1.25), and tmpStringBufSize in the runtime.
const onStack = 32

// A need explains why compiled code calls a runtime function that allocates on a line for which the compiler reports nothing on the
// heap.
type need struct {
	functions []string // prefixes of their names
	// stays reports whether an expression is of the kind that calls these functions. Such an expression allocates even though the
	// compiler says that it does not escape, if at run time its value does not fit the stack buffer. why gives that as the reason,
	// for an object of size bytes.
	stays func(expr string) bool
	why   func(size int) string
	// unannounced is the reason if the compiler says nothing about the line; "" if the function alone does not tell.
	unannounced string
}

var needs = []need{
	{
		functions:   []string{"runtime.growslice", "runtime.moveSlice"},
		stays:       begins("append"),
		why:         func(int) string { return "append grew the slice beyond what the compiler keeps ready on the stack" },
		unannounced: "append grew the slice: its capacity was used up",
	}, {
		functions: []string{"runtime.makeslice"},
		stays:     begins("make([]"),
		why:       func(size int) string { return "its size is known only at run time, and " + over(size) },
	}, {
		functions: []string{"runtime.mapassign", "runtime.makemap"},
		stays:     begins("make(map", "map["),
		why: func(int) string {
			return "the map has more entries than fit the group that the compiler keeps on the stack"
		},
		unannounced: "not announced by the compiler: storing into a map may make it grow",
	}, {
		functions:   []string{"runtime.concatstring"},
		stays:       func(expr string) bool { return strings.Contains(expr, " + ") },
		why:         func(size int) string { return "the concatenation makes a new string, and " + over(size) },
		unannounced: "not announced by the compiler: adding to a string makes a new one",
	}, {
		functions: []string{"runtime.stringtoslicerune"},
		stays:     begins("([]rune)("),
		why: func(int) string {
			return "the conversion copies, and more than 32 runes do not fit what the compiler keeps ready on the stack"
		},
		unannounced: copies,
	}, {
		functions:   []string{"runtime.slicebytetostring", "runtime.stringtoslicebyte", "runtime.slicerunetostring", "runtime.concatbyte"},
		stays:       begins("string(", "([]", "[]byte("),
		why:         func(size int) string { return "the conversion copies, and " + over(size) },
		unannounced: copies,
	}, {
		functions:   []string{"runtime.makechan"},
		unannounced: "a channel is always made on the heap",
	}, {
		functions:   []string{"runtime.convT"},
		unannounced: "not announced by the compiler: the value is boxed on the heap, to fit in an interface",
	}, {
		functions:   []string{"runtime.deferproc"},
		unannounced: "not announced by the compiler: a deferred call in a loop needs a record for each time around",
	}, {
		functions:   []string{"runtime.typeAssert", "runtime.interfaceSwitch"},
		unannounced: "not announced by the compiler: the runtime remembers, at times, which type met this assertion or switch",
	},
}

const copies = "not announced by the compiler: the conversion copies"

func begins(prefixes ...string) func(string) bool {
	return func(expr string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(expr, p) })
	}
}

func over(size int) string {
	return fmt.Sprintf("%d bytes is over the %d that the compiler keeps ready on the stack", size, onStack)
}

// atRunTime returns the reason why code on the allocation's line called the runtime function in cause, given the compiler's
// diagnostics.
func atRunTime(escapes []escape.Diagnostic, a *Allocation, cause profile.Cause) string {
	i := slices.IndexFunc(needs, func(n need) bool {
		return slices.ContainsFunc(n.functions, func(f string) bool { return strings.HasPrefix(cause.Func, f) })
	})
	switch {
	case i >= 0 && needs[i].staysOn(escapes, a):
		return "does not escape, yet allocates: " + needs[i].why(int(math.Round(cause.Bytes/cause.Objects)))
	case i >= 0 && needs[i].unannounced != "":
		return needs[i].unannounced
	case cause.Func == profile.NewObject && strings.HasPrefix(a.Code, "go "):
		return "starting a goroutine allocates what it is called with"
	}
	return unexplained
}

// staysOn reports whether the compiler says of such an expression on the allocation's line that it does not escape.
func (n need) staysOn(escapes []escape.Diagnostic, a *Allocation) bool {
	return n.stays != nil && slices.ContainsFunc(escapes, func(d escape.Diagnostic) bool {
		expr, ok := strings.CutSuffix(d.Message, " does not escape")
		return ok && d.Kind == escape.Stays && d.File == a.File && d.Line == a.Line && n.stays(expr)
	})
}
