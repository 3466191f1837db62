package why

import (
	"strings"

	"onthestack/internal/escape"
)

// A typeFunc returns what a diagnostic says is allocated by its type, and whether that is known.
type typeFunc func(escape.Diagnostic) (escape.Value, bool)

// A compilerReport is an index of the compiler's diagnostics on a package.
type compilerReport struct {
	pkg            *Package
	typeOf         typeFunc
	byLine         map[sourceLine][]escape.Diagnostic // on values, on the heap or not
	inlinedAt      map[position][]string              // the functions that are inlined at a position
	declaredInline map[string]bool                    // the functions and closures of the package that can be inlined
	countByMessage map[string]int                     // how many lines have a message
	messageInFunc  map[message][]sourceLine           // the lines of a function that have a message
	leaksByFunc    map[string][]escape.Diagnostic     // the parameters of a function that it may keep
	moved          []escape.Diagnostic                // the variables on the heap

	lines []line     // all that were counted, nil for other packages
	calls *callGraph // nil until it is needed
}

// A sourceLine is a line of a package.
type sourceLine struct {
	file string // base name
	line int
}

type position struct {
	sourceLine
	col int
}

// A message is one of the compiler's about an expression in a function.
type message struct{ function, message string }

func positionOf(d escape.Diagnostic) position { return position{sourceLine{d.File, d.Line}, d.Col} }

// IsHeapDiagnostic reports whether d says that a value is allocated on the heap. It is false for constants: the
// compiler reports them as escaping too, but places them in read-only data.
func IsHeapDiagnostic(d escape.Diagnostic) bool {
	return d.Kind == escape.Moved || d.Kind == escape.Escape && escape.StorageOf(d) != escape.Constant
}

func newReport(p *Package) *compilerReport {
	typeOf := p.ValueOf
	if typeOf == nil {
		typeOf = func(escape.Diagnostic) (escape.Value, bool) { return escape.Value{}, false }
	}
	r := &compilerReport{
		pkg: p, typeOf: withRangeState(typeOf),
		byLine: map[sourceLine][]escape.Diagnostic{}, inlinedAt: map[position][]string{},
		declaredInline: map[string]bool{}, countByMessage: map[string]int{}, messageInFunc: map[message][]sourceLine{},
		leaksByFunc: map[string][]escape.Diagnostic{},
	}
	for _, d := range p.Diagnostics {
		at := positionOf(d)
		switch {
		case escape.InlinesCall(d):
			r.inlinedAt[at] = append(r.inlinedAt[at], escape.WithoutTypes(escape.Subject(d)))
		case d.Kind == escape.Inline:
			r.declaredInline[escape.WithoutTypes(escape.Subject(d))] = true
		case d.Kind == escape.Leak && d.Func != "" && len(d.Flow) > 0 && !escape.LeaksToResult(d):
			r.leaksByFunc[d.Func] = append(r.leaksByFunc[d.Func], d)
		case d.Kind == escape.Stays || IsHeapDiagnostic(d):
			r.byLine[at.sourceLine] = append(r.byLine[at.sourceLine], d)
			if d.Kind == escape.Moved {
				r.moved = append(r.moved, d)
			}
			r.countByMessage[d.Message]++
			in := message{escape.WithoutTypes(d.Func), d.Message}
			r.messageInFunc[in] = append(r.messageInFunc[in], at.sourceLine)
		}
	}
	return r
}

// withRangeState adds to typeOf the variables that the compiler declares for a range over a function: "#state1" has the
// state of the loop's body, and "#next" what follows the loop. Both are an int, as cmd/compile/internal/rangefunc
// says, and no type checker of the package knows them.
func withRangeState(typeOf typeFunc) typeFunc {
	return func(d escape.Diagnostic) (escape.Value, bool) {
		name := escape.Subject(d)
		if d.Kind == escape.Moved && (strings.HasPrefix(name, "#state") || name == "#next") {
			return escape.Value{Size: 8}, true
		}
		return typeOf(d)
	}
}
