package bookdata

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// MisconceptionsFile is the file of the measured misconceptions, relative to the book's folder.
const MisconceptionsFile = "measured/misconceptions.json"

// MisconceptionsCommand is the command that measures them.
const MisconceptionsCommand = "go run ./tools/checkalloc dev misconceptions"

// MeasuredMisconceptions is the content of MisconceptionsFile: the misconceptions about all exercises, by exercise,
// with their results.
type MeasuredMisconceptions struct {
	By        string                             `json:"by"` // the command that wrote the file
	Go        string                             `json:"go"` // the release that measured them, "go1.26.8"
	Platform  string                             `json:"platform"`
	Exercises map[string][]MeasuredMisconception `json:"exercises"`
}

// A MeasuredMisconception is a misconception with the result of checking it.
type MeasuredMisconception struct {
	Misconception
	Result MisconceptionResult `json:"verdict"`
}

// A MisconceptionResult is the part of a verdict that is the same in every check, in the words of the checker.
type MisconceptionResult struct {
	Stage  string            `json:"stage"`  // the stage that fails
	Errors []verdict.Problem `json:"errors"` // of the stages policy and build
	// Failed are the tests that fail whatever their random inputs are. Case is the first subtest that fails.
	Failed     []string                 `json:"failed"`
	Case       string                   `json:"case"`
	Tests      int                      `json:"tests"` // number of tests of the exercise
	Benchmarks []MisconceptionBenchmark `json:"benchmarks"`
	Lines      []MisconceptionLine      `json:"lines"`
}

// A MisconceptionBenchmark is one benchmark's figures and targets, formatted for a reader; a target is "" where there
// is none. A benchmark that confirms a pass and misses a target has only its name, because its inputs are random.
type MisconceptionBenchmark struct {
	Name         string `json:"name"`
	Allocs       string `json:"allocs"`
	TargetAllocs string `json:"target_allocs"`
	Bytes        string `json:"bytes"`
	TargetBytes  string `json:"target_bytes"`
	// Live are the bytes that an operation leaves in use, if there is a target for them.
	Live       string `json:"live,omitempty"`
	TargetLive string `json:"target_live,omitempty"`
}

// A MisconceptionLine is a line that allocates.
type MisconceptionLine struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Code   string `json:"code"`
	Allocs string `json:"allocs"`
	Bytes  string `json:"bytes"`
	Why    string `json:"why"` // clauses joined by "; "
}

// MisconceptionResultOf returns the part of a verdict that is the same in every check. The tests' inputs are random, so
// of their output only the names of tests and subtests are kept, and of benchmarks that confirm a pass their names.
func MisconceptionResultOf(v *verdict.Verdict) MisconceptionResult {
	r := MisconceptionResult{
		Stage:      v.Stage,
		Errors:     v.Errors,
		Tests:      v.Tests.Run,
		Failed:     []string{},
		Benchmarks: []MisconceptionBenchmark{},
		Lines:      []MisconceptionLine{},
	}
	if v.Stage == verdict.StageTests {
		for line := range strings.Lines(v.Tests.Output) {
			name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: ")
			if name, _, _ = strings.Cut(name, " ("); !ok {
				continue
			}
			test, _, sub := strings.Cut(name, "/")
			if !slices.Contains(r.Failed, test) {
				r.Failed = append(r.Failed, test)
			}
			if sub && r.Case == "" {
				r.Case = name
			}
		}
	}
	random := map[string]bool{}
	for _, b := range v.Benchmarks {
		if b.Confirms != "" {
			random[b.Name] = true
			r.Benchmarks = append(r.Benchmarks, MisconceptionBenchmark{Name: b.Name})
			continue
		}
		measured := MisconceptionBenchmark{Name: b.Name, Allocs: verdict.FormatCount(b.AllocsPerOp),
			Bytes: verdict.FormatBytes(b.BytesPerOp)}
		if b.TargetAllocs != nil {
			measured.TargetAllocs = verdict.FormatCount(*b.TargetAllocs)
		}
		if b.TargetBytes != nil {
			measured.TargetBytes = verdict.FormatBytes(*b.TargetBytes)
		}
		if b.LiveBytesPerOp != nil && b.TargetLiveBytes != nil {
			measured.Live = verdict.FormatBytes(*b.LiveBytesPerOp)
			measured.TargetLive = verdict.FormatBytes(*b.TargetLiveBytes)
		}
		r.Benchmarks = append(r.Benchmarks, measured)
	}
	for _, a := range v.Allocations {
		if random[a.Benchmark] {
			continue
		}
		r.Lines = append(r.Lines, MisconceptionLine{a.File, a.Line, a.Code, verdict.FormatCount(a.AllocsPerOp),
			verdict.FormatBytes(a.BytesPerOp), a.Why})
	}
	return r
}

// Intersect returns r with only the failed tests that also failed in other.
func (r MisconceptionResult) Intersect(other MisconceptionResult) MisconceptionResult {
	r.Failed = slices.DeleteFunc(slices.Clone(r.Failed), func(name string) bool {
		return !slices.Contains(other.Failed, name)
	})
	if r.Case != other.Case {
		r.Case = ""
	}
	return r
}

// Union returns r with the failed tests of other added.
func (r MisconceptionResult) Union(other MisconceptionResult) MisconceptionResult {
	r.Failed = slices.Clone(r.Failed)
	for _, name := range other.Failed {
		if !slices.Contains(r.Failed, name) {
			r.Failed = append(r.Failed, name)
		}
	}
	return r
}

// Difference describes the first difference between a new result and r, which is stored; it returns "" if there is
// none. Every test that failed must fail again. Other tests may fail too, because their inputs are random.
func (r MisconceptionResult) Difference(now MisconceptionResult) string {
	for _, p := range []struct{ what, was, is string }{
		{"it fails in the stage", r.Stage, now.Stage},
		{"it breaks the tests", encodeText(r.Failed), encodeText(r.Intersect(now).Failed)},
		{"the errors are", encodeText(r.Errors), encodeText(now.Errors)},
		{"the benchmark measures", encodeText(r.Benchmarks), encodeText(now.Benchmarks)},
		{"the lines are", encodeText(r.Lines), encodeText(now.Lines)},
	} {
		if p.was != p.is {
			return fmt.Sprintf("%s %s, written is %s", p.what, p.is, p.was)
		}
	}
	return ""
}

func encodeText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(encode(v))
}

// ReadMeasuredMisconceptions reads MisconceptionsFile from the book's folder.
func ReadMeasuredMisconceptions(book fs.FS) (*MeasuredMisconceptions, error) {
	m := new(MeasuredMisconceptions)
	return m, read(book, MisconceptionsFile, MisconceptionsCommand, m)
}

// Of returns the entry of a misconception by exercise and name.
func (m *MeasuredMisconceptions) Of(id, name string) (MeasuredMisconception, bool) {
	i := slices.IndexFunc(m.Exercises[id], func(j MeasuredMisconception) bool { return j.Name == name })
	if i < 0 {
		return MeasuredMisconception{}, false
	}
	return m.Exercises[id][i], true
}

// Sealed returns the misconceptions about an exercise in the form in which its copies are sealed. The error says which
// one does not fit the starter any more.
func (m *MeasuredMisconceptions) Sealed(e *exercise.Exercise) (all []exercise.Mistake, err error) {
	for _, found := range m.Exercises[e.ID] {
		files, err := found.Apply(e.Starter())
		if err != nil {
			return nil, fmt.Errorf("%s: %w: run %q", MisconceptionPath(e.ID, found.Name), err, MisconceptionsCommand)
		}
		sealed := exercise.Mistake{Name: found.Name, Title: found.Title, Say: found.Say, Code: exercise.Fingerprint(files)}
		for _, b := range found.Result.Benchmarks {
			sealed.Figures = append(sealed.Figures, exercise.MistakeFigure{Name: b.Name, Allocs: b.Allocs, Bytes: b.Bytes})
		}
		all = append(all, sealed)
	}
	return all, nil
}

// Write writes m to a file.
func (m *MeasuredMisconceptions) Write(name string) error {
	if err := WriteJSON(name, m); err != nil {
		return fmt.Errorf("write the likely mistakes: %w", err)
	}
	return nil
}
