package compilelink_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// These builds are for js, as in a page. The tests of package build and of the runner compare builds for wasip1 with
// the go command's builds.
var platform = []string{"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GO111MODULE=on",
	"GODEBUG=", "GOEXPERIMENT="}

// A machine runs the installed Go's tools in a folder.
type machine struct{ dir, tools string }

func (m machine) Path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

func (m machine) Write(name string, text []byte) error {
	return errors.Join(os.MkdirAll(filepath.Dir(m.Path(name)), 0o700), os.WriteFile(m.Path(name), text, 0o600))
}

func (m machine) Run(ctx context.Context, tool string, args ...string) (execution.ToolResult, error) {
	out, err := command(ctx, m.Path(compilelink.Source), filepath.Join(m.tools, tool), args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return execution.ToolResult{}, err
	}
	return execution.ToolResult{OK: err == nil, Output: out}, nil
}

func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), append(platform, "PWD="+dir)...)
	return cmd
}

func output(dir, name string, args ...string) (string, error) {
	cmd := command(context.Background(), dir, name, args...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return string(out), nil
}

var linkFlags = []string{"-s", "-w"}

// folder is where the list of archives is.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "direct-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// A tooled toolchain knows where its tools are.
type tooled struct {
	compilelink.Toolchain
	dir string
}

// js has the archives that checks of the exercises need, listed in the same way as tools/engine lists the archives of a
// page. The programs of these tests import a few more packages.
var js = sync.OnceValues(func() (t tooled, err error) {
	catalog, err := exercise.Sealed()
	if err != nil {
		return t, err
	}
	imports := []string{"fmt", "runtime", "runtime/debug"}
	for _, e := range catalog {
		imports = append(imports, e.Dependencies()...)
	}
	slices.Sort(imports)
	imports = slices.Compact(imports)
	files, err := compilelink.Trusted(imports)
	if err != nil {
		return t, err
	}
	at := machine{dir: folder}
	for name, text := range files {
		if err := at.Write(name, text); err != nil {
			return t, err
		}
	}
	listed, err := output(folder, "go", compilelink.ListArguments()...)
	if err != nil {
		return t, err
	}
	list, err := compilelink.ReadList(listed)
	if err != nil {
		return t, err
	}
	archives, err := list.Archives(imports)
	if err != nil {
		return t, err
	}
	archives.ImportConfig = at.Path("importcfg")
	if err := at.Write("importcfg", archives.Text()); err != nil {
		return t, err
	}
	env, err := output(folder, "go", "env", "GOVERSION", "GOTOOLDIR")
	lines := strings.Split(env, "\n")
	release, _, _ := strings.Cut(lines[0], " ")
	return tooled{compilelink.Toolchain{Go: release, GOOS: "js", GOARCH: "wasm", Archives: archives,
		LinkFlags: linkFlags, Concurrency: 1}, lines[1]}, err
})

func toolchain(t *testing.T) tooled {
	t.Helper()
	tools, err := js()
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

const goMod = "module play\n\ngo 1.26\n"

func program(body string) execution.Source {
	return execution.Source{Files: map[string][]byte{"go.mod": []byte(goMod),
		"prog.go": []byte("package main\n\n" + body + "\n")}}
}

// TestProgram proves that a program for js equals the go command's program, except for the build ID, and that a mistake
// has the same message.
func TestProgram(t *testing.T) {
	tools := toolchain(t)
	hello := program("func main() { println(1) }")
	for name, p := range map[string]execution.Source{
		"build information": program(
			"import (\"fmt\"; \"runtime/debug\")\n\nfunc main() { fmt.Println(debug.ReadBuildInfo()) }"),
		"a mistake":                  program("func main() { x() }"),
		"a test beside it":           with(hello, "a_test.go", "package main\n\nfunc init() { x() }\n"),
		"an external test package's": with(hello, "a_test.go", "package main_test\n\nfunc main() { x() }\n"),
	} {
		t.Run(name, func(t *testing.T) {
			plan, ok := tools.Program(p)
			if !ok {
				t.Fatal("it is not built directly")
			}
			m := machine{t.TempDir(), tools.dir}
			o, err := plan.Build(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			other := machine{t.TempDir(), tools.dir}
			for name, text := range p.Files {
				if err := other.Write(name, text); err != nil {
					t.Fatal(err)
				}
			}
			said, err := command(t.Context(), other.dir, "go", "build", "-trimpath", "-buildvcs=false",
				"-ldflags="+strings.Join(linkFlags, " "), "-o", compilelink.Binary, ".").CombinedOutput()
			if o.OK != (err == nil) || string(o.Output) != string(said) {
				t.Fatalf("directly %v, %q\nby the go command %v, %q", o.OK, o.Output, err, said)
			}
			if o.OK {
				same(t, m.Path(compilelink.Binary), other.Path(compilelink.Binary))
			}
		})
	}
}

// TestNoInlining compiles a call that is inlined unless the source says otherwise: then the function is in the binary.
func TestNoInlining(t *testing.T) {
	tools := toolchain(t)
	src := program("func answer() int { return 42 }\n\nfunc main() { println(answer()) }")
	sizes := map[bool]int{}
	for _, src.NoInlining = range []bool{false, true} {
		plan, ok := tools.Program(src)
		if !ok {
			t.Fatal("it is not built directly")
		}
		m := machine{t.TempDir(), tools.dir}
		if o, err := plan.Build(t.Context(), m); err != nil || !o.OK {
			t.Fatalf("%v, %s", err, o.Output)
		}
		binary, err := os.ReadFile(m.Path(compilelink.Binary))
		if err != nil {
			t.Fatal(err)
		}
		sizes[src.NoInlining] = len(binary)
	}
	if sizes[true] <= sizes[false] {
		t.Errorf("the program has %d bytes, and %d without inlining", sizes[false], sizes[true])
	}
}

// same proves that two programs are equal except for the build ID, which is dashes in the first.
func same(t *testing.T, first, second string) {
	t.Helper()
	one, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	name := bytes.Repeat([]byte("-"), 83)
	if !bytes.Contains(one, name) || len(one) != len(other) {
		t.Fatalf("%d bytes, by the go command %d", len(one), len(other))
	}
	for from := 0; ; {
		next := bytes.Index(one[from:], name)
		if next < 0 {
			break
		}
		from += next
		copy(other[from:], name)
		from += len(name)
	}
	if !bytes.Equal(one, other) {
		t.Error("the go command builds another program")
	}
}

// TestReport proves that a report has what the compiler says, and needs no main function.
func TestReport(t *testing.T) {
	tools := toolchain(t)
	plan, ok := tools.Program(program("func f() *int { return new(int) }"))
	if !ok {
		t.Fatal("it is not built directly")
	}
	m := machine{t.TempDir(), tools.dir}
	o, err := plan.Report(t.Context(), m)
	if said := string(o.Output); err != nil || !o.OK || !strings.HasPrefix(said, "# play\n") ||
		!strings.Contains(said, "play/prog.go:3:27: new(int) escapes to heap") {
		t.Errorf("%v, %q, %v", o.OK, said, err)
	}
	if _, err := os.Stat(m.Path(compilelink.Binary)); err == nil {
		t.Error("a program was linked")
	}
}

// A builder builds tests, and runs none.
type builder struct {
	tooled
	t *testing.T
}

func (b builder) BuildTest(ctx context.Context, src execution.Source) (*execution.Build, error) {
	plan, ok := b.Test(src)
	if !ok {
		return nil, errors.New("it is not built directly")
	}
	m := machine{b.t.TempDir(), b.dir}
	o, err := plan.Build(ctx, m)
	return &execution.Build{OK: o.OK, Output: o.Output, Binary: m.Path(compilelink.Binary), Go: b.Go,
		GOOS: b.GOOS, GOARCH: b.GOARCH, Close: func() error { return nil }}, err
}

func (b builder) Load(_ context.Context, binary string) (execution.TestProgram, error) {
	text, err := os.ReadFile(binary)
	// The function of the host's on which a test binary reports.
	if !bytes.Contains(text, []byte("\x0acheckalloc\x05write")) {
		b.t.Error("the test binary does not report to its host")
	}
	return idle{}, err
}

// idle runs nothing.
type idle struct{}

func (idle) Run(context.Context, string) (*execution.TestRun, error) {
	return &execution.TestRun{Exit: 1}, nil
}

func (idle) Close() error { return nil }

func (builder) Engine() string { return "wasm" }

// TestTest proves that the tests of an exercise build for js, with the escape report.
func TestTest(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	b := builder{toolchain(t), t}
	v, err := verdict.Checker{Builder: b, Runner: b}.Check(t.Context(), catalog[0], catalog[0].Starter())
	if err != nil || v.Stage != verdict.StageTests || len(v.Escapes) == 0 || v.GOOS != "js" {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestNotDirect has what only the go command knows how to build.
func TestNotDirect(t *testing.T) {
	tools := toolchain(t)
	without := tools.Toolchain
	without.Archives = &compilelink.Archives{}
	hello := program("func main() {}")
	for name, c := range map[string]struct {
		toolchain compilelink.Toolchain
		program   execution.Source
	}{
		"no archives": {without, hello},
		"tests":       {tools.Toolchain, execution.Source{Files: hello.Files, Test: true}},
		"an experiment": {tools.Toolchain, execution.Source{Files: hello.Files,
			Experiments: []string{"jsonv2"}}},
		"no archive of a package": {tools.Toolchain, program("import _ \"net/http\"\n\nfunc main() {}")},
		"a constraint":            {tools.Toolchain, with(hello, "a.go", "//go:build wasm\n\npackage main\n")},
		"an old constraint":       {tools.Toolchain, with(hello, "a.go", "//\u00a0 +build wasm\n\npackage main\n")},
		"an embedded file": {tools.Toolchain,
			with(hello, "a.go", "package main\n\nimport _ \"embed\"\n\n\t//go:embed a.go\nvar s string\n")},
		"a setting": {tools.Toolchain,
			with(hello, "a.go", "//go:debug madvdontneed=1\npackage main\n")},
		"a test of another package": {tools.Toolchain, with(hello, "a_test.go", "package a\n")},
		"a broken test":             {tools.Toolchain, with(hello, "a_test.go", "pack\n")},
	} {
		if _, ok := c.toolchain.Program(c.program); ok {
			t.Errorf("%s: it is built directly", name)
		}
	}
	for name, p := range map[string]execution.Source{
		"hello": hello,
		"words that are no directive": program(
			"var build, builder = 1, \"go:build\"\n\nvar sum = build+build // +builder\n\nfunc main() {}"),
	} {
		if _, ok := tools.Program(p); !ok {
			t.Errorf("%s is not built directly", name)
		}
	}
}

// with is a program with one more file.
func with(p execution.Source, name, text string) execution.Source {
	p.Files = maps.Clone(p.Files)
	p.Files[name] = []byte(text)
	return p
}

// A broken machine fails at a step.
type broken struct {
	machine
	at  int
	ran *[]string
}

var errBroken = errors.New("broken")

func (b broken) Run(ctx context.Context, tool string, args ...string) (execution.ToolResult, error) {
	if *b.ran = append(*b.ran, tool); len(*b.ran) == b.at {
		return execution.ToolResult{}, errBroken
	}
	return b.machine.Run(ctx, tool, args...)
}

// TestFailure proves that a failure is reported, and that nothing else is run after it.
func TestFailure(t *testing.T) {
	tools := toolchain(t)
	plan, ok := tools.Program(program("func main() {}"))
	if !ok {
		t.Fatal("it is not built directly")
	}
	for at, want := range map[int]string{1: "compile", 2: "compile link"} {
		var ran []string
		_, err := plan.Build(t.Context(), broken{machine{t.TempDir(), tools.dir}, at, &ran})
		if got := strings.Join(ran, " "); !errors.Is(err, errBroken) || got != want {
			t.Errorf("ran %s, %v; want %s", got, err, want)
		}
	}
}
