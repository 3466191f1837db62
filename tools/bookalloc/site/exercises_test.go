package site

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"onthestack/internal/exercise"
)

func TestGoals(t *testing.T) {
	bytes := 64.0
	e := &exercise.Exercise{ID: "exercise6"}
	e.Benchmarks = []exercise.Benchmark{{Name: "BenchmarkA", Allocs: 1, Bytes: &bytes}, {Name: "BenchmarkB",
		Allocs: 0.5}}
	e.Figures = &exercise.Figures{Starter: []exercise.Figure{{Name: "BenchmarkB", AllocsPerOp: 2.25},
		{Name: "BenchmarkA", AllocsPerOp: 1, BytesPerOp: 79.6}}}
	got, err := goals(e)
	want := []Goal{
		{"BenchmarkA", "1", "1", "alloc/op", true},
		{"BenchmarkA", "80", "64", "B/op", false},
		{"BenchmarkB", "2.3", "0.5", "allocs/op", false},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"`Sum` adds 1.5 and\n2. It works.\n\nThe tests": "`Sum` adds 1.5 and 2.",
		"\nOnly one.\n": "Only one.",
		"None":          "None",
	} {
		if got := firstSentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestExercisesKeepSolutions proves that what the site shows of an exercise before a pass does not say what it teaches.
func TestExercisesKeepSolutions(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range catalog {
		if lead := firstSentence(e.Task); lead == "" || len(lead) > 300 || strings.Contains(lead, e.Teaches) {
			t.Errorf("%s: %d bytes: %q", e.ID, len(lead), lead)
		}
	}
	for _, name := range []string{"layouts/_partials/exercises/row.html", "content/exercises/_content.gotmpl"} {
		text, err := os.ReadFile(filepath.Join("../../../site", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), ".teaches") {
			t.Errorf("%s shows what an exercise teaches", name)
		}
	}
}

func TestGoalsUnmeasured(t *testing.T) {
	e := &exercise.Exercise{ID: "exercise14"}
	e.Benchmarks = []exercise.Benchmark{{Name: "BenchmarkA"}}
	for _, figures := range []*exercise.Figures{nil, {Starter: []exercise.Figure{{Name: "BenchmarkB"}}}} {
		e.Figures = figures
		if _, err := goals(e); err == nil || !strings.Contains(err.Error(), "dev seal exercise14") {
			t.Errorf("error %v", err)
		}
	}
}
