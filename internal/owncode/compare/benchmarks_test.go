package compare

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// TestNs proves what a comparison reports about ns/op, depending on the samples.
func TestNs(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, new []float64 // nil: saved without samples
		want     string
		warning  string
	}{
		{"clearly faster", []float64{100, 101, 99, 100, 102, 98}, []float64{80, 81, 79, 80, 82, 78},
			"-20.00% (p=0.002 n=6), 100 ± 2% → 80 ± 3%", ""},
		{"tiny noise", []float64{100, 101, 99, 100, 102, 98}, []float64{101, 100, 99, 101, 98, 102},
			"~ (p=0.890 n=6), 100 ± 2% → 100.5 ± 2%", ""},
		{"too few to tell", []float64{100, 101, 99}, []float64{80, 81, 79}, "~ (p=0.100 n=3), 100 ± ∞ → 80 ± ∞",
			"need >= 4 samples"},
		{"one sample", []float64{100}, []float64{50}, "~ (p=1.000 n=1), 100 ± ∞ → 50 ± ∞", "need >= 4 samples"},
		{"no samples", nil, nil, "~ (p=1.000 n=1), 100 ± ∞ → 100 ± ∞", "all samples are equal"},
		{"none on the old side", nil, []float64{80, 81, 79, 80, 82, 78}, "~ (p=0.286 n=1+6), 100 ± ∞ → 80 ± 3%", ""},
		{"all equal", []float64{5, 5, 5, 5, 5, 5}, []float64{5, 5, 5, 5, 5, 5}, "~ (p=1.000 n=6), 5 ± 0% → 5 ± 0%",
			"all samples are equal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			old, new := made(t, begin+"}\n"), made(t, begin+"}\n")
			old.Verdict.Benchmarks[0].NsSamples, new.Verdict.Benchmarks[0].NsSamples = test.old, test.new
			was := fmt.Sprint(test.old)
			n := compared(t, old, new).Benchmarks[0].Ns
			got := fmt.Sprintf("%s (%s), %g ± %s → %g ± %s", n.Delta, n.Confidence(), n.Old.Median, n.Old.Range,
				n.New.Median, n.New.Range)
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if warnings := strings.Join(n.Warnings, "; "); !strings.Contains(warnings, test.warning) ||
				test.warning == "" && warnings != "" {
				t.Errorf("warnings %q, want %q", warnings, test.warning)
			}
			if fmt.Sprint(test.old) != was {
				t.Error("the verdict's samples were sorted")
			}
		})
	}
}

func TestExact(t *testing.T) {
	for _, test := range []struct {
		old, new float64
		want     string
	}{{2, 1, "-50.00%"}, {1, 1, "0.00%"}, {0, 0, "0.00%"}, {0, 3, "?"}, {3, 0, "-100.00%"}, {1, 1.025, "+2.50%"},
		{1, 1 + 1e-13, "0.00%"}} {
		if got := exact(test.old, test.new); got.Delta != test.want {
			t.Errorf("%g → %g: %s, want %s", test.old, test.new, got.Delta, test.want)
		}
	}
}

// TestSides: benchmarks that only one side has, and sides that have none.
func TestSides(t *testing.T) {
	both := func(names ...string) Side {
		s := made(t, begin+"\tx := new(T) // 1\n}\n")
		s.Verdict.Benchmarks = nil
		allocation := s.Verdict.Allocations[0]
		s.Verdict.Allocations = nil
		for _, name := range names {
			allocation.Benchmark = name
			s.Verdict.Allocations = append(s.Verdict.Allocations, allocation)
			s.Verdict.Benchmarks = append(s.Verdict.Benchmarks, verdict.Benchmark{Name: name, N: 10,
				AllocsPerOp: 1, BytesPerOp: 16})
		}
		return s
	}
	c := compared(t, both("A", "B", "C"), both("D", "C", "A"))
	if got := fmt.Sprint(benchmarkNames(c), c.OnlyOld, c.OnlyNew, len(c.Lines), c.Unchanged,
		c.More); got != "[C A] [B] [D] 0 2 false" {
		t.Error(got)
	}
	c = compared(t, both(), both("A"))
	if got := fmt.Sprintf("%v %v %v %d %v %s", benchmarkNames(c), c.OnlyOld, c.OnlyNew, len(c.Lines), c.More,
		c.Summary()); got != "[] [] [A] 0 false no benchmark ran on both sides, so nothing can be compared." {
		t.Error(got)
	}
	c = compared(t, Side{Label: "v1"}, both("A"))
	if got := fmt.Sprintf("%v %v %v %s %v %s", c.Old.Missing, c.New.Missing, c.OnlyNew, c.Package, c.More,
		c.Summary()); got != "true false [A] example.com/p false the package does not exist at v1, so there is "+
		"nothing to compare with." {
		t.Error(got)
	}

	old, failed := both("A"), both()
	failed.Verdict.Stage, failed.Label = verdict.StageBuild, "new.json"
	failed.Verdict.Errors = []verdict.Problem{{File: "a.go", Line: 3, Col: 1, Message: "undefined: x"}}
	for _, test := range []struct {
		old, new Side
		want     string
	}{
		{both("A"), both("B"), "no benchmark is on both sides: side has A, side has B"},
		{old, failed, "new.json was not measured: its build stage failed, so there is nothing to compare\n" +
			"a.go:3: undefined: x"},
	} {
		if _, err := Compare(test.old, test.new); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	// A target that was missed is no reason not to compare.
	old.Verdict.Stage = verdict.StageBenchmark
	compared(t, old, both("A"))
}

func benchmarkNames(c *Comparison) (all []string) {
	for _, b := range c.Benchmarks {
		all = append(all, b.Name)
	}
	return all
}

func TestSamePackage(t *testing.T) {
	a, b := &verdict.Verdict{Package: "example.com/a", Title: "a"}, &verdict.Verdict{Exercise: "exercise6", Title: "a"}
	if err := SamePackage(a, b); err == nil || !strings.Contains(err.Error(), `"example.com/a" and "exercise6"`) {
		t.Error(err)
	}
	if err := SamePackage(a, a); err != nil {
		t.Error(err)
	}
}

// TestReason proves that a change of the compiler's steps counts if the line's text is the same, and does not count if
// a variable in it was renamed.
func TestReason(t *testing.T) {
	side := func(code, step string) Side {
		s := made(t, begin+"\t"+code+" // 1\n}\n")
		s.Verdict.Allocations[0].Reasons = []verdict.Reason{{Line: 4, Message: "escapes", Why: "it escapes",
			Flow: []escape.Step{{File: "a.go", Line: 5, Message: step}}}}
		return s
	}
	c := compared(t, side("x := new(T)", "x is returned"), side("x := new(T)", "x is stored in an interface"))
	if got := outline(c); got != "reason a.go:4 → a.go:4 1 → 1 (it escapes → it escapes)" {
		t.Error(got)
	}
	if was, is := c.Lines[0].Reasons(); was != "it escapes: x is returned" ||
		is != "it escapes: x is stored in an interface" {
		t.Errorf("%s, %s", was, is)
	}
	if got := outline(compared(t, side("x := new(T)", "x is returned"),
		side("y := new(T)", "y is returned"))); got != "" {
		t.Error(got)
	}
}

// TestNotes proves that a comparison notes differences other than the code.
func TestNotes(t *testing.T) {
	old, new := made(t, begin+"}\n"), made(t, begin+"}\n")
	old.Verdict.Go, new.Verdict.Go = "go1.26.8", "go1.27.1"
	old.Verdict.GOOS, old.Verdict.GOARCH, new.Verdict.GOOS, new.Verdict.GOARCH = "linux", "amd64", "linux", "386"
	old.Verdict.Engine, new.Verdict.Engine = "native", "wasm"
	new.Verdict.Benchmarks[0].N = 7
	new.Verdict.Benchmarks[0].AllocsPerOp = 0.5
	if got := strings.Join(compared(t, old, new).Notes, "\n"); got != "measured with go1.26.8 and with go1.27.1\n"+
		"measured on linux/amd64 and on linux/386: sizes differ between platforms\n"+
		"measured with the native engine and with wasm: ns/op cannot be compared\n"+
		"BenchmarkF ran 1000 and 7 operations: occasional allocations are divided by different numbers" {
		t.Error(got)
	}
}

// TestJSON proves that the JSON has no null, and that decoding it gives the same comparison.
func TestJSON(t *testing.T) {
	for _, sides := range [][2]Side{
		{made(t, begin+"\tx := new(T) // 1\n}\n"), made(t, begin+"\ty := make([]int, n) // 2\n}\n")},
		{{Label: "none"}, made(t, begin+"}\n")},
	} {
		c := compared(t, sides[0], sides[1])
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "null") || !strings.HasPrefix(string(text),
			`{"schema":"checkalloc/comparison/1","package":"example.com/p",`) {
			t.Errorf("%s", text)
		}
		var back Comparison
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(back)
		if err != nil || string(again) != string(text) {
			t.Errorf("%v\n%s\n%s", err, text, again)
		}
	}
}
