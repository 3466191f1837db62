package verdict_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/sandbox/jail"
	"onthestack/internal/verdict"
)

func native() verdict.Checker {
	return verdict.Checker{Builder: build.New(build.DefaultLimits()), Runner: sandbox.Native{Limits: patientLimits()}}
}

// patientLimits returns limits whose times are out of reach, however busy the machine is.
func patientLimits() sandbox.Limits {
	limits := sandbox.CheckLimits()
	limits.Time, limits.Ready = 5*time.Minute, 5*time.Minute
	return limits
}

// quick returns a native checker that builds without the go command where possible, as a session of checks does.
func quick(t *testing.T) verdict.Checker {
	t.Helper()
	p, err := prepared()
	if err != nil {
		t.Fatal(err)
	}
	return verdict.Checker{Builder: p, Runner: sandbox.Native{Limits: patientLimits()}}
}

// prepared lists the standard library's archives once for all tests; TestMain closes it.
var prepared = sync.OnceValues(func() (*build.Toolchain, error) {
	catalog, err := exercise.Sealed()
	if err != nil {
		return nil, err
	}
	t := build.New(build.DefaultLimits())
	closing = append(closing, t.Close)
	return t, t.Prepare(context.Background(), imported(catalog)...)
})

// isolated builds as the server does, without the go command where that can be done. It is opened once for all tests;
// TestMain closes it.
var isolated = sync.OnceValues(func() (*build.Isolated, error) {
	catalog, err := exercise.Sealed()
	if err != nil {
		return nil, err
	}
	t, err := build.OpenCached(context.Background(), build.SandboxLimits(), build.IsolatedOptions{},
		imported(catalog)...)
	if err != nil {
		return nil, err
	}
	closing = append(closing, t.Close)
	return t, nil
})

// imported returns the import paths that checks of the exercises need.
func imported(catalog exercise.Catalog) (paths []string) {
	for _, e := range catalog {
		paths = append(paths, e.Dependencies()...)
	}
	return paths
}

var closing []func() error

func TestMain(m *testing.M) {
	jail.Main()
	code := m.Run()
	for _, f := range closing {
		if err := f(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// wasm returns a checker that builds with the go command and runs WebAssembly, as "checkalloc -engine wasm" does.
func wasm() verdict.Checker {
	return verdict.Checker{Builder: build.NewWasm(build.SandboxLimits()), Runner: sandbox.Wasm{Limits: patientLimits()}}
}

// server returns a checker that builds and runs as the server does. Its programs link fewer packages, so that they take
// less time to compile to machine code.
func server(t *testing.T) verdict.Checker {
	t.Helper()
	tools, err := isolated()
	if err != nil {
		t.Fatal(err)
	}
	return verdict.Checker{Builder: tools, Runner: sandbox.Wasm{Limits: patientLimits()}}
}

// confined returns a checker that builds for this machine as quick does, and confines programs as a server does where
// it can.
func confined(t *testing.T) verdict.Checker {
	t.Helper()
	if err := sandbox.Confinable(); err != nil {
		t.Skipf("NOT TESTED: this machine cannot confine programs: %v", err)
	}
	c := quick(t)
	c.Runner = sandbox.Confined{Limits: patientLimits()}
	return c
}

// hastyRunner returns a runner with a short time limit, for programs that do not end.
func hastyRunner(engine string, limit time.Duration) verdict.Runner {
	limits := sandbox.CheckLimits()
	limits.Time = limit
	switch engine {
	case "wasm":
		return sandbox.Wasm{Limits: limits}
	case "confined":
		return sandbox.Confined{Limits: limits}
	}
	return sandbox.Native{Limits: limits}
}

func sealed(t *testing.T) exercise.Catalog {
	t.Helper()
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	if len(catalog) == 0 {
		t.Fatal("no exercise is sealed")
	}
	return catalog
}

// family returns the exercises whose function the forgeries have, Replace.
func family(t *testing.T) exercise.Catalog {
	t.Helper()
	return slices.DeleteFunc(sealed(t), func(e *exercise.Exercise) bool { return e.Function != "Replace" })
}

// A forgery is an archive in testdata/forgeries or testdata/honest: a description, what the check has to report, and
// the solver's files. The name solution.go stands for the exercise's own file, and "package stream" for its package.
type forgery struct {
	name     string
	want     string // the stage that catches it
	setAside string // the file that has to be named as set aside, if any
	allocs   float64
	message  string // a part of an error's message
	hangs    bool   // it does not end, so a short time limit is enough
	// torn is true if it races in the benchmark, and is right otherwise. The race detector finds that. WebAssembly runs
	// one goroutine at a time, and the first one waits in a loop for the second one, so that a time limit ends it.
	torn bool
	// It is tried in make test if nothing else is said; in make proof if it takes long; or in make nightly if an
	// earlier tier tries one of its kind.
	proof, nightly bool
	confined       bool // a limit ends it or it writes to the report, so that make proof also tries it confined
	// exercise is the exercise that it is tried on; "" stands for every exercise of the family.
	exercise string
	files    []txtar.File
}

var setting = regexp.MustCompile(`(?m)^(want|aside|says|exercise|hangs|torn|proof|nightly|confined|nest|allocs|crlf|bom)(?:: (.*))?$`)

func readForgeries(t *testing.T, dir string) []forgery {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no archive in testdata/%s (%v)", dir, err)
	}
	var all []forgery
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := forgery{name: strings.TrimSuffix(filepath.Base(name), ".txtar"), files: a.Files}
		for _, m := range setting.FindAllStringSubmatch(string(a.Comment), -1) {
			switch m[1] {
			case "want":
				f.want = m[2]
			case "aside":
				f.setAside = m[2]
			case "allocs":
				if f.allocs, err = strconv.ParseFloat(m[2], 64); err != nil {
					t.Fatal(err)
				}
			case "nest":
				n, err := strconv.Atoi(m[2])
				if err != nil {
					t.Fatal(err)
				}
				f.replace("NEST", strings.Repeat("(", n)+"1"+strings.Repeat(")", n))
			case "says":
				f.message = m[2]
			case "exercise":
				f.exercise = m[2]
			case "hangs":
				f.hangs = true
			case "torn":
				f.torn = true
			case "proof":
				f.proof = true
			case "nightly":
				f.nightly = true
			case "confined":
				f.confined = true
			case "crlf":
				f.replace("\n", "\r\n")
			case "bom":
				f.replace("package stream", "\ufeffpackage stream")
			}
		}
		all = append(all, f)
	}
	return all
}

func (f *forgery) replace(old, by string) {
	for i := range f.files {
		f.files[i].Data = bytes.ReplaceAll(f.files[i].Data, []byte(old), []byte(by))
	}
}

var packageClause = regexp.MustCompile(`(?m)^(\x{feff}?package )stream(_test)?(\r?)$`)

// in returns the forgery's files as a solution of e.
func (f *forgery) in(e *exercise.Exercise) map[string][]byte {
	files := map[string][]byte{}
	for _, file := range f.files {
		name := file.Name
		if name == "solution.go" {
			name = e.Edit[0]
		}
		if name == "stream_test.go" {
			name = strings.TrimSuffix(e.Edit[0], ".go") + "_test.go"
		}
		files[name] = packageClause.ReplaceAll(file.Data, []byte("${1}"+e.Package+"${2}${3}"))
	}
	return files
}

// TestForgeries checks programs that try to pass without solving the exercise, natively.
func TestForgeries(t *testing.T) {
	testForgeries(t, quick(t), func(f forgery) bool { return !f.proof && !f.nightly })
}

// TestProofForgeries is TestForgeries for those whose benchmarks take long.
func TestProofForgeries(t *testing.T) {
	testForgeries(t, quick(t), func(f forgery) bool { return f.proof })
}

// TestProofConfinedForgeries is TestForgeries on the confined engine, for those that it treats differently.
func TestProofConfinedForgeries(t *testing.T) {
	testForgeries(t, confined(t), func(f forgery) bool { return f.confined })
}

// TestNightlyForgeries is TestForgeries on the other engines, and natively for the rest of a kind.
func TestNightlyForgeries(t *testing.T) {
	t.Run("wasm", func(t *testing.T) { testForgeries(t, server(t), func(forgery) bool { return true }) })
	t.Run("native", func(t *testing.T) { testForgeries(t, quick(t), func(f forgery) bool { return f.nightly }) })
	t.Run("confined", func(t *testing.T) { testForgeries(t, confined(t), func(f forgery) bool { return !f.confined }) })
}

// testForgeries tries forgeries that the policy refuses on every exercise of the family, since they never run. Each of
// the others is tried on one exercise of the family, in turn.
func testForgeries(t *testing.T, c verdict.Checker, selected func(forgery) bool) {
	catalog, all := family(t), readForgeries(t, "forgeries")
	if len(all) < 25 {
		t.Errorf("only %d forgeries", len(all))
	}
	shared := newCachedRun(c)
	t.Cleanup(shared.close)
	c.Builder, c.Runner = shared, shared
	builds := 0
	for _, f := range all {
		exercises := catalog
		switch {
		case f.setAside != "":
			exercises = catalog[:1] // what is left is the same for most of them
		case f.exercise != "":
			exercises = exercise.Catalog{sealed(t).Lookup(f.exercise)}
		case f.want != verdict.StagePolicy:
			exercises = exercise.Catalog{catalog[builds%len(catalog)]}
			builds++
		}
		if !selected(f) {
			continue
		}
		for _, e := range exercises {
			c := f.checker(t, c)
			t.Run(f.name+"/"+e.ID+"/"+c.Runner.Engine(), func(t *testing.T) {
				limitBuilds(t)
				v, err := c.Check(t.Context(), e, f.in(e))
				if err != nil {
					t.Fatal(err)
				}
				if v.Pass || v.Stage != f.want {
					t.Errorf("pass %v at stage %q, want stage %q\n%v\n%s\n%+v", v.Pass, v.Stage, f.want, v.Errors,
						v.Tests.Output, v.Benchmarks)
				}
				aside := f.setAside
				if aside == "stream_test.go" {
					aside = strings.TrimSuffix(e.Edit[0], ".go") + "_test.go"
				}
				if aside != "" && !slices.Contains(v.SetAside, aside) {
					t.Errorf("set aside %v, want %s among them", v.SetAside, aside)
				}
				if f.message != "" && !slices.ContainsFunc(v.Errors, func(p verdict.Problem) bool {
					return strings.Contains(p.Message, f.message)
				}) {
					t.Errorf("no error says %q: %v", f.message, v.Errors)
				}
				for _, b := range v.Benchmarks {
					if b.AllocsPerOp < f.allocs {
						t.Errorf("%v allocs/op, it makes %v at least", b.AllocsPerOp, f.allocs)
					}
				}
				told := len(v.Benchmarks) > 0 || v.Tests.Output != ""
				for _, p := range v.Errors {
					told = told || p.File != "" && p.Message != ""
				}
				if !told {
					t.Error("the verdict does not say why")
				}
			})
		}
	}
}

// checker returns c with what it takes to refuse a forgery in little time.
func (f forgery) checker(t *testing.T, c verdict.Checker) verdict.Checker {
	// A program with this limit has to pass its tests first, even on a busy machine.
	const patient = 5 * time.Second
	switch engine := c.Runner.Engine(); {
	case f.hangs && f.want == verdict.StageTests:
		c.Runner = hastyRunner(engine, time.Second)
	case f.hangs || f.torn && engine == "wasm":
		c.Runner = hastyRunner(engine, patient)
	case f.torn && engine == "native":
		c.Racer = build.New(build.DefaultLimits())
	case f.torn:
		serial := server(t)
		serial.Runner = hastyRunner("wasm", patient)
		c.Serial = &serial
	}
	return c
}

// TestHonest checks that the policy accepts everything that a solution may have, and that solutions other than ours
// pass.
func TestHonest(t *testing.T) {
	catalog := family(t)
	for i, f := range readForgeries(t, "honest") {
		e := catalog[i%len(catalog)]
		if f.exercise != "" {
			e = sealed(t).Lookup(f.exercise)
		}
		t.Run(f.name, func(t *testing.T) {
			limitBuilds(t)
			v, err := quick(t).Check(t.Context(), e, f.in(e))
			if err != nil {
				t.Fatal(err)
			}
			if v.Stage == verdict.StagePolicy || v.Stage == verdict.StageBuild || v.Stage == verdict.StageTests {
				t.Errorf("stage %q\n%v\n%s", v.Stage, v.Errors, v.Tests.Output)
			}
			if f.exercise != "" && !v.Pass {
				t.Errorf("an honest solution of %s does not pass: stage %q\n%v\n%s\n%+v", f.exercise, v.Stage, v.Errors,
					v.Tests.Output, v.Benchmarks)
			}
		})
	}
}

// building bounds how many builds run at a time, since the go command uses all processors by itself.
var building = make(chan struct{}, 2)

func limitBuilds(t *testing.T) {
	t.Helper()
	t.Parallel()
	building <- struct{}{}
	t.Cleanup(func() { <-building })
}
