package present

import "onthestack/internal/why"

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
	page   string
}

// calleePages are the pages about functions of the standard library. Package why has the remedies that they show.
var calleePages = []calleePage{
	{"compress/", true, "service/lines"},
	{"encoding/json.", false, "everyday-go/json"},
	{"regexp.", false, "service/lines"},
	{"io.ReadAll", false, "service/lines"},
	{"strings.ToLower", false, "service/lines"},
	{"strings.ToUpper", false, "service/lines"},
	{"time.After", false, "service/situations"},
	{"time.NewTimer", false, "service/situations"},
	{"fmt.", false, "everyday-go/formatting"},
	{"strconv.", false, "everyday-go/formatting"},
	{"encoding/hex.", false, "everyday-go/formatting"},
}

// Next returns what can be done about a kind of reason, as a sentence that begins in lower case, and the page of the
// book that shows it: "everyday-go/preallocate" for book/everyday-go/preallocate.md. For functions that the line calls,
// outermost first, it depends on which these are. Both are "" if nothing is known to help, or is shown.
func Next(kind why.Kind, callees []string) (advice, page string) {
	advice, page = why.RemediesOf(kind, callees, nil), pages[kind]
	if kind != why.Callee {
		return advice, page
	}
	for _, c := range calleePages {
		if why.Calls(callees, c.prefix, c.inner) {
			return advice, c.page
		}
	}
	return advice, ""
}
