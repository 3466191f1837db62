package step

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/why"
)

// A placement is what the compiler reports about the program as it is written.
type placement struct {
	program *program
	at      map[place][]escape.Diagnostic
	reasons map[subject]string // of the variables that move to the heap
	lines   map[place]announcement
}

// A subject is a variable and the place of its declaration.
type subject struct {
	place place
	name  string
}

// An announcement is what the compiler reports about the values of a line: how many it puts on the heap, how many do
// not escape, and the first reason.
type announcement struct {
	heap, stays int
	why         string
}

func newPlacement(p *program, diagnostics []escape.Diagnostic) *placement {
	r := &placement{program: p, at: map[place][]escape.Diagnostic{}, reasons: map[subject]string{},
		lines: map[place]announcement{}}
	for _, d := range diagnostics {
		at := place{d.File, d.Line, d.Col}
		r.at[at] = append(r.at[at], d)
		a := r.lines[at.onLine()]
		switch {
		case d.Kind == escape.Moved:
			r.reasons[subject{at, escape.Subject(d)}] = r.reason(d)
		case d.Kind == escape.Escape && why.IsHeapDiagnostic(d):
			a.heap++
			a.why = cmp.Or(a.why, r.reason(d))
		case d.Kind == escape.Stays:
			a.stays++
			a.why = cmp.Or(a.why, escape.Why(d))
		}
		r.lines[at.onLine()] = a
	}
	return r
}

// moved returns why the compiler moves the variable with that number to the heap, "" if it does not.
func (r *placement) moved(v int) string {
	declared := r.program.vars[r.program.vars[v].origin]
	return r.reasons[subject{declared.place, declared.name}]
}

// reason returns the reason of a diagnostic in the words of a verdict, with the steps that lead to it.
func (r *placement) reason(d escape.Diagnostic) string {
	reason := why.NewReason(d, why.LineText(r.program.files[d.File], d.Line))
	words := reason.Why
	for _, s := range reason.Flow {
		if s.Message != "" {
			words += "; line " + strconv.Itoa(s.Line) + ": " + s.Message
		}
	}
	return words
}

// function returns what the compiler reports about inlining a function. The report names a function literal, as in
// "main.func1".
func (r *placement) function(f function) Function {
	out := Function{Name: f.name, File: f.place.file, Line: f.place.line, Inlinable: NotKnown}
	for _, d := range r.at[f.place] {
		switch {
		case strings.HasPrefix(d.Message, "can inline "):
			out.Inlinable = "yes"
		case strings.HasPrefix(d.Message, "cannot inline "):
			out.Inlinable, out.Reason = "no", escape.Why(d)
		default:
			continue
		}
		if f.literal {
			out.Name = escape.Subject(d)
		}
	}
	return out
}

// inlined reports whether a call of the function in the statement is inlined: "yes", "no" or NotKnown.
func (r *placement) inlined(f function, caller site) string {
	if r.function(f).Inlinable == "no" {
		return "no"
	}
	name := f.name[strings.LastIndexByte(f.name, '.')+1:]
	yes, no := 0, 0
	for _, c := range caller.calls {
		if !f.literal && c.name != name {
			continue
		}
		if r.inlinedAt(c.at, name, f.literal) {
			yes++
		} else if !f.literal {
			no++
		}
	}
	switch {
	case yes > 0 && no == 0:
		return "yes"
	case no > 0 && yes == 0:
		return "no"
	}
	return NotKnown
}

func (r *placement) inlinedAt(at place, name string, literal bool) bool {
	return slices.ContainsFunc(r.at[at], func(d escape.Diagnostic) bool {
		callee, _, _ := strings.Cut(escape.Subject(d), "[") // of a generic function
		callee = callee[strings.LastIndexByte(callee, '.')+1:]
		return escape.InlinesCall(d) && (callee == name || literal && strings.HasPrefix(callee, "func"))
	})
}

// captures says how a literal captures a variable: "value", "reference" or NotKnown.
func (r *placement) captures(v int) string {
	declared := r.program.vars[r.program.vars[v].origin]
	captured := func(by string) bool {
		return slices.ContainsFunc(r.at[declared.place], func(d escape.Diagnostic) bool {
			return strings.Contains(d.Message, " capturing by "+by+": "+declared.name+" ")
		})
	}
	switch {
	case captured("ref"):
		return "reference"
	case captured("value"):
		return "value"
	}
	return NotKnown
}

// announced returns what the compiler reports about the values of a place's line.
func (r *placement) announced(at place) announcement { return r.lines[at.onLine()] }
