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
		got = append(got, reports(Snapshot{running("mdbook", took), {Step: Step{Name: "site"}, State: Waiting}}, reported)...)
	}
	want := []string{"mdbook   compile it: about 90 s", "mdbook   21 s of about 90 s", "mdbook   41 s of about 90 s"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestStepsUnderWay(t *testing.T) {
	two := stepsUnderWay(Snapshot{running("mdbook", 12*time.Second), running("hugo", 3*time.Second)})
	if two != "mdbook 12 s of about 90 s, hugo 3 s of about 90 s" {
		t.Errorf("%q", two)
	}
	if many := stepsUnderWay(slices.Repeat(Snapshot{running("mdbook", 0)}, 9)); len(many) != 79 ||
		!strings.HasSuffix(many, "...") {
		t.Errorf("%d columns: %q", len(many), many)
	}
}
