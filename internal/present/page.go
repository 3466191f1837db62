package present

import (
	"slices"
	"strings"

	"onthestack/internal/why"
)

// pages are the pages of the book that show what to do about a kind of reason, as paths below book/ without ".md".
var pages = map[why.Kind]string{
	why.EscapesToHeap:       "heap-optimization/stack",
	why.MovedToHeap:         "reading-the-compiler/heap",
	why.InterfaceBoxing:     "heap-optimization/concrete",
	why.Closure:             "everyday-go/callbacks",
	why.Goroutine:           "everyday-go/fan-out",
	why.Variadic:            "everyday-go/debug-lines",
	why.AppendGrew:          "everyday-go/preallocate",
	why.MapGrew:             "everyday-go/sets",
	why.SizeAtRunTime:       "memory-profiling/stack-frames",
	why.StringConcatenation: "interpolation/append",
	why.Conversion:          "interpolation/twice",
	why.DeferInLoop:         "everyday-go/deferred-loops",
}

// A calleePage is the page about functions that allocate for the line that calls them.
type calleePage struct {
	prefix string // of the functions' names
	inner  bool   // whether a function counts that is called on the way, too
	advice string // "" for the remedies of why.Callee
	page   string
}

// calleePages are the pages about functions of the standard library. The first write to a compressor
// allocates its memory, and another package may make that write.
var calleePages = []calleePage{
	{"compress/", true, "make the compressor or decompressor once, and call Reset before the next use.", "service/lines"},
	{"encoding/json.", false, "read into a struct of the fields that you need, or write into a buffer that is used again.",
		"everyday-go/json"},
	{"regexp.", false, "compile the expression once, in a variable of the package, or use a method that returns positions.",
		"service/lines"},
	{"io.ReadAll", false, "read into a bytes.Buffer that is used again.", "service/lines"},
	{"fmt.", false, "", "everyday-go/formatting"},
	{"strconv.", false, "", "everyday-go/formatting"},
	{"encoding/hex.", false, "", "everyday-go/formatting"},
}

// Next returns what can be done about a kind of reason, as a sentence that begins in lower case, and the page of the
// book that shows it: "everyday-go/preallocate" for book/everyday-go/preallocate.md. For functions that the line calls,
// outermost first, it depends on which these are. Both are "" if nothing is known to help, or is shown.
func Next(kind why.Kind, callees []string) (advice, page string) {
	advice, page = kind.Remedies(nil), pages[kind]
	if kind != why.Callee {
		return advice, page
	}
	for _, c := range calleePages {
		called := callees
		if !c.inner {
			called = callees[:min(len(callees), 1)]
		}
		if slices.ContainsFunc(called, func(name string) bool { return strings.HasPrefix(name, c.prefix) }) {
			if c.advice != "" {
				advice = c.advice
			}
			return advice, c.page
		}
	}
	return advice, ""
}
