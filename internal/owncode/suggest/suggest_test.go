package suggest_test

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/harness"
	"onthestack/internal/owncode/suggest"
	"onthestack/internal/owncode/userpkg"
)

// subject loads and compiles the package in a folder.
func subject(t *testing.T, dir string) *userpkg.Package {
	t.Helper()
	s, err := userpkg.Config{Dir: dir}.Load(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Compile(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	return s
}

func options(benchtime string) suggest.Options {
	return suggest.Options{
		Measure: userpkg.MeasureOptions{Bench: ".", Limit: time.Minute, Benchtime: benchtime},
		Count:   1,
	}
}

// TestProofStarters lists the edits that are proven for the starters of the exercises, by rule. Nothing is found in a
// starter that is not listed. The tests of the exercises hold with all edits together. Benchmarks that confirm a pass
// draw their inputs, so that their B/op may rise by chance; they are left out.
func TestProofStarters(t *testing.T) {
	want := map[int]string{
		6:  "read-memory",
		7:  "array",
		9:  "",
		10: "sort-func sort-func",
		11: "heap-values",
		12: "",
		13: "outline",
		14: "pool-buffer",
		15: "",
		16: "pool-buffer",
		17: "",
		18: "",
		19: "array preallocate",
		20: "append-text",
		21: "",
		22: "",
		40: "concrete concrete",
	}
	// The Makefile may choose a sample of the exercises.
	sample, chosen := os.LookupEnv("SAMPLE")
	for n := range want {
		id := fmt.Sprintf("exercise%d", n)
		if chosen && !slices.Contains(strings.Fields(sample), id) {
			continue
		}
		t.Run(id, func(t *testing.T) {
			dir, err := filepath.Abs("../../../exercises/" + id)
			if err != nil {
				t.Fatal(err)
			}
			measured := options("300x")
			bench, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "bench_test.go"), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			measured.Measure.Bench = "^(" + strings.Join(harness.Functions(bench, "Benchmark"), "|") + ")$"
			r, err := suggest.Run(t.Context(), subject(t, dir), measured, nil)
			if err != nil {
				t.Fatal(err)
			}
			var proven []string
			for _, s := range r.Suggestions {
				if s.Outcome == suggest.Proven {
					proven = append(proven, s.Rule)
				}
			}
			slices.Sort(proven)
			if got := strings.Join(proven, " "); got != want[n] {
				t.Errorf("proven are %q, want %q", got, want[n])
				for _, s := range r.Rejected {
					t.Logf("rejected: %s: %s", s.Rule, s.Why)
				}
			}
			if (r.Together != nil) != (want[n] != "") {
				t.Errorf("together: %v", r.Together)
			}
		})
	}
}

// TestProofGains says what each rule saves in the package in testdata/gains: allocs/op of its benchmark before and
// after, or B/op where the count is the same. Each edit is proven, and none is proven that is not listed.
func TestProofGains(t *testing.T) {
	want := map[string]string{
		"hoist-func":        "BenchmarkHoistFunc 101 → 2",
		"perfsprint":        "BenchmarkPerfsprint 2 → 1",
		"mirror":            "BenchmarkMirror 101 → 1",
		"modernize-builder": "BenchmarkJoinLoop 5 → 4",
	}
	dir, err := filepath.Abs("testdata/gains")
	if err != nil {
		t.Fatal(err)
	}
	r, err := suggest.Run(t.Context(), subject(t, dir), options("300x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range r.Suggestions {
		for _, b := range s.Benchmarks {
			gain := fmt.Sprintf("%s %.0f → %.0f", b.Name, b.Allocs.Old, b.Allocs.New)
			if b.Allocs.Old-b.Allocs.New < 0.5 {
				if b.Bytes.Old-b.Bytes.New < 0.5 {
					continue
				}
				gain = fmt.Sprintf("%s %.0f → %.0f B/op", b.Name, b.Bytes.Old, b.Bytes.New)
			}
			if got[s.Rule] != "" {
				gain = got[s.Rule] + ", " + gain
			}
			got[s.Rule] = gain
			t.Logf("%s: %s, %.0f → %.0f B/op, %d inputs agree", s.Rule, got[s.Rule], b.Bytes.Old, b.Bytes.New,
				s.Tests.Inputs)
		}
		if s.Outcome != suggest.Proven {
			t.Errorf("%s is %s: %s", s.Rule, s.Outcome, s.Why)
		}
	}
	if r.Together == nil || len(r.Together.IDs) != len(want) {
		t.Errorf("together: %+v", r.Together)
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
		for _, s := range r.Rejected {
			t.Logf("rejected: %s: %s", s.Rule, s.Why)
		}
	}
}

// grower is a package that allocates too much, with a test and a benchmark.
var grower = map[string]string{
	"go.mod": "module example.com/grower\n\ngo 1.26.0\n",
	"grower.go": `package grower

func All(numbers []int) []int {
	all := []int{}
	for _, n := range numbers {
		all = append(all, n)
	}
	return all
}
`,
	"grower_test.go": `package grower

import "testing"

func TestAll(t *testing.T) {
	if n := len(All(make([]int, 3))); n != 3 {
		t.Error(n)
	}
}

func BenchmarkAll(b *testing.B) {
	numbers := make([]int, 100)
	for b.Loop() {
		All(numbers)
	}
}
`,
}

func writeFiles(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// noisy is a test file of grower with a benchmark that allocates more in the first process whose All was edited.
const noisy = `package grower

import (
	"os"
	"testing"
)

var (
	noise []byte
	size  = loudness()
)

// loudness returns 1000 in the first process whose All was edited, otherwise 0.
func loudness() int {
	if cap(All(make([]int, 100))) != 100 {
		return 0
	}
	f, err := os.OpenFile(os.Getenv("NOISE"), os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0
	}
	f.Close()
	return 1000
}

func BenchmarkNoise(b *testing.B) {
	for b.Loop() {
		noise = make([]byte, size)
	}
}
`

// TestWrite proves an edit although a benchmark allocates more in the first of its measurements. It writes the edit, keeps
// the file's permissions, and refuses to write over a file that has changed.
func TestWrite(t *testing.T) {
	files := maps.Clone(grower)
	files["noise_test.go"] = noisy
	marker := filepath.Join(t.TempDir(), "noise")
	t.Setenv("NOISE", marker)
	dir := writeFiles(t, files)
	s := subject(t, dir)
	var steps []suggest.Step
	r, err := suggest.Run(t.Context(), s, options("100x"), func(e suggest.Event) { steps = append(steps, e.Step) })
	if err != nil {
		t.Fatal(err)
	}
	if want := []suggest.Step{
		suggest.Measure, suggest.Prove, suggest.Vet, suggest.Cover, suggest.Time,
	}; !slices.Equal(steps, want) {
		t.Errorf("steps %v, want %v", steps, want)
	}
	if r.Together == nil || len(r.Suggestions) != 1 || r.Suggestions[0].Outcome != suggest.Proven {
		t.Fatalf("%d suggestions, together %v, rejected %+v", len(r.Suggestions), r.Together, r.Rejected)
	}
	if _, err := os.Stat(marker); err != nil {
		t.Error("the benchmark made no noise")
	}
	got := r.Suggestions[0]
	// The test executes the change once, and loudness does.
	if want := []string{"TestAll"}; !slices.Equal(got.Tests.Names, want) || got.Tests.Count != 2 || !got.Tests.All {
		t.Errorf("executed by %+v", got.Tests)
	}
	want := []suggest.Change{{File: "grower.go", Start: 4, End: 5, Text: "\tall := make([]int, 0, len(numbers))\n"}}
	if !slices.Equal(got.Changes, want) {
		t.Errorf("changes %+v, want %+v", got.Changes, want)
	}

	name := filepath.Join(dir, "grower.go")
	edited := grower["grower.go"] + "\n// Somebody is typing.\n"
	if err := os.WriteFile(name, []byte(edited), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := suggest.Write(s, r.Together.Files); err == nil ||
		!strings.Contains(err.Error(), "grower.go has changed") {
		t.Errorf("writing over a change: %v", err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != edited {
		t.Errorf("the file has %q, %v", text, err)
	}
	if err := os.WriteFile(name, []byte(grower["grower.go"]), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := suggest.Write(s, r.Together.Files); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	written := strings.Replace(grower["grower.go"], "[]int{}", "make([]int, 0, len(numbers))", 1)
	if err != nil || string(text) != written {
		t.Errorf("the file has %q, %v", text, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
}

// TestInterrupted cancels while candidates are proven, and TestProofInterrupted in each other step. Run returns the
// cause, writes nothing, and leaves no file of its builds.
func TestInterrupted(t *testing.T) { interrupt(t, suggest.Prove) }

func TestProofInterrupted(t *testing.T) {
	interrupt(t, suggest.Measure, suggest.Vet, suggest.Cover, suggest.Time)
}

func interrupt(t *testing.T, steps ...suggest.Step) {
	stopped := errors.New("stopped")
	for _, step := range steps {
		t.Run(string(step), func(t *testing.T) {
			dir := writeFiles(t, grower)
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			s := subject(t, dir)
			ctx, cancel := context.WithCancelCause(t.Context())
			_, err := suggest.Run(ctx, s, options("100x"), func(e suggest.Event) {
				if e.Step == step {
					cancel(stopped)
				}
			})
			if !errors.Is(err, stopped) {
				t.Errorf("error %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			left, err := os.ReadDir(tmp)
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "grower.go"))
			if err != nil || string(text) != grower["grower.go"] {
				t.Errorf("the file has %q, %v", text, err)
			}
		})
	}
}
