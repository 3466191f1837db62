package why

import (
	"strings"

	"onthestack/internal/escape"
)

// A Kind classifies why a line allocates. Reports give each kind a rule with an id, so that the words of a reason
// can change while the id stays. A new kind needs such a rule in package present.
type Kind string

const (
	EscapesToHeap       Kind = "escapes-to-heap"
	MovedToHeap         Kind = "moved-to-heap"
	InterfaceBoxing     Kind = "interface-boxing"
	Closure             Kind = "closure"
	Goroutine           Kind = "goroutine"
	Variadic            Kind = "variadic"
	AppendGrew          Kind = "append-grew"
	MapGrew             Kind = "map-grew"
	SizeAtRunTime       Kind = "size-at-run-time"
	StringConcatenation Kind = "string-concatenation"
	Conversion          Kind = "conversion"
	DeferInLoop         Kind = "defer-in-loop"
	Callee              Kind = "callee"     // a called function of another package allocates
	TypeCache           Kind = "type-cache" // of a type assertion or a type switch
	Unexplained         Kind = "runtime"    // the runtime allocates, and nothing else is known
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{EscapesToHeap, MovedToHeap, InterfaceBoxing, Closure, Goroutine, Variadic, AppendGrew, MapGrew,
		SizeAtRunTime, StringConcatenation, Conversion, DeferInLoop, Callee, TypeCache, Unexplained}
}

// kindByStorage are the kinds of expressions that the compiler puts on the heap; others escape to the heap.
var kindByStorage = map[escape.Storage]Kind{
	escape.Append:        AppendGrew,
	escape.Variadic:      Variadic,
	escape.Closure:       Closure,
	escape.Concatenation: StringConcatenation,
	escape.Conversion:    Conversion,
	escape.Boxed:         InterfaceBoxing,
}

// kindOf returns the kind of a heap value that the compiler reports on a line with the text code.
func kindOf(d escape.Diagnostic, code string) Kind {
	if d.Kind == escape.Moved {
		return MovedToHeap
	}
	storage := escape.StorageOf(d)
	if storage == escape.Closure && strings.HasPrefix(code, "go ") {
		return Goroutine
	}
	if kind, ok := kindByStorage[storage]; ok {
		return kind
	}
	return EscapesToHeap
}
