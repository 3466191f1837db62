package build_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// TestProofCacheCannotBePoisoned proves that no build of a stranger's program changes a file of the cache that all
// builds use, or adds or removes one. The test has a cache of its own, because other tests compile into theirs.
func TestProofCacheCannotBePoisoned(t *testing.T) {
	d, _ := both(t)
	// It is a copy because the builds shall write to it if they can.
	dir := withStandardLibrary(t, d)
	const short, long = 800 * time.Millisecond, time.Minute
	open := func(o build.IsolatedOptions, limit time.Duration) *build.Isolated {
		limits := build.StrangerLimits()
		limits.Time, limits.CPU = limit, time.Minute
		tools, err := build.OpenIsolated(dir, limits, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tools.Close() })
		if err := tools.Prepare(t.Context(), append(slices.Clone(imported), "embed")...); err != nil {
			t.Fatal(err)
		}
		return tools
	}
	type door = func(*build.Isolated, context.Context, execution.Source) (*execution.Build, error)
	link, report := (*build.Isolated).Build, (*build.Isolated).Report
	check := func(tools *build.Isolated, ctx context.Context, _ execution.Source) (*execution.Build, error) {
		catalog, err := exercise.Sealed()
		if err != nil {
			return nil, err
		}
		recorder := &recording{Isolated: tools}
		_, err = verdict.Checker{Builder: recorder, Runner: idle{}}.Check(ctx, catalog[0], catalog[0].Starter())
		return recorder.build, err
	}
	vet := func(tools *build.Isolated, ctx context.Context, p execution.Source) (*execution.Build, error) {
		r, err := tools.Vet(ctx, p)
		return &execution.Build{OK: r.OK, Output: r.Output, Stop: r.Stop, Close: func() error { return nil }}, err
	}
	canceled := func(tools *build.Isolated, ctx context.Context, p execution.Source) (*execution.Build, error) {
		ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		if b, err := tools.Build(ctx, p); err == nil {
			return b, nil
		}
		return &execution.Build{Output: []byte("gone"), Close: func() error { return nil }}, nil
	}
	main := func(body string) string { return "package main\n\n" + body + "\n" }
	cached := filepath.Join(dir, "cache")
	tests := program("prog_test.go", "package main\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {}\n")
	tests.Test = true
	endless := program("prog.go", main(explodingGenerics(24)+"\n\nfunc main() { f0[int]() }"))
	// The package in the folder is compiled, and cached, before the main package.
	halfway := program("prog.go", main("import (\"fmt\"; \"play/sub\")\n"+
		"\n"+explodingGenerics(24)+"\n\nfunc main() { fmt.Println(sub.X); f0[int]() }"), "sub/sub.go",
		"package sub\n\nvar X = 1\n")
	programs := []struct {
		name  string
		door  door
		limit time.Duration
		execution.Source
		want string // in the messages or in what stopped it; "" for one that builds
	}{
		{"hello", link, long, program("prog.go", hello), ""},
		{"hello again", link, long, program("prog.go", hello), ""},
		{"tests", link, long, tests, ""},
		{"vetted", vet, long, program("prog.go", hello), ""},
		{"reported", report, long, program("prog.go", hello), "inlining call"},
		{"checked", check, long, execution.Source{}, ""},
		{"a mistake", link, long, program("prog.go", main("func main() { x }")), "undefined: x"},
		{"a folder", link, long, program("prog.go", main("import \"play/sub\"\n\nfunc main() { sub.F() }"),
			"sub/sub.go", "package sub\n\nfunc F() {}\n"), ""},
		{"a folder named as a package of the library", link, long,
			program("prog.go", main("import \"fmt\"\n\nfunc main() { fmt.Println() }"), "fmt/fmt.go",
				"package fmt\n\nfunc Println() { x }\n"), ""},
		{"a module named as one", link, long, program("go.mod", "module fmt\n\ngo 1.26\n", "prog.go", hello),
			"ambiguous import"},
		{"a vendored package of the library", link, long, program("prog.go", hello, "vendor/modules.txt",
			"# fmt v1.0.0\n## explicit\nfmt\n", "vendor/fmt/fmt.go", "package fmt\n"), ""},
		{"lines of a cached file", link, long, program("prog.go", "//line "+cached+"/x.go:1\n"+hello), ""},
		{"a cached file embedded", link, long,
			program("prog.go", main("import _ \"embed\"\n\n//go:embed "+cached+"\nvar s string\n\nfunc main() {}")),
			"invalid pattern syntax"},
		{"settings", link, long, program("prog.go", hello, "go.env", "GOCACHE="+cached+"\nGOFLAGS=-a\n",
			"go.work", "go 1.26\n\nuse .\n"), ""},
		{"an old debug setting", link, long, program("prog.go", "//go:debug panicnil=1\n"+hello), ""},
		{"out of time", link, short, endless, "took longer than"},
		{"out of time half-way", link, short, halfway, "took longer than"},
		{"a client that leaves", canceled, long, endless, "gone"},
		{"too much output", link, long, program("prog.go",
			main("func main() {\n"+strings.Repeat(strings.Repeat("x", 500000)+"()\n", 10)+"}")), "printed more than"},
		{"an experiment that is none", link, long, func() execution.Source {
			p := program("prog.go", hello)
			p.Experiments = []string{"fancy"}
			return p
		}(), "unknown GOEXPERIMENT fancy"},
	}
	for name, o := range map[string]build.IsolatedOptions{"directly": {}, "by the go command": {CommandOnly: true}} {
		tools := map[time.Duration]*build.Isolated{short: open(o, short), long: open(o, long)}
		sizes, texts := stock(t, cached, size), stock(t, cached, text)
		for _, p := range programs {
			b := built(t)(p.door(tools[p.limit], t.Context(), p.Source))
			if said := string(b.Output) + b.Stop.String(); !strings.Contains(said, p.want) || p.want == "" && !b.OK {
				t.Errorf("%s %s: OK %v, %.500q, want %q", p.name, name, b.OK, said, p.want)
			}
			after := stock(t, cached, size)
			for _, change := range changes(sizes, after) {
				t.Errorf("%s %s: %s", p.name, name, change)
			}
			sizes = after
		}
		for _, change := range changes(texts, stock(t, cached, text)) {
			t.Errorf("one of them %s: %s", name, change)
		}
	}
}

// withStandardLibrary returns a new folder for an Isolated, with a copy of the standard library that d has compiled.
func withStandardLibrary(t *testing.T, d *build.Isolated) string {
	t.Helper()
	dir, compiled := t.TempDir(), build.CacheFolder(d)
	if err := os.CopyFS(filepath.Join(dir, "cache", filepath.Base(compiled)), os.DirFS(compiled)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A recording builder records the last Build.
type recording struct {
	*build.Isolated
	build *execution.Build
}

func (k *recording) BuildTest(ctx context.Context, src execution.Source) (b *execution.Build, err error) {
	k.build, err = k.Isolated.BuildTest(ctx, src)
	return k.build, err
}

// stock returns what the function of returns for each file below dir, by name.
func stock(t *testing.T, dir string, of func(name string) (string, error)) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[name], err = of(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func size(name string) (string, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(info.Mode(), info.Size()), nil
}

func text(name string) (string, error) {
	if filepath.Base(name) == "trim.txt" {
		return "", nil // a time
	}
	text, err := os.ReadFile(name)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// changes returns the files that differ between two stocks, or are in one of them only.
func changes(before, after map[string]string) (changes []string) {
	for name, was := range before {
		if is, ok := after[name]; !ok {
			changes = append(changes, name+" is gone")
		} else if was != is {
			changes = append(changes, name+" was "+was+" and is "+is)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			changes = append(changes, name+" is new")
		}
	}
	return changes
}
