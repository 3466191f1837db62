package build_test

import (
	"context"
	"errors"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/escape"
	"onthestack/internal/execution"
)

func TestMain(m *testing.M) {
	code := m.Run()
	for _, t := range opened {
		t.Close()
	}
	os.Exit(code)
}

var (
	opened   []*build.Isolated
	directly = sync.OnceValues(func() (*build.Isolated, error) { return open(build.IsolatedOptions{}) })
	command  = sync.OnceValues(func() (*build.Isolated, error) {
		return open(build.IsolatedOptions{CommandOnly: true})
	})
)

func open(o build.IsolatedOptions) (*build.Isolated, error) {
	dir, err := build.SharedFolder()
	if err != nil {
		return nil, err
	}
	limits := build.StrangerLimits()
	limits.Time, limits.CPU = time.Minute, time.Minute // other tests run beside these
	t, err := build.OpenIsolated(dir, limits, o)
	if err != nil {
		return nil, err
	}
	opened = append(opened, t)
	return t, t.Prepare(context.Background(), imported...)
}

// imported are the import paths of most programs in these tests.
var imported = []string{"fmt", "os", "time", "strings", "errors", "runtime", "runtime/debug",
	// of exercises
	"bytes", "encoding/binary", "io", "math", "math/rand/v2", "slices", "strconv", "sync", "testing", "weak"}

// both returns an Isolated that builds without the go command if it can, and one that never does.
func both(t testing.TB) (d, c *build.Isolated) {
	t.Helper()
	d, err := directly()
	if err != nil {
		t.Fatal(err)
	}
	if c, err = command(); err != nil {
		t.Fatal(err)
	}
	return d, c
}

// program returns a program of files with these names and texts, in a module of this release's language unless it has a
// go.mod.
func program(files ...string) execution.Source {
	language := strings.TrimPrefix(version.Lang(runtime.Version()), "go")
	p := execution.Source{Files: map[string][]byte{"go.mod": []byte("module play\n\ngo " + language + "\n")}}
	for i := 0; i < len(files); i += 2 {
		p.Files[files[i]] = []byte(files[i+1])
	}
	return p
}

// built fails the test if there is no Build.
func built(t testing.TB) func(*execution.Build, error) *execution.Build {
	return func(b *execution.Build, err error) *execution.Build {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
}

const hello = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hi\") }\n"

func TestProgramsTests(t *testing.T) {
	d, _ := both(t)
	p := program("prog_test.go", "package main\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) { "+
		"t.Log(\"said\") }\n\nfunc TestTwo(t *testing.T) { t.Fatal(\"no\") }\n")
	p.Test = true
	b := built(t)(d.Build(t.Context(), p))
	if !b.OK {
		t.Fatalf("%s%s", b.Output, b.Stop)
	}
	if out := run(t, b.Binary, "-test.v"); !strings.Contains(out, "--- PASS: TestOne") ||
		!strings.Contains(out, "--- FAIL: TestTwo") {
		t.Error(out)
	}
}

// TestProofExperiment proves that a program gets the experiments that it names. All packages that it needs are compiled
// for it, so it prints with println alone; for an experiment that is off by default, the default limit of time may be
// too short.
func TestProofExperiment(t *testing.T) {
	_, c := both(t)
	p := program("on.go", "//go:build goexperiment.heapminimum512kib && goexperiment.fieldtrack\n\npackage main\n"+
		"\nconst found = true\n",
		"off.go", "//go:build !goexperiment.heapminimum512kib || !goexperiment.fieldtrack\n\npackage main\n\n"+
			"const found = false\n",
		"prog.go", "package main\n\nfunc main() { println(found) }\n")
	for _, want := range []string{"false\nexit 0", "true\nexit 0"} {
		start := time.Now()
		b := built(t)(c.Build(t.Context(), p))
		t.Logf("built in %v", time.Since(start).Round(time.Millisecond))
		if !b.OK {
			t.Fatalf("%s%s", b.Output, b.Stop)
		}
		if out := run(t, b.Binary); out != want {
			t.Errorf("with the experiments %q it prints %q, want %q", p.Experiments, out, want)
		}
		p.Experiments = []string{"heapminimum512kib", "fieldtrack"}
	}
}

// TestProofExperimentContinues builds a program with an experiment within a limit that is too short for compiling what
// it imports. The compilation goes on, so that a later build ends.
func TestProofExperimentContinues(t *testing.T) {
	d, _ := both(t)
	limits := build.StrangerLimits()
	limits.Time, limits.CPU = 2*time.Second, time.Minute
	tools, err := build.OpenIsolated(withStandardLibrary(t, d), limits, build.IsolatedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tools.Close() })
	if err := tools.Prepare(t.Context(), "fmt"); err != nil {
		t.Fatal(err)
	}
	p := program("prog.go", "package main\n\nimport (\n\t\"encoding/json/v2\"\n\t\"fmt\"\n)\n\n"+
		"func main() {\n\ttext, err := json.Marshal([]int(nil))\n\tfmt.Println(string(text), err)\n}\n")
	p.Experiments = []string{"jsonv2"}
	for stopped := 0; ; stopped++ {
		b := built(t)(tools.Build(t.Context(), p))
		if b.OK {
			if out := run(t, b.Binary); out != "[] <nil>\nexit 0" {
				t.Errorf("it prints %q", out)
			}
			t.Logf("%d builds were stopped before", stopped)
			return
		}
		if b.Stop.Kind != execution.BuildTime {
			t.Fatalf("%s%s", b.Output, b.Stop)
		}
		if stopped == 0 && !strings.Contains(string(b.Output), "run the program again") {
			t.Errorf("the first build says %q", b.Output)
		}
	}
}

// TestReport proves that the escape report on a program is the same with the go command and without, and that the
// program needs no main function.
func TestReport(t *testing.T) {
	d, c := both(t)
	p := program("prog.go", "package main\n\nfunc f() *int {\n\tx := 1\n\treturn &x\n}\n")
	one, other := built(t)(d.Report(t.Context(), p)), built(t)(c.Report(t.Context(), p))
	if !one.OK || string(one.Output) != string(other.Output) || one.Binary != "" || other.Binary != "" {
		t.Errorf("%v\n%s\nby the go command %v\n%s", one.OK, one.Output, other.OK, other.Output)
	}
	diagnostics, _ := escape.Parse(one.Output)
	if !slices.ContainsFunc(diagnostics, func(d escape.Diagnostic) bool {
		return d.Package == "play" && d.File == "play/prog.go" && d.Line == 4 && d.Message == "moved to heap: x"
	}) {
		t.Errorf("%+v", diagnostics)
	}
}

func TestVet(t *testing.T) {
	d, _ := both(t)
	const wrong = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Printf(\"%d\\n\", \"x\") }\n"
	for _, c := range []struct{ text, want string }{
		{hello, ""},
		{wrong, "prog.go:5:27: fmt.Printf format %d has arg \"x\" of wrong type string\n"},
	} {
		// Twice: nothing is replayed from an earlier build.
		for range 2 {
			vet, err := d.Vet(t.Context(), program("prog.go", c.text))
			if err != nil || vet.OK != (c.want == "") || string(vet.Output) != c.want {
				t.Errorf("OK %v, %q, %v, want %q", vet.OK, vet.Output, err, c.want)
			}
		}
	}
}

// TestPrepared proves that only the standard library can be prepared, and that a program may import packages that were
// not.
func TestPrepared(t *testing.T) {
	d, c := both(t)
	for _, path := range []string{"nosuch", "internal/abi", "example.com/a", "./..."} {
		if err := d.Prepare(t.Context(), path); err == nil || !strings.Contains(err.Error(),
			"not a package of the standard library") {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, tools := range []*build.Isolated{d, c} {
		b := built(t)(tools.Build(t.Context(), program("prog.go", "package main\n\nimport \"container/ring\"\n\n"+
			"func main() { println(ring.New(3).Len()) }\n")))
		if out := run(t, b.Binary); out != "3\nexit 0" {
			t.Errorf("%q %s", out, b.Output)
		}
	}
}

func TestStdAndZones(t *testing.T) {
	d, _ := both(t)
	std, err := d.Std(t.Context())
	if err != nil || !slices.Contains(std, "net/http") || slices.Contains(std, "internal/abi") ||
		slices.Contains(std, "cmd/go") {
		t.Errorf("%v, %v", std, err)
	}
	if zones, err := d.Zones(); err != nil || !strings.HasPrefix(string(zones), "PK") {
		t.Errorf("%.10q, %v", zones, err)
	}
	if v := d.Version(); !strings.HasPrefix(v, "go1.") {
		t.Errorf("%s, %v", v, err)
	}
}

// TestWithoutModule proves that the go.mod of a folder above is not used.
func TestWithoutModule(t *testing.T) {
	d, _ := both(t)
	p := program("prog.go", hello)
	delete(p.Files, "go.mod")
	if b, err := d.Build(t.Context(), p); b != nil || err == nil {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestWaitingForOthers proves that a program does not wait longer than its limit on time for another one whose packages
// are being compiled.
func TestWaitingForOthers(t *testing.T) {
	both(t)
	dir, err := build.SharedFolder()
	if err != nil {
		t.Fatal(err)
	}
	limits := build.StrangerLimits()
	limits.Time = 2 * time.Second
	tools, err := build.OpenIsolated(dir, limits, build.IsolatedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	if err := tools.Prepare(t.Context(), "fmt"); err != nil {
		t.Fatal(err)
	}
	defer build.Preparing(tools)()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b, err := tools.Build(t.Context(),
			program("prog.go", "package main\n\nimport \"container/list\"\n\nfunc main() { println(list.New()) }\n"))
		if err != nil || b.Stop.Kind != execution.BuildTime {
			t.Errorf("%+v, %v", b, err)
		}
	}()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("it waits without end")
	}
}

// TestLimits proves that each of the limits ends a build, however it is built, and that the Stop names the limit.
func TestLimits(t *testing.T) {
	d, c := both(t)
	ways := map[string]*build.Isolated{"directly": d, "by the go command": c}
	long := program("prog.go", "package main\n\n"+explodingGenerics(24)+"\n\nfunc main() { f0[int]() }\n")
	for _, c := range []struct {
		name   string
		limit  func(*build.Limits)
		source execution.Source
		want   execution.Stop
	}{
		{"time", func(l *build.Limits) { l.Time = 500 * time.Millisecond }, long,
			execution.Stop{Kind: execution.BuildTime, Time: 500 * time.Millisecond}},
		{"processor time", func(l *build.Limits) { l.CPU = time.Second }, long,
			execution.Stop{Kind: execution.ProcessorTime, Time: time.Second}},
		{"output", func(l *build.Limits) { l.Output = 1 << 10 },
			program("prog.go", "package main\n\nfunc main() { "+strings.Repeat("x", 4000)+" }\n"),
			execution.Stop{Kind: execution.Output, Bytes: 1 << 10}},
		{"file", func(l *build.Limits) { l.File = 1 << 20 }, program("prog.go", hello),
			execution.Stop{Kind: execution.FileSize, Bytes: 1 << 20}},
		{"memory", func(l *build.Limits) { l.Memory = 1300 << 20 },
			program("prog.go", "package main\n\nvar x = [900000000]byte{899999999: 1}\n\nfunc main() { "+
				"println(x[0]) }\n"), execution.Stop{Kind: execution.Memory, Bytes: 1300 << 20}},
	} {
		limits := build.StrangerLimits()
		limits.Time = time.Minute
		c.limit(&limits)
		for name, tools := range ways {
			t.Run(c.name+" "+name, func(t *testing.T) {
				defer build.SetLimits(tools, limits)()
				if b := built(t)(tools.Build(t.Context(), c.source)); b.OK || b.Stop != c.want {
					t.Errorf("OK %v, stopped %q, want %q\n%.500s", b.OK, b.Stop, c.want, b.Output)
				}
			})
		}
	}
}

// TestIsolatedCanceled proves that the end of the caller's context is an error, and not a result of the build.
func TestIsolatedCanceled(t *testing.T) {
	for _, tools := range func(d, c *build.Isolated) []*build.Isolated { return []*build.Isolated{d, c} }(both(t)) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errors.New("gone home"))
		defer cancel()
		if b, err := tools.Build(ctx, program("prog.go", hello)); b != nil || err == nil || err.Error() != "gone home" {
			t.Errorf("%v, error %v", b, err)
		}
	}
}

// TestConcurrent builds many programs at once, prepares more packages meanwhile, and finds no files left.
func TestConcurrent(t *testing.T) {
	both(t)
	dir, err := build.SharedFolder()
	if err != nil {
		t.Fatal(err)
	}
	limits := build.StrangerLimits()
	limits.Time = time.Minute
	tools, err := build.OpenIsolated(dir, limits, build.IsolatedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := tools.Prepare(t.Context(), "fmt"); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		if err := tools.Prepare(t.Context(), "container/list", "strings"); err != nil {
			t.Error(err)
		}
	})
	for i := range 8 {
		group.Go(func() {
			p := program("prog.go", strings.Replace(hello, "hi", strings.Repeat("x", i), 1))
			if i%2 == 1 {
				p = program("prog.go", "package main\n\nimport \"play/sub\"\n\nfunc main() { sub.F() }\n",
					"sub/sub.go", "package sub\n\nfunc F() {}\n")
			}
			b, err := tools.Build(t.Context(), p)
			if err != nil {
				t.Error(err)
				return
			}
			if !b.OK {
				t.Errorf("%s%s", b.Output, b.Stop)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	own := build.OwnFolder(tools)
	if left, _ := filepath.Glob(filepath.Join(own, "[0-9]*")); len(left) > 0 {
		t.Errorf("builds left %v", left)
	}
	if err := tools.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(own); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v", own, err)
	}
}

// BenchmarkHello builds a program that is different in each iteration.
func BenchmarkHello(b *testing.B) {
	d, c := both(b)
	for _, way := range []struct {
		name  string
		tools *build.Isolated
	}{{"direct", d}, {"command", c}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				build, err := way.tools.Build(b.Context(),
					program("prog.go", strings.Replace(hello, "hi", time.Now().String(), 1)))
				if err != nil || !build.OK {
					b.Fatal(err, build)
				}
				build.Close()
			}
		})
	}
}
