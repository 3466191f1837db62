package present

import (
	"cmp"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// A Line is a source line that allocates.
type Line struct {
	File   string
	Number int
	Code   string // text of the line, trimmed
	// Allocations are the allocations of the line in the order of the verdict. They are empty if nothing was measured,
	// and the compiler alone announces a value on the heap.
	Allocations []verdict.Allocation
	Reasons     []verdict.Reason // the compiler's
}

// A Note is one reason why a line allocates, with the figures of the allocations for that reason.
type Note struct {
	Rule    Rule
	Why     string     // clauses joined by "; "
	Callees [][]string // chains of calls from the line to the allocation, outermost first
	Shared  bool       // as in verdict.Allocation
	Figures []Figure   // by benchmark; empty where nothing was measured
}

// Figures returns what the line allocates in each benchmark.
func (l Line) Figures() []Figure { return figures(nil, l.Allocations...) }

// Most returns the figure of the benchmark in which the line allocates most often.
func (l Line) Most() Figure { return most(l.Figures()) }

// Notes returns the reasons why the line allocates. There is at least one.
func (l Line) Notes() []Note {
	if len(l.Allocations) == 0 {
		var kind why.Kind
		var clauses []string
		for _, r := range l.Reasons {
			kind = cmp.Or(kind, r.Kind)
			if !slices.Contains(clauses, r.Why) {
				clauses = append(clauses, r.Why)
			}
		}
		return []Note{{Rule: RuleOf(kind), Why: strings.Join(clauses, "; ")}}
	}
	var notes []Note
	for _, a := range l.Allocations {
		i := slices.IndexFunc(notes, func(n Note) bool { return n.Why == a.Why })
		if i < 0 {
			i = len(notes)
			notes = append(notes, Note{Rule: RuleOf(a.Kind), Why: a.Why})
		}
		n := &notes[i]
		n.Figures, n.Shared = figures(n.Figures, a), n.Shared || a.Shared
		if len(a.Callees) > 0 && !slices.ContainsFunc(n.Callees,
			func(c []string) bool { return slices.Equal(c, a.Callees) }) {
			n.Callees = append(n.Callees, a.Callees)
		}
	}
	return notes
}

// Steps returns the steps by which the line's values get to the heap: the steps of all reasons, without duplicates.
func (l Line) Steps() []escape.Step {
	told := map[escape.Step]bool{}
	var steps []escape.Step
	for _, r := range l.Reasons {
		for _, s := range r.Flow {
			if k := (escape.Step{File: s.File, Line: s.Line, Message: s.Message}); !told[k] {
				told[k] = true
				steps = append(steps, s)
			}
		}
	}
	return steps
}

// Column returns the column of the first value that the compiler announces on the line, in bytes from 1, or 0 if it
// announces none.
func (l Line) Column() int {
	for _, r := range l.Reasons {
		if r.Line == l.Number && r.Col > 0 {
			return r.Col
		}
	}
	return 0
}
