package misconception

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"onthestack/internal/verdict"
)

// File is the measured wrong turns' file in the book's folder.
const File = "measured/wrongturns.json"

// Command measures them again.
const Command = "go run ./tools/checkalloc dev wrongturns"

// Measured is what the wrong turns of all exercises were measured to give.
type Measured struct {
	By        string             `json:"by"` // the command
	Go        string             `json:"go"` // release that measured them
	Platform  string             `json:"platform"`
	Exercises map[string][]Entry `json:"exercises"`
}

// A Entry is a wrong turn with its verdict.
type Entry struct {
	Misconception
	Result Result `json:"verdict"`
}

// An Result is what of a verdict is the same each time, in the checker's words.
type Result struct {
	Stage  string            `json:"stage"`  // that fails
	Errors []verdict.Problem `json:"errors"` // of policy and build
	// Failed are the tests that fail, whatever they draw, and the first of their cases that has a name.
	Failed     []string    `json:"failed"`
	Case       string      `json:"case"`
	Tests      int         `json:"tests"` // of the exercise
	Benchmarks []Benchmark `json:"benchmarks"`
	Lines      []Line      `json:"lines"`
}

// A Benchmark is what one benchmark measures beside its target; "" is no target.
type Benchmark struct {
	Name         string `json:"name"`
	Allocs       string `json:"allocs"`
	TargetAllocs string `json:"target_allocs"`
	Bytes        string `json:"bytes"`
	TargetBytes  string `json:"target_bytes"`
}

// A Line is a line that allocates.
type Line struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Code   string `json:"code"`
	Allocs string `json:"allocs"`
	Bytes  string `json:"bytes"`
	Why    string `json:"why"` // one clause
}

// ResultOf keeps of a verdict what is the same each time. What a test printed is drawn afresh, but for the names.
func ResultOf(v *verdict.Verdict) Result {
	o := Result{Stage: v.Stage, Errors: v.Errors, Tests: v.Tests.Run, Failed: []string{}, Benchmarks: []Benchmark{}, Lines: []Line{}}
	if v.Stage == verdict.StageTests {
		for line := range strings.Lines(v.Tests.Output) {
			name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: ")
			if name, _, _ = strings.Cut(name, " ("); !ok {
				continue
			}
			test, _, sub := strings.Cut(name, "/")
			if !slices.Contains(o.Failed, test) {
				o.Failed = append(o.Failed, test)
			}
			if sub && o.Case == "" {
				o.Case = name
			}
		}
	}
	for _, b := range v.Benchmarks {
		measured := Benchmark{Name: b.Name, Allocs: verdict.FormatCount(b.AllocsPerOp), Bytes: verdict.FormatBytes(b.BytesPerOp)}
		if b.TargetAllocs != nil {
			measured.TargetAllocs = verdict.FormatCount(*b.TargetAllocs)
		}
		if b.TargetBytes != nil {
			measured.TargetBytes = verdict.FormatBytes(*b.TargetBytes)
		}
		o.Benchmarks = append(o.Benchmarks, measured)
	}
	for _, a := range v.Allocations {
		o.Lines = append(o.Lines, Line{a.File, a.Line, a.Code, verdict.FormatCount(a.AllocsPerOp), verdict.FormatBytes(a.BytesPerOp), a.Why})
	}
	return o
}

// Intersect keeps of o what is in other as well: tests that failed both times.
func (o Result) Intersect(other Result) Result {
	o.Failed = slices.DeleteFunc(slices.Clone(o.Failed), func(name string) bool { return !slices.Contains(other.Failed, name) })
	if o.Case != other.Case {
		o.Case = ""
	}
	return o
}

// Union adds to o the tests that failed another time.
func (o Result) Union(other Result) Result {
	o.Failed = slices.Clone(o.Failed)
	for _, name := range other.Failed {
		if !slices.Contains(o.Failed, name) {
			o.Failed = append(o.Failed, name)
		}
	}
	return o
}

// Difference says in which point a new outcome is not what was written down; "" where it is. Tests that failed have to fail again,
// and others may: what they draw decides.
func (o Result) Difference(now Result) string {
	for _, p := range []struct{ what, was, is string }{
		{"it fails in the stage", o.Stage, now.Stage},
		{"it breaks the tests", text(o.Failed), text(o.Intersect(now).Failed)},
		{"the errors are", text(o.Errors), text(now.Errors)},
		{"the benchmark measures", text(o.Benchmarks), text(now.Benchmarks)},
		{"the lines are", text(o.Lines), text(now.Lines)},
	} {
		if p.was != p.is {
			return fmt.Sprintf("%s %s, written is %s", p.what, p.is, p.was)
		}
	}
	return ""
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// ReadMeasured reads what was measured from the book's folder.
func ReadMeasured(book fs.FS) (*Measured, error) {
	text, err := fs.ReadFile(book, File)
	if err != nil {
		return nil, fmt.Errorf("read the wrong turns: %w: run %q", err, Command)
	}
	m := new(Measured)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("read %s: %w: run %q", File, err, Command)
	}
	return m, nil
}

// Of returns what a wrong turn of an exercise was measured to give.
func (m *Measured) Of(id, name string) (Entry, bool) {
	i := slices.IndexFunc(m.Exercises[id], func(j Entry) bool { return j.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return m.Exercises[id][i], true
}

// Write writes them to a file.
func (m *Measured) Write(name string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(m); err != nil {
		return fmt.Errorf("write the wrong turns: %w", err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		return fmt.Errorf("write the wrong turns: %w", err)
	}
	return nil
}
