package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/internal/present/terminal"
	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
)

// TestProofNext compares testdata/next.txt with the next step that the check of each starter names. A person has to
// read there whether the step leads toward the solution: each line has the techniques that the exercise practices.
func TestProofNext(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(catalog, sandbox.CheckLimits(), "checkalloc", strings.NewReader(""), nil, nil)
	checker := a.Checker()
	stop := app.PrepareBuilds(t.Context(), checker, catalog)
	var got bytes.Buffer
	for _, e := range catalog {
		v, err := checker.Check(t.Context(), e, e.Starter())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s (%s)\n", e.ID, strings.Join(e.Techniques, ", "))
		terminal.Step(&got, v, terminal.ExerciseOptions(e, e.Starter(), "checkalloc", 120))
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	golden := filepath.Join("testdata", "next.txt")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want)
	}
}
