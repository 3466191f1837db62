package verdict

import (
	"context"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/exercise"
)

// A stand is a Builder and a Runner that answer what they are told to.
type stand struct {
	build  Build
	report string
}

func (s stand) BuildTest(context.Context, Source) (*Build, error) {
	b := s.build
	b.Close = func() error { return nil }
	return &b, nil
}

func (stand) Engine() string { return "native" }

func (s stand) RunTest(context.Context, string) (*Run, error) {
	return &Run{Report: []byte(s.report)}, nil
}

func TestStage(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := catalog[0]
	measured := func(allocs string) string {
		report := "tests 0\n"
		for _, b := range e.Benchmarks {
			report += "benchmark \"" + b.Name + "\" 1000 1 0 " + allocs + " 1000\n"
		}
		return report + "done\n"
	}
	broken := map[string][]byte{}
	for name := range e.Starter() {
		broken[name] = []byte("package")
	}
	for name, test := range map[string]struct {
		files  map[string][]byte
		stand  stand
		passed string
		failed string
	}{
		"policy":    {nil, stand{}, "", StagePolicy},
		"unread":    {broken, stand{build: Build{OK: true}}, "", StagePolicy},
		"syntax":    {broken, stand{}, "policy", StageBuild},
		"build":     {e.Starter(), stand{}, "policy", StageBuild},
		"died":      {e.Starter(), stand{build: Build{OK: true}}, "policy build", StageTests},
		"tests":     {e.Starter(), stand{Build{OK: true}, "tests 1\ndone\n"}, "policy build", StageTests},
		"cut off":   {e.Starter(), stand{Build{OK: true}, "tests 0\nbench"}, "policy build tests", StageBenchmark},
		"benchmark": {e.Starter(), stand{Build{OK: true}, measured("99")}, "policy build tests", StageBenchmark},
		"all":       {e.Starter(), stand{Build{OK: true}, measured("0")}, "policy build tests benchmark", ""},
	} {
		var passed []string
		c := Checker{Builder: test.stand, Runner: test.stand, Stage: func(stage string) { passed = append(passed, stage) }}
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
	}
}

func TestReportJunk(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	s := stand{Build{OK: true}, "tests 0\nPASS\n"}
	_, err = Checker{Builder: s, Runner: s}.Check(t.Context(), catalog[0], catalog[0].Starter())
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a report that is none: %v", err)
	}
}

// TestOnlyTests: what a check would not run is an error, not a test that is left out unseen.
func TestOnlyTests(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := *catalog[0]
	for _, function := range []string{"ExampleX()", "FuzzX(f *testing.F)"} {
		e.Files = map[string][]byte{"more_test.go": []byte("package x_test\n\nfunc " + function + " {}\n")}
		_, err = Checker{Builder: stand{}, Runner: stand{}}.Check(t.Context(), &e, e.Solution)
		if err == nil || !strings.Contains(err.Error(), "more_test.go: func "+function[:4]) {
			t.Errorf("%s: %v", function, err)
		}
	}
}
