// Package budget checks Go code against directives in its comments that limit its allocations.
//
// A directive is a comment of Go's directive form, which gofmt leaves alone and go doc does not show:
//
//	//checkalloc:allocs<=N [bytes<=N] [bench=PATTERN]
//	//checkalloc:bytes<=N [allocs<=N] [bench=PATTERN]
//	//checkalloc:noescape
//
// The first two stand directly above a benchmark function, in its doc comment. They limit allocs/op and B/op of the
// benchmark and of all its sub-benchmarks, or only of the sub-benchmarks whose names match PATTERN. It matches as the
// pattern of "go test -bench" does: one regular expression for each level, not anchored. Allocs may have
// decimals (0.1 is one allocation in ten operations), bytes are whole. A benchmark may have several such directives.
//
// The third stands at the end of a line inside a function or of a package-level variable, or above such a line,
// in a file that is not a test. Nothing that is created or declared on that line may be on the heap, according to the
// compiler's escape report. That is all it promises: a value that does not escape may still allocate, and so may a
// called function.
//
// After a directive and a space, "//" begins a comment. Anything else that begins with "//checkalloc:" is a mistake,
// which Parse reports as a Finding.
package budget

// A Directive is one directive in the source.
type Directive struct {
	File string // as passed to Parse
	Line int    // from 1, of the comment
	Col  int    // in bytes, from 1
	Text string // the directive without a comment after it: "//checkalloc:allocs<=1 bytes<=64"

	// Benchmark is the function that the limits are for, "" for noescape.
	Benchmark string
	Bench     string   // the pattern of its sub-benchmarks, "" for all
	Allocs    *float64 // allocs/op at most, nil: no limit
	Bytes     *float64 // B/op at most

	// Target is the line to which noescape applies, 0 for a benchmark's limits.
	Target int

	sub  pattern
	body *body // the function around Target, nil at package level
}

// NoEscape reports whether d is a noescape directive.
func (d *Directive) NoEscape() bool { return d.Benchmark == "" }

// A body is the range of lines of a function's declaration.
type body struct {
	name     string
	from, to int
}
