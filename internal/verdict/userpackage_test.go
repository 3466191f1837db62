package verdict_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
	"onthestack/internal/verdict"
)

// userPackage is a package whose import path the linker spells otherwise, and its measurement.
func userPackage() (verdict.UserPackage, wire.Report) {
	u := verdict.UserPackage{
		ImportPath: "gopkg.in/x.v3", Dir: "/home/u/x", Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64", Built: true,
		Files: map[string][]byte{"x.go": []byte("package x\n\nfunc F() []byte { return make([]byte, 64) }\n"),
			"x_test.go": []byte("package x_test\n")},
		Diagnostics: []escape.Diagnostic{
			{Package: "gopkg.in/x.v3", File: "x.go", Line: 3, Col: 31, Kind: escape.Escape,
				Message: "make([]byte, 64) escapes to heap"},
			{Package: "gopkg.in/x.v3_test", File: "x_test.go", Line: 1, Col: 1, Kind: escape.Stays,
				Message: "b does not escape"},
		},
	}
	stack := wire.Stack{Objects: 40, Size: 64, Frames: []wire.Frame{
		{Func: "runtime.makeslice", File: "/go/src/runtime/slice.go", Line: 1},
		{Func: "gopkg.in/x%2ev3.F", File: "/home/u/x/x.go", Line: 3},
		{Func: "gopkg.in/x%2ev3_test.BenchmarkF", File: "/home/u/x/x_test.go", Line: 1},
	}}
	return u, wire.Report{Tested: true, Done: true, Benchmarks: []wire.Benchmark{
		{Name: "BenchmarkF", N: 1000, NsPerOp: 9, NsSamples: []float64{3, 1, 2, 8}, BytesPerOp: 64, AllocsPerOp: 1,
			Profiled: 40, Stacks: []wire.Stack{stack}},
		{Name: "BenchmarkF", N: 1000, NsPerOp: 9, BytesPerOp: 64, AllocsPerOp: 1, Profiled: 40,
			Stacks: []wire.Stack{stack}},
	}}
}

func ran(u verdict.UserPackage, r wire.Report, run execution.TestRun) verdict.UserPackage {
	u.Runs = []verdict.Run{{TestRun: &run, Measured: r}}
	return u
}

func TestUserPackage(t *testing.T) {
	u, r := userPackage()
	v := ran(u, r, execution.TestRun{Output: []byte("PASS\n")}).Explain()
	if !v.Pass || v.Stage != "" || v.Package != "gopkg.in/x.v3" || v.Title != v.Package {
		t.Fatalf("%+v", v)
	}
	if len(v.Benchmarks) != 2 || v.Benchmarks[0].NsPerOp != 2.5 || len(v.Benchmarks[0].NsSamples) != 4 ||
		v.Benchmarks[1].NsPerOp != 9 ||
		v.Benchmarks[1].Name != "BenchmarkF (external test)" {
		t.Errorf("%+v", v.Benchmarks)
	}
	if len(v.Allocations) != 2 {
		t.Fatalf("%+v", v.Allocations)
	}
	a := v.Allocations[0]
	if a.File != "x.go" || a.Line != 3 || a.Func != "F" || a.AllocsPerOp != 1 || a.BytesPerOp != 64 ||
		len(a.Reasons) != 1 || a.Why != "the slice's array moves to the heap" {
		t.Errorf("%+v", a)
	}
	if len(v.Escapes) != 1 || v.Escapes[0].File != "x.go" {
		t.Errorf("%+v", v.Escapes)
	}

	u.Runs = nil
	if v := u.Explain(); !v.Pass || len(v.Benchmarks) > 0 || len(v.Escapes) != 1 {
		t.Errorf("%+v", v)
	}
}

func TestUserPackageFails(t *testing.T) {
	u, r := userPackage()
	failed := wire.Benchmark{Name: "BenchmarkG", Failed: true}
	for name, test := range map[string]struct {
		report   wire.Report
		run      execution.TestRun
		want     string
		measured int
	}{
		"one fails": {wire.Report{Tested: true, Done: true, Benchmarks: append([]wire.Benchmark{failed},
			r.Benchmarks...)}, execution.TestRun{Output: []byte("why\nPASS\n")}, "BenchmarkG failed\nwhy", 2},
		"one hangs": {wire.Report{Tested: true, Running: "BenchmarkH", Benchmarks: r.Benchmarks},
			execution.TestRun{Stop: execution.Stop{Kind: execution.IdleTime, Time: time.Minute}},
			"BenchmarkH did not come to an end: the program ran for 1m0s without ending a benchmark", 2},
		"one panics": {wire.Report{Tested: true, Running: "BenchmarkH"}, execution.TestRun{Exit: 2,
			Output: []byte("panic: x")}, "the program ended in BenchmarkH (exit code 2)\npanic: x", 0},
		"TestMain exits": {wire.Report{}, execution.TestRun{Exit: 1},
			"the program ended before its benchmarks began (exit code 1)", 0},
		"it ends between": {wire.Report{Tested: true, Benchmarks: r.Benchmarks}, execution.TestRun{},
			"the program ended before all benchmarks did", 2},
	} {
		v := ran(u, test.report, test.run).Explain()
		if v.Pass || v.Stage != verdict.StageBenchmark || !strings.HasPrefix(v.Tests.Output, test.want) ||
			len(v.Benchmarks) != test.measured {
			t.Errorf("%s: %+v", name, v)
		}
	}
	u.Built, u.Runs = false, nil
	u.Problems, u.Lines = []escape.Diagnostic{{File: "x.go", Line: 3, Col: 1, Message: "undefined: y"}},
		[]string{"too many errors", ""}
	v := u.Explain()
	if v.Pass || v.Stage != verdict.StageBuild || len(v.Errors) != 2 ||
		v.Errors[0] != (verdict.Problem{File: "x.go", Line: 3, Col: 1, Message: "undefined: y"}) {
		t.Errorf("%+v", v)
	}
}

// TestUserPackageInterrupted: what was measured is kept, and what was not is listed.
func TestUserPackageInterrupted(t *testing.T) {
	u, r := userPackage()
	r.Done, r.Benchmarks, r.Running = false, r.Benchmarks[:1], "BenchmarkG/sub"
	u.Interrupted, u.Selected = true, []string{"BenchmarkF", "BenchmarkG", "BenchmarkH"}
	v := ran(u, r, execution.TestRun{Exit: -1}).Explain()
	want := []verdict.NotMeasured{
		{Name: "BenchmarkG/sub", Outcome: verdict.Stopped, Why: "interrupted"},
		{Name: "BenchmarkH", Outcome: verdict.NotRun, Why: "the run ended before it"},
	}
	if !v.Pass || len(v.Benchmarks) != 1 || !slices.Equal(v.NotMeasured, want) {
		t.Errorf("%+v", v)
	}
}

// TestUserPackageRuns: the benchmarks before and after one that ends the program have their figures.
func TestUserPackageRuns(t *testing.T) {
	u, r := userPackage()
	first, second := r, r
	first.Done, first.Benchmarks, first.Running = false, r.Benchmarks[:1], "BenchmarkG"
	second.Benchmarks = []wire.Benchmark{{Name: "BenchmarkH", N: 1000, Profiled: 40}}
	runs := ran(u, first, execution.TestRun{Exit: 2, Output: []byte("panic: x")}).Runs
	u.Runs = append(runs, ran(u, second, execution.TestRun{}).Runs...)
	v := u.Explain()
	want := []verdict.NotMeasured{
		{Name: "BenchmarkG", Outcome: verdict.Stopped, Why: "it ended the program (exit code 2)"},
	}
	if v.Pass || len(v.Benchmarks) != 2 || !slices.Equal(v.NotMeasured, want) ||
		!strings.HasPrefix(v.Tests.Output, "the program ended in BenchmarkG (exit code 2)\npanic: x") {
		t.Errorf("%+v", v)
	}
}
