package verdict

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/harness/wire"
)

// A fakeEngine is a Builder and a Runner that returns a prepared build and prepared reports.
type fakeEngine struct {
	build             execution.Build
	tests, benchmarks string // reports
}

func (s fakeEngine) BuildTest(context.Context, execution.Source) (*execution.Build, error) {
	b := s.build
	b.Close = func() error { return nil }
	return &b, nil
}

func (fakeEngine) Engine() string { return "native" }

func (s fakeEngine) Load(context.Context, string) (execution.TestProgram, error) { return s, nil }

func (s fakeEngine) Run(_ context.Context, part string) (*execution.TestRun, error) {
	return &execution.TestRun{Report: []byte(map[string]string{wire.Tests: s.tests,
			wire.Benchmarks: s.benchmarks}[part])},
		nil
}

func (fakeEngine) Close() error { return nil }

func TestStage(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := catalog[0]
	const passed = "tests 0\ndone\n"
	measured := func(allocs, confirmed string) string {
		report := "benchmarks\n"
		for _, b := range e.Benchmarks {
			for _, name := range append([]string{b.Name}, b.Confirm...) {
				report += "benchmark \"" + name + "\" 1000 1 0 " + allocs + " 1000 0 false 0 0 0 " + confirmed + "\n"
			}
		}
		return report + "done\n"
	}
	broken := map[string][]byte{}
	for name := range e.Starter() {
		broken[name] = []byte("package")
	}
	for name, test := range map[string]struct {
		files  map[string][]byte
		stand  fakeEngine
		passed string
		failed string
	}{
		"policy": {nil, fakeEngine{}, "", StagePolicy},
		"unread": {broken, fakeEngine{build: execution.Build{OK: true}}, "", StagePolicy},
		"syntax": {broken, fakeEngine{}, "policy", StageBuild},
		"build":  {e.Starter(), fakeEngine{}, "policy", StageBuild},
		"died":   {e.Starter(), fakeEngine{build: execution.Build{OK: true}}, "policy build", StageTests},
		"tests": {e.Starter(), fakeEngine{execution.Build{OK: true}, "tests 1\ndone\n",
			measured("0", "20000 0")},
			"policy build", StageTests},
		"cut off": {e.Starter(), fakeEngine{execution.Build{OK: true}, passed, "benchmarks\nbench"},
			"policy build tests", StageBenchmark},
		"benchmark": {e.Starter(), fakeEngine{execution.Build{OK: true}, passed, measured("99", "0 0")},
			"policy build tests", StageBenchmark},
		"all": {e.Starter(), fakeEngine{execution.Build{OK: true}, passed, measured("0", "20000 0")},
			"policy build tests benchmark", ""},

		"not confirmed": {e.Starter(), fakeEngine{execution.Build{OK: true}, passed, measured("0", "0 0")},
			"policy build tests", StageBenchmark},
		"too much ahead": {e.Starter(), fakeEngine{execution.Build{OK: true}, passed,
			measured("0", "20000 300000")}, "policy build tests", StageBenchmark},
		"measured beside the tests": {e.Starter(), fakeEngine{execution.Build{OK: true},
			strings.Replace(measured("0", "20000 0"), "benchmarks", "tests 0", 1), ""},
			"policy build tests", StageBenchmark},
	} {
		var passed []string
		c := Checker{Builder: test.stand, Runner: test.stand,
			Stage: func(stage string) { passed = append(passed, stage) }}
		v, err := c.Check(t.Context(), e, test.files)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.Join(passed, " ") != test.passed || v.Stage != test.failed {
			t.Errorf("%s: passed %v, failed %q, want %s and %q", name, passed, v.Stage, test.passed, test.failed)
		}
		if all := append(passed, v.Stage); v.Stage != "" && !slices.Equal(all, Stages()[:len(all)]) {
			t.Errorf("%s: %v are not the first of %v", name, all, Stages())
		}
		// A build has the same verdict until then, and loads no program.
		want := v
		if v.Stage == "" || v.Stage == StageBenchmark {
			want = &Verdict{Stage: StageTests}
		}
		built, err := Checker{Builder: test.stand, Runner: notRun{t: t}}.Build(t.Context(), e, test.files)
		if err != nil || built.Stage != want.Stage || !reflect.DeepEqual(built.Escapes, v.Escapes) ||
			want.Stage != StageTests && !reflect.DeepEqual(built.Errors, v.Errors) {
			t.Errorf("%s: built: %+v, %v, want %+v", name, built, err, want)
		}
	}
}

// notRun is a Runner of which nothing is asked but its name.
type notRun struct{ t *testing.T }

func (notRun) Engine() string { return "native" }

func (r notRun) Load(context.Context, string) (execution.TestProgram, error) {
	r.t.Error("a program is loaded")
	return nil, errors.New("a program is loaded")
}

// TestLeave checks that a pass says so if nothing had to be changed.
func TestLeave(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := *catalog[0]
	report := "benchmarks\n"
	for _, b := range e.Benchmarks {
		for _, name := range append([]string{b.Name}, b.Confirm...) {
			report += "benchmark \"" + name + "\" 1000 1 0 0 1000 0 false 0 0 0 20000 0\n"
		}
	}
	s := fakeEngine{execution.Build{OK: true}, "tests 0\ndone\n", report + "done\n"}
	for _, e.Leave = range []bool{false, true} {
		v, err := Checker{Builder: s, Runner: s}.Check(t.Context(), &e, e.Starter())
		if err != nil || !v.Pass || e.Leave != strings.HasPrefix(v.Note, "Nothing had to be changed") {
			t.Errorf("leave %v: error %v, pass %v, note %q", e.Leave, err, v.Pass, v.Note)
		}
	}
}

func TestReportJunk(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []fakeEngine{{execution.Build{OK: true}, "tests 0\nPASS\n", ""}, {execution.Build{OK: true},
		"tests 0\ndone\n", "benchmarks\nPASS\n"}} {
		_, err = Checker{Builder: s, Runner: s}.Check(t.Context(), catalog[0], catalog[0].Starter())
		if err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("a report that is none: %v", err)
		}
	}
}

// TestOnlyTests checks that an exercise with functions that a check would not run is an error, rather than passing with
// those functions left out.
func TestOnlyTests(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := *catalog[0]
	for _, function := range []string{"ExampleX()", "FuzzX(f *testing.F)"} {
		e.Files = map[string][]byte{"more_test.go": []byte("package x_test\n\nfunc " + function + " {}\n")}
		_, err = Checker{Builder: fakeEngine{}, Runner: fakeEngine{}}.Check(t.Context(), &e, e.Solution)
		if err == nil || !strings.Contains(err.Error(), "more_test.go: func "+function[:4]) {
			t.Errorf("%s: %v", function, err)
		}
	}
}
