// Package present holds what the forms of a Verdict share. It joins the allocations of all benchmarks by line, groups
// the lines by the function that they stand in, and gives each reason its Rule, with an id that never changes.
//
// Each form is a package of its own: terminal for a person at a terminal, html for a page, export for graders. A new
// output format is a package beside them, with a function Write, or a file in export if a grader reads it. The forms
// that only packages of the user have are in internal/owncode/report. The flags that ask for a format are in
// tools/checkalloc/command/check_format.go. Texts for a terminal share the styles in text.go, and pages share the
// colors of tokens.css with the site.
package present

import (
	"cmp"
	"slices"
	"strings"

	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// Source returns the text of a file by its base name, or nil if there is none.
type Source func(file string) []byte

// A Function is a top-level declaration with lines that allocate.
type Function struct {
	File string // base name
	// Name is "Replace" or "(*Board).Rank" for a function and "var table" for another declaration. Without the source
	// it is the name that the runtime uses.
	Name string
	// First and Last are the lines of the declaration, its doc comment included, counted from 1; 0 without the source.
	First, Last int
	Begin       int    // line on which the declaration begins, below its doc comment
	Lines       []Line // the lines that allocate, in source order
	figures     []Figure
}

// Measured reports whether benchmarks of v were measured.
func Measured(v *verdict.Verdict) bool { return len(v.Benchmarks) > 0 }

// Functions returns the functions with lines that allocate. The function that allocates most in any one benchmark comes
// first. If nothing failed and there is no benchmark, it returns the functions in which the compiler announces values
// on the heap, in source order.
func Functions(v *verdict.Verdict, source Source) []Function {
	inFile := map[string][]*Function{}
	var allocate []*Function
	for _, l := range lines(v, source) {
		if _, known := inFile[l.File]; !known {
			inFile[l.File] = declarations(l.File, Text(source, l.File))
		}
		name := "package level"
		if len(l.Allocations) > 0 {
			name = why.Outermost(l.Allocations[0].Func)
		}
		i := slices.IndexFunc(inFile[l.File], func(f *Function) bool {
			return f.First <= l.Number && l.Number <= f.Last || f.First == 0 && f.Name == name
		})
		if i < 0 { // the source is not known
			i = len(inFile[l.File])
			inFile[l.File] = append(inFile[l.File], &Function{File: l.File, Name: name})
		}
		f := inFile[l.File][i]
		if f.Lines == nil {
			allocate = append(allocate, f)
		}
		f.Lines, f.figures = append(f.Lines, l), figures(f.figures, l.Allocations...)
	}
	functions := []Function{}
	for _, f := range allocate {
		functions = append(functions, *f)
	}
	slices.SortStableFunc(functions, func(a, b Function) int { return b.Most().compare(a.Most()) })
	return functions
}

// lines joins the allocations of each line, sorted by file and line.
func lines(v *verdict.Verdict, source Source) []Line {
	type position struct {
		file string
		line int
	}
	at := map[position]int{}
	joined := []Line{}
	find := func(file string, number int, code string) *Line {
		p := position{file, number}
		i, known := at[p]
		if !known {
			i = len(joined)
			at[p] = i
			joined = append(joined, Line{File: file, Number: number, Code: code})
		}
		return &joined[i]
	}
	for _, a := range v.Allocations {
		l := find(a.File, a.Line, a.Code)
		l.Allocations = append(l.Allocations, a)
		if l.Reasons == nil {
			l.Reasons = a.Reasons
		}
	}
	if !Measured(v) && v.Stage == "" {
		texts := map[string][]string{}
		for _, d := range v.Escapes {
			if !why.IsHeapDiagnostic(d) {
				continue
			}
			if texts[d.File] == nil {
				texts[d.File] = strings.Split(string(Text(source, d.File)), "\n")
			}
			code := ""
			if d.Line >= 1 && d.Line <= len(texts[d.File]) {
				code = strings.TrimSpace(texts[d.File][d.Line-1])
			}
			l := find(d.File, d.Line, code)
			l.Reasons = append(l.Reasons, why.NewReason(d, code))
		}
	}
	slices.SortStableFunc(joined, func(a, b Line) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Number, b.Number))
	})
	return joined
}

// Text returns the text of a file, or nil if source is nil or has no such file.
func Text(source Source, file string) []byte {
	if source == nil {
		return nil
	}
	return source(file)
}

// Figures returns what the function allocates in each benchmark, in the order in which its lines name the benchmarks.
func (f Function) Figures() []Figure { return f.figures }

// Most returns the figure of the benchmark in which the function allocates most often.
func (f Function) Most() Figure { return most(f.figures) }

// A Stage is a stage of a check, with the word for its result.
type Stage struct{ Name, State string }

// The states of a stage. Pages show the same words: "make generate" writes them to web/src/go/runner.ts.
const (
	StageOK         = "ok"
	StageNotYet     = "not yet"
	StageNotReached = "not reached"
)

// Stages returns the stages of a check in their order.
func Stages(v *verdict.Verdict) []Stage {
	var all []Stage
	state := StageOK
	for _, name := range verdict.Stages() {
		if v.Stage == name {
			all = append(all, Stage{name, StageNotYet})
			state = StageNotReached
			continue
		}
		all = append(all, Stage{name, state})
	}
	return all
}
