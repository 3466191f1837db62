package verdict_test

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/internal/resultcache"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

// A wrongSolution is a file in testdata/wrong/exerciseN. It replaces an exercise's file, allocates as little as the
// target asks for, and is wrong. Its first line says what is wrong. NAME.go is the whole file. NAME.diff is a unified
// diff against the exercise's solution without comments, so that a reworded comment leaves it as it is.
type wrongSolution struct {
	name     string
	want     string // the stage that finds it
	only     string // the engine that finds it, "" for both
	wasm     bool   // goroutines or memory show it, which WebAssembly treats differently
	quick    bool   // "make test" checks it too, as an example of its kind
	exercise *exercise.Exercise
	source   []byte
}

var wrongSetting = regexp.MustCompile(`(?m)^(?:// )?(want|only|wasm|quick): (\w+)$`)

func readWrongSolutions(t *testing.T) []wrongSolution {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "wrong", "exercise*", "*.*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no file in testdata/wrong (%v)", err)
	}
	catalog := sealed(t)
	var all []wrongSolution
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		id := filepath.Base(filepath.Dir(name))
		s := wrongSolution{
			name:     id + "/" + strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)),
			want:     verdict.StageTests,
			exercise: catalog.Lookup(id),
			source:   text,
		}
		if s.exercise == nil {
			t.Fatalf("%s: no exercise %s", name, id)
		}
		for _, m := range wrongSetting.FindAllSubmatch(text, -1) {
			switch value := string(m[2]); string(m[1]) {
			case "want":
				s.want = value
			case "only":
				s.only = value
			case "wasm":
				s.wasm = value == "true"
			case "quick":
				s.quick = value == "true"
			}
		}
		if filepath.Ext(name) == ".diff" {
			if s.source, err = changed(s.exercise.Solution[s.exercise.Edit[0]], text); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		all = append(all, s)
	}
	return all
}

// changed returns a Go file without its comments, changed by a diff.
func changed(file, diff []byte) ([]byte, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "", file, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var plain, source bytes.Buffer
	if err := format.Node(&plain, fset, syntax); err != nil {
		return nil, err
	}
	files, _, err := gitdiff.Parse(bytes.NewReader(diff))
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("it changes %d files, want 1", len(files))
	}
	err = gitdiff.Apply(&source, bytes.NewReader(plain.Bytes()), files[0])
	return source.Bytes(), err
}

// TestWrongSolutions checks the wrong solutions that are marked as quick natively, one of each kind.
func TestWrongSolutions(t *testing.T) {
	c := quickWithRacer(t)
	checked := 0
	for _, s := range readWrongSolutions(t) {
		if s.quick {
			checked++
			s.check(t, resultcache.Checker{Checker: c})
		}
	}
	if checked < 5 {
		t.Errorf("only %d wrong solutions are marked as quick", checked)
	}
}

// TestProofWrongSolutions checks that no wrong solution of the sample of exercises passes natively, nor under
// WebAssembly if it shows there what it does not show natively. Most are there to hold the tests of their exercise, so
// a sample is enough that has the exercises which have changed. A data race that only the race detector finds is
// checked natively only; the file says so.
func TestProofWrongSolutions(t *testing.T) {
	all := slices.DeleteFunc(readWrongSolutions(t), func(s wrongSolution) bool { return !sampled(s.exercise.ID) })
	testWrongSolutions(t, all, func(s wrongSolution) bool { return s.wasm || s.quick })
}

// TestNightlyWrongSolutions checks every wrong solution on both engines.
func TestNightlyWrongSolutions(t *testing.T) {
	testWrongSolutions(t, readWrongSolutions(t), func(wrongSolution) bool { return true })
}

// TestNightlyWrongSolutionsAgain checks natively, many times, each wrong solution that a test has to find. Tests draw
// their inputs, and the draw of every run has to show the mistake: otherwise a learner passes by chance.
func TestNightlyWrongSolutionsAgain(t *testing.T) {
	const times = 20
	for _, s := range readWrongSolutions(t) {
		if s.only == "wasm" || s.want != verdict.StageTests {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			c := quickWithRacer(t)
			c.Runner = sandbox.Native{Limits: patientLimits(), FailFast: true}
			source := cachedBuild{builder: c.Builder}
			defer func() { source.close() }()
			c.Builder = &source
			for n := range times {
				v, err := c.Check(t.Context(), s.exercise, map[string][]byte{s.exercise.Edit[0]: s.source})
				if err != nil {
					t.Fatal(err)
				}
				if v.Stage != verdict.StageTests {
					t.Fatalf("time %d: pass %v, stage %q", n+1, v.Pass, v.Stage)
				}
			}
		})
	}
}

// testWrongSolutions checks wrong solutions natively, and under WebAssembly, where a check takes five times as long,
// the ones that only WebAssembly finds or that are selected.
func testWrongSolutions(t *testing.T, all []wrongSolution, onWasm func(wrongSolution) bool) {
	store, release := resultCache(t), installedRelease(t)
	native, wasm := quickWithRacer(t), server(t)
	// One failed test is enough.
	native.Runner = sandbox.Native{Limits: patientLimits(), FailFast: true}
	wasm.Runner = sandbox.Wasm{Limits: patientLimits(), FailFast: true}
	for _, s := range all {
		if s.only != "wasm" {
			s.check(t, resultcache.Checker{Checker: native, Cache: store, Go: release, Fails: s.want})
		}
		if s.only == "wasm" || s.only == "" && onWasm(s) {
			s.check(t, resultcache.Checker{Checker: wasm, Cache: store, Go: release, Fails: s.want})
		}
	}
}

// quickWithRacer returns the checker of quick, with the race detector.
func quickWithRacer(t *testing.T) verdict.Checker {
	c := quick(t)
	c.Racer = build.New(build.DefaultLimits())
	return c
}

// check fails the test unless a wrong solution fails at its stage.
func (s wrongSolution) check(t *testing.T, c resultcache.Checker) {
	t.Run(s.name+"/"+c.Runner.Engine(), func(t *testing.T) {
		limitBuilds(t)
		v, err := c.Check(t.Context(), s.exercise, map[string][]byte{s.exercise.Edit[0]: s.source})
		if err != nil {
			t.Fatal(err)
		}
		if v.Pass && s.only == "native" {
			needRace(t, v)
		}
		if v.Pass || v.Stage != s.want {
			t.Errorf("pass %v at stage %q, want stage %q\n%v\n%s\n%+v", v.Pass, v.Stage, s.want, v.Errors,
				v.Tests.Output, v.Benchmarks)
		}
		// A limit would stop the right solution too, so it proves nothing about this one.
		if strings.Contains(v.Tests.Output, "and was stopped") {
			t.Errorf("a limit ended it, and no test found what is wrong:\n%s", v.Tests.Output)
		}
	})
}
