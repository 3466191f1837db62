package present

import (
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// A Line is a line of source that allocates.
type Line struct {
	File   string
	Number int
	Code   string // trimmed
	// Allocations are the line's, in the order of the verdict; empty where nothing was measured and the compiler alone announces
	// a value on the heap.
	Allocations []verdict.Allocation
	Reasons     []verdict.Reason // the compiler's
}

// A Note is one reason why a line allocates, with what it allocates for that reason.
type Note struct {
	Rule    Rule
	Why     string     // one clause
	Callees [][]string // chains of calls, outermost first, from the line to what allocates
	Shared  bool       // as in verdict.Allocation
	Figures []Figure   // by benchmark; empty where nothing was measured
}

// Figures are what the line allocates in each benchmark.
func (l Line) Figures() []Figure { return figures(l.Allocations) }

// Most is the figure of the benchmark in which the line allocates most often.
func (l Line) Most() Figure { return most(l.Figures()) }

// Notes are the line's reasons, each with its figures.
func (l Line) Notes() []Note {
	if len(l.Allocations) == 0 {
		kind := verdict.Unexplained
		var clauses []string
		for i, r := range l.Reasons {
			if i == 0 {
				kind = r.Kind
			}
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
		n.Shared = n.Shared || a.Shared
		if len(a.Callees) > 0 && !slices.ContainsFunc(n.Callees, func(c []string) bool { return slices.Equal(c, a.Callees) }) {
			n.Callees = append(n.Callees, a.Callees)
		}
		j := slices.IndexFunc(n.Figures, func(f Figure) bool { return f.Benchmark == a.Benchmark })
		if j < 0 {
			j = len(n.Figures)
			n.Figures = append(n.Figures, Figure{Benchmark: a.Benchmark})
		}
		n.Figures[j].AllocsPerOp += a.AllocsPerOp
		n.Figures[j].BytesPerOp += a.BytesPerOp
	}
	return notes
}

// Steps are how the line's values get to the heap: the steps of all its reasons, each once.
func (l Line) Steps() []escape.Step {
	type id struct {
		file    string
		line    int
		message string
	}
	told := map[id]bool{}
	var steps []escape.Step
	for _, r := range l.Reasons {
		for _, s := range r.Flow {
			if k := (id{s.File, s.Line, s.Message}); !told[k] {
				told[k] = true
				steps = append(steps, s)
			}
		}
	}
	return steps
}

// Column is the column, in bytes from 1, of the first value that the compiler announces on the line; 0 where it announces none.
func (l Line) Column() int {
	for _, r := range l.Reasons {
		if r.Line == l.Number && r.Col > 0 {
			return r.Col
		}
	}
	return 0
}
