package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/internal/present/terminal"
	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
)

// TestProofNext compares testdata/next.txt with the next step that the check of each starter names. A person has to
// read there whether the step leads toward the solution: each paragraph has the techniques that the exercise practices.
// The Makefile may choose a sample of the exercises.
func TestProofNext(t *testing.T) {
	golden := filepath.Join("testdata", "next.txt")
	if *update {
		steps := nextSteps(t, func(string) bool { return true })
		if err := os.WriteFile(golden, []byte(strings.Join(steps, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	sample, chosen := os.LookupEnv("SAMPLE")
	want := strings.SplitAfter(string(text)+"\n", "\n\n")
	for _, step := range nextSteps(t, func(id string) bool {
		return !chosen || slices.Contains(strings.Fields(sample), id)
	}) {
		if !slices.Contains(want, step+"\n") {
			t.Errorf("testdata/next.txt has another step than\n%s", step)
		}
	}
}

// nextSteps checks the starters of the chosen exercises. It returns a paragraph for each: its ID, its techniques and
// the next step.
func nextSteps(t *testing.T, chosen func(id string) bool) []string {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	catalog = slices.DeleteFunc(slices.Clone(catalog), func(e *exercise.Exercise) bool { return !chosen(e.ID) })
	checker := app.New(catalog, sandbox.CheckLimits(), "checkalloc", strings.NewReader(""), nil, nil).Checker()
	stop := app.PrepareBuilds(t.Context(), checker, catalog)
	var steps []string
	for _, e := range catalog {
		v, err := checker.Check(t.Context(), e, e.Starter())
		if err != nil {
			t.Fatal(err)
		}
		var step bytes.Buffer
		fmt.Fprintf(&step, "%s (%s)\n", e.ID, strings.Join(e.Techniques, ", "))
		terminal.Step(&step, v, terminal.ExerciseOptions(e, e.Starter(), "checkalloc", 120))
		steps = append(steps, step.String())
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	return steps
}
