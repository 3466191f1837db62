// Package budget holds Go code to what its own comments promise about allocations.
//
// A directive is a comment of its own form, which gofmt keeps and go doc does not show:
//
//	//checkalloc:allocs<=N [bytes<=N] [bench=PATTERN]
//	//checkalloc:bytes<=N [allocs<=N] [bench=PATTERN]
//	//checkalloc:noescape
//
// The first two stand directly above a benchmark function, in its doc comment, and limit allocs/op and B/op: of the
// benchmark and of all its sub-benchmarks, or of those alone whose names below the function's match PATTERN, as the
// pattern of "go test -bench" matches: one regular expression for each level, not anchored. Allocs may have decimals
// (0.1 is one allocation in ten operations), bytes are whole. A benchmark may have several such directives.
//
// The third stands at the end of a line inside a function or of a package-level variable, or alone above such a line,
// in a file that is no test: nothing that is made or declared on that line may be on the heap, by what the compiler
// says of it. It promises no more than that: what does not escape may still allocate, and a callee may allocate what it
// likes.
//
// Behind a directive, after a space, "//" begins a comment. Anything else that begins with "//checkalloc:" is a
// Mistake.
package budget

// A Directive is one promise in the source.
type Directive struct {
	File string // as handed to Parse
	Line int    // from 1, of the comment
	Col  int    // in bytes, from 1
	Text string // the comment without what explains it: "//checkalloc:allocs<=1 bytes<=64"

	// Benchmark is the function that the limits are for, "" for noescape.
	Benchmark string
	Bench     string   // the pattern of its sub-benchmarks, "" for all
	Allocs    *float64 // allocs/op at most, nil: no limit
	Bytes     *float64 // B/op at most

	// Target is the line that noescape speaks of, 0 for a benchmark's limits.
	Target int

	sub  pattern
	body *body // the function around Target, nil at package level
}

// NoEscape reports whether d is a noescape directive.
func (d *Directive) NoEscape() bool { return d.Benchmark == "" }

// A body is a function's declaration, from its first line to its last.
type body struct {
	name     string
	from, to int
}

// A Mistake is a comment that is, or clearly means to be, a directive, and cannot be read or stands where it says
// nothing.
type Mistake struct {
	File    string
	Line    int // of the comment, from 1
	Col     int // in bytes, from 1; 0 where unknown
	Text    string
	Message string // what is wrong, and what would be right
}
