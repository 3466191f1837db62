package why

import (
	"strings"

	"onthestack/internal/escape"
)

// A valueFunc returns what a diagnostic announces by its type, and whether that is known.
type valueFunc func(escape.Diagnostic) (escape.Value, bool)

// A compilerReport is the compiler's diagnostics on a package, by line.
type compilerReport struct {
	of      map[sourceLine][]escape.Diagnostic
	inlined map[position][]string          // the functions that are inlined at a position
	own     map[string]bool                // the functions and closures of the package that can be inlined
	said    map[string]int                 // how many lines have a message
	saidIn  map[message][]sourceLine       // in which functions, on which lines
	leaks   map[string][]escape.Diagnostic // the parameters of a function that it may keep
	// closures are the values on the heap that are announced where a closure is inlined, by its name. The compiler says
	// nothing on the lines of a closure that is inlined at all its calls.
	closures map[string][]escape.Diagnostic
	moved    []escape.Diagnostic // the variables on the heap
	value    valueFunc
	pkg      *Package
	calls    *callGraph
	// files are the texts of the package's files, and lines are all that were counted. They are nil for other packages.
	files map[string][]byte
	lines []line
}

type position struct {
	sourceLine
	col int
}

// A message is one of the compiler's about an expression in a function.
type message struct{ function, message string }

func positionOf(d escape.Diagnostic) position { return position{sourceLine{d.File, d.Line}, d.Col} }

func newReport(p *Package) *compilerReport {
	escapes, value := p.Diagnostics, p.ValueOf
	if value == nil {
		value = func(escape.Diagnostic) (escape.Value, bool) { return escape.Value{}, false }
	}
	r := &compilerReport{
		of: map[sourceLine][]escape.Diagnostic{}, inlined: map[position][]string{}, own: map[string]bool{},
		said: map[string]int{}, saidIn: map[message][]sourceLine{}, leaks: map[string][]escape.Diagnostic{},
		closures: map[string][]escape.Diagnostic{}, value: withRangeState(value), pkg: p,
	}
	for _, d := range escapes {
		at := positionOf(d)
		switch {
		case escape.InlinesCall(d):
			r.inlined[at] = append(r.inlined[at], withoutTypes(escape.Subject(d)))
		case d.Kind == escape.Inline:
			r.own[withoutTypes(escape.Subject(d))] = true
		case d.Kind == escape.Leak && d.Func != "" && len(d.Flow) > 0 && !escape.LeaksToResult(d):
			r.leaks[d.Func] = append(r.leaks[d.Func], d)
		case d.Kind == escape.Stays || IsHeapDiagnostic(d):
			r.of[at.sourceLine] = append(r.of[at.sourceLine], d)
			if d.Kind == escape.Moved {
				r.moved = append(r.moved, d)
			}
			r.said[d.Message]++
			in := message{withoutTypes(d.Func), d.Message}
			r.saidIn[in] = append(r.saidIn[in], at.sourceLine)
		}
	}
	for _, d := range escapes {
		if !IsHeapDiagnostic(d) || d.Kind == escape.Moved {
			continue
		}
		for _, function := range r.inlined[positionOf(d)] {
			if Outermost(function) != function {
				r.closures[function] = append(r.closures[function], d)
			}
		}
	}
	return r
}

// withRangeState adds to value the variables that the compiler declares for a range over a function: "#state1" has the
// state of the loop's body, and "#next" what follows the loop. Both are an int, as cmd/compile/internal/rangefunc
// says, and no type checker of the package knows them.
func withRangeState(value valueFunc) valueFunc {
	return func(d escape.Diagnostic) (escape.Value, bool) {
		name := escape.Subject(d)
		if d.Kind == escape.Moved && (strings.HasPrefix(name, "#state") || name == "#next") {
			return escape.Value{Size: 8}, true
		}
		return value(d)
	}
}

// withoutTypes removes the type arguments from the name of a function.
func withoutTypes(function string) string {
	for {
		from := strings.IndexByte(function, '[')
		to := strings.IndexByte(function[max(from, 0):], ']')
		if from < 0 || to < 0 {
			return function
		}
		function = function[:from] + function[from+to+1:]
	}
}
