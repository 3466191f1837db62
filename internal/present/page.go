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
	why.Callee:              "everyday-go/formatting",
}

// Page returns the page of the book that shows what to do about a kind of reason: "everyday-go/preallocate" for
// book/everyday-go/preallocate.md. It is "" for a kind about which nothing can be done.
func Page(kind why.Kind) string { return pages[kind] }
