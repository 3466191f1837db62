package site

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func running(name string, took time.Duration) Status {
	return Status{Step: Step{Name: name, Does: "compile it", Estimate: 90 * time.Second}, State: Running, Took: took}
}

// TestReports follows a step that takes long where there is no terminal.
func TestReports(t *testing.T) {
	reported := map[string]time.Duration{}
	var got []string
	for second := range 45 {
		took := time.Duration(second) * time.Second
		got = append(got, reports(Snapshot{running("mdbook", took), {Step: Step{Name: "site"}, State: Waiting}},
			reported)...)
	}
	want := []string{"mdbook   compile it: about 90 s", "mdbook   21 s of about 90 s", "mdbook   41 s of about 90 s"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRunningLines(t *testing.T) {
	long := running("engine", 3*time.Second)
	long.Does = strings.Repeat("compile Go's compiler ", 9)
	got := runningLines(Snapshot{running("mdBook", 12*time.Second), {State: Waiting}, long})
	want := []string{"mdBook   12 s of about 90 s: compile it",
		"engine   3 s of about 90 s: compile Go's compiler compile Go's compiler comp..."}
	if !slices.Equal(got, want) || len(got[1]) != 79 {
		t.Errorf("%q, want %q", got, want)
	}
}
