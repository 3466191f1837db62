package budget

import (
	"cmp"
	"slices"
)

// Kind is the kind of a Finding.
type Kind string

const (
	Over      Kind = "over"      // a benchmark allocates more than its budget
	Escapes   Kind = "escapes"   // a noescape line has a value on the heap
	Malformed Kind = "malformed" // the directive cannot be read, or stands where it has no effect
	Unchecked Kind = "unchecked" // the directive could not be checked: its code was not built or not measured
	Note      Kind = "note"      // information on a directive that holds
)

// A Finding is a result on one directive.
type Finding struct {
	Kind Kind   `json:"kind"`
	File string `json:"file"` // as passed to Parse
	Line int    `json:"line"` // from 1: the directive's line, or the line to which noescape applies
	Col  int    `json:"col"`  // in bytes, from 1; 0 where unknown
	// Directive is the directive's text, DirectiveLine its line in File.
	Directive     string `json:"directive"`
	DirectiveLine int    `json:"directive_line"`
	// Benchmark is the benchmark or sub-benchmark that exceeded its budget or was not measured.
	Benchmark string `json:"benchmark,omitempty"`
	Message   string `json:"message"`
	// Because are the lines that explain the finding: the lines that allocated, the flow of a value that escapes, or
	// the errors of a build.
	Because []Place `json:"because"`
}

// Fails reports whether the finding is more than a note.
func (f *Finding) Fails() bool { return f.Kind != Note }

// A Place is a line with a message about it. File is "" and Line 0 for output of a program.
type Place struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

// Schema names the JSON form of a Report.
const Schema = "checkalloc/guard/1"

// A Report is the result on the directives of several packages.
type Report struct {
	Schema   string    `json:"schema"`
	Held     int       `json:"held"`     // directives that hold
	Broken   int       `json:"broken"`   // directives that do not
	Errors   int       `json:"errors"`   // directives that are mistakes or could not be checked
	Findings []Finding `json:"findings"` // by file and line
}

// NewReport counts and sorts what Parse and Check returned.
func NewReport(directives []Directive, mistakes, findings []Finding) *Report {
	r := &Report{Schema: Schema, Errors: len(mistakes), Findings: append(append([]Finding{}, findings...), mistakes...)}
	for _, d := range directives {
		about := func(kinds ...Kind) bool {
			return slices.ContainsFunc(findings, func(f Finding) bool {
				return f.File == d.File && f.DirectiveLine == d.Line && slices.Contains(kinds, f.Kind)
			})
		}
		switch {
		case about(Over, Escapes):
			r.Broken++
		case about(Unchecked):
			r.Errors++
		default:
			r.Held++
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return r
}

// Holds reports whether every directive holds.
func (r *Report) Holds() bool { return r.Broken == 0 && r.Errors == 0 }

// NotChecked returns a Finding for each directive that could not be checked, with the reason, since a directive that
// was not checked must not pass.
func NotChecked(directives []Directive, why string) []Finding {
	var found []Finding
	for i := range directives {
		found = append(found, directives[i].finding(Unchecked, "not checked: %s", why))
	}
	return found
}
