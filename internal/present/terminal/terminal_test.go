package terminal

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/tools/txtar"

	"onthestack/internal/advice"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

var update = flag.Bool("update", false, "rewrite the texts in testdata")

// TestGolden renders the verdicts in testdata. Each archive holds verdict.json, the files that the verdict is about,
// and the text at 80 and at 100 columns.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no verdict in testdata (%v)", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source := func(file string) []byte {
				for _, f := range a.Files {
					if f.Name == file {
						return f.Data
					}
				}
				return nil
			}
			var v verdict.Verdict
			if err := json.Unmarshal(source("verdict.json"), &v); err != nil {
				t.Fatal(err)
			}
			for _, width := range []int{80, 100} {
				text := plain(&v, Options{Command: "checkalloc", Width: width, Source: source})
				within(t, text, width)
				golden := fmt.Sprintf("width%d", width)
				want := source(golden)
				if *update {
					at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == golden })
					a.Files[at].Data = []byte(text)
				} else if text != string(want) {
					t.Errorf("at %d columns, got\n%s\nwant\n%s\ngo test ./internal/present/terminal -update "+
						"rewrites it", width, text,
						want)
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestSetAside: a benchmark that meets its target with memory set aside says what is wrong, and what to do.
func TestSetAside(t *testing.T) {
	zero := 0.0
	v := &verdict.Verdict{Exercise: "exercise15", Go: "go1.26.8", Stage: verdict.StageBenchmark,
		Tests: verdict.Tests{Run: 2},
		Benchmarks: []verdict.Benchmark{{Name: "BenchmarkRead", N: 1000, Confirmed: 20000, TargetAllocs: &zero,
			Why: "the code allocates 800 KiB ahead"}}}
	text := plain(v, Options{Width: 80, Command: "checkalloc"})
	within(t, text, 80)
	if !strings.Contains(text, "  not yet  BenchmarkRead: the code allocates 800 KiB ahead.\n") ||
		!strings.Contains(text, "Next: do not allocate memory ahead") {
		t.Errorf("it does not say why:\n%s", text)
	}
}

// TestStep: a likely mistake has a paragraph of its own, and a command follows the sentence that it belongs to.
func TestStep(t *testing.T) {
	v := &verdict.Verdict{Stage: verdict.StageTests, Advice: []verdict.Advice{
		{Kind: verdict.AdviseMistake, Text: "Clipped at the end. Clip changes only the capacity.", Mistake: "clipped"},
		{Kind: verdict.AdviseTests, Text: "make the tests pass again.", Command: "go test ./exercises/exercise1"},
	}}
	var b bytes.Buffer
	Step(&b, v, Options{Width: 80})
	const want = "  Likely mistake: Clipped at the end. Clip changes only the capacity.\n" +
		"  Next: make the tests pass again: go test ./exercises/exercise1\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestProvisional: a pass without the race detector that the exercise asks for says so.
func TestProvisional(t *testing.T) {
	v := &verdict.Verdict{Exercise: "exercise16", Title: "T", Go: "go1.26.8", Pass: true,
		Tests: verdict.Tests{Run: 2, Race: verdict.Race{State: verdict.RaceNotRun, Why: "the sandbox has no race detector"}},
		Provisional: "the tests did not run with -race: the sandbox has no race detector; " +
			"a data race may have gone unnoticed"}
	text := plain(v, Options{Width: 80, Command: "checkalloc"})
	within(t, text, 80)
	if !strings.Contains(text, "  provisional pass  the tests did not run with -race") {
		t.Errorf("it does not say that the pass is provisional:\n%s", text)
	}
}

// TestNote: a pass for which nothing had to be changed says so.
func TestNote(t *testing.T) {
	v := &verdict.Verdict{Exercise: "exercise29", Title: "T", Go: "go1.26.8", Pass: true, Note: "Nothing had to be changed."}
	text := plain(v, Options{Width: 80, Command: "checkalloc"})
	if !strings.Contains(text, "  note  Nothing had to be changed.\n\n") {
		t.Errorf("it does not have the note:\n%s", text)
	}
}

// plain renders v without color, and proves that it has some elsewhere.
func plain(v *verdict.Verdict, o Options) string {
	var b bytes.Buffer
	w := &colorprofile.Writer{Forward: &b, Profile: colorprofile.NoTTY}
	if !v.Pass {
		e := &exercise.Exercise{ID: v.Exercise, Manifest: exercise.Manifest{
			Techniques: []string{"interface"}, Edit: []string{"scan.go"},
		}}
		v.Advice = advice.Of(e, v, nil)
	}
	Verdict(w, v, o)
	if !v.Pass {
		Next(w, v, o)
	}
	return b.String()
}

// TestControl proves that neither the output of a program nor the name of a file controls the terminal.
func TestControl(t *testing.T) {
	v := &verdict.Verdict{
		Stage: verdict.StageTests, Tests: verdict.Tests{Run: 1, Failed: 1, Output: "a\x1b[2Jb\rc\u009bd\n"},
		SetAside: []string{"x\x1b]0;y\x07.go"},
	}
	var b bytes.Buffer
	Verdict(&colorprofile.Writer{Forward: &b, Profile: colorprofile.TrueColor}, v,
		Options{Command: "checkalloc", Width: 80})
	v.Stage, v.Errors = verdict.StageBuild, []verdict.Problem{{File: "x.go",
		Message: "cannot use \"\x1b[31m\" as int\n\thave"}}
	Verdict(&colorprofile.Writer{Forward: &b, Profile: colorprofile.TrueColor}, v,
		Options{Command: "checkalloc", Width: 80})
	v = &verdict.Verdict{Stage: verdict.StageBenchmark, Benchmarks: []verdict.Benchmark{{Name: "BenchmarkA/\x1b[2J"},
		{Name: "BenchmarkB"}}}
	v.Allocations = []verdict.Allocation{{Benchmark: "BenchmarkA/\x1b[2J", File: "a.go", Line: 1, Code: "x := 1",
		Why: "y"}}
	Verdict(&colorprofile.Writer{Forward: &b, Profile: colorprofile.TrueColor}, v,
		Options{Command: "checkalloc", Width: 80})
	for _, steer := range []string{"\x1b[2J", "\x1b[31m\"", "\r", "\u009b", "\x1b]0"} {
		if strings.Contains(b.String(), steer) {
			t.Errorf("%q reaches the terminal", steer)
		}
	}
}

// TestFitsBeside: a reason stands beside its figure unless that takes more lines than below it.
func TestFitsBeside(t *testing.T) {
	reason := strings.Repeat("word ", 20) // 99 columns
	for _, c := range []struct {
		text          string
		beside, below int
		want          bool
	}{
		{"short", 10, 100, true},
		{reason, 50, 71, true},
		{reason, 60, 111, true},
		{reason, 45, 111, false},
		{reason, 30, 40, false},
	} {
		if got := fitsBeside(strings.TrimSpace(c.text), c.beside, c.below); got != c.want {
			t.Errorf("%.20q… with %d columns beside and %d below: %v, want %v", c.text, c.beside, c.below, got, c.want)
		}
	}
}

// within proves that no line has color, and that no line is wider than the terminal except lines that quote a program's
// output.
func within(t *testing.T, text string, width int) {
	t.Helper()
	for i, l := range strings.Split(text, "\n") {
		if strings.ContainsRune(l, '\x1b') {
			t.Errorf("line %d has color: %q", i+1, l)
		}
		if lipgloss.Width(l) > width && !strings.HasPrefix(strings.TrimSpace(l), "│") {
			t.Errorf("line %d has %d columns: %s", i+1, lipgloss.Width(l), l)
		}
		if strings.TrimRight(l, " ") != l {
			t.Errorf("line %d ends in blanks: %q", i+1, l)
		}
	}
}
