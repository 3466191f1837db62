package analysis

import (
	"encoding/json"
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/programs"
	"onthestack/internal/verdict"
)

// TestBound tests that no list makes an answer large, and that a note says what is left out.
func TestBound(t *testing.T) {
	diagnostics := func(n int) (list []escape.Diagnostic) {
		for i := range n {
			list = append(list, escape.Diagnostic{File: "prog.go", Line: i + 1, Kind: escape.Escape,
				Message: strings.Repeat("x", 900) + " escapes to heap"})
		}
		return list
	}
	var allocations []verdict.Allocation
	for i := range 3000 {
		allocations = append(allocations,
			verdict.Allocation{File: "prog.go", Line: i + 1, Why: strings.Repeat("y", 900)})
	}
	report := &programs.Report{Escapes: diagnostics(4000), Verdict: &verdict.Verdict{Escapes: diagnostics(4000),
		Allocations: allocations, Inside: allocations}}
	bound(report)
	text, err := json.Marshal(report)
	if err != nil || len(text) > 4*maxList+10<<10 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	for _, want := range []string{" diagnostics from here on are left out, because the list is larger than 512 KiB",
		" lines that allocate less are left out", " lines of other packages that allocate less are left out"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("nothing says that %q", want)
		}
	}
	small := &programs.Report{Escapes: diagnostics(10)}
	if bound(small); len(small.Escapes) != 10 {
		t.Errorf("a small answer has %d diagnostics", len(small.Escapes))
	}
	none := &programs.Report{Escapes: []escape.Diagnostic{}}
	if bound(none); none.Escapes == nil {
		t.Error("no diagnostics became null")
	}
}
