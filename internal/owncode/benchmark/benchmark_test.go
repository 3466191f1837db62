package benchmark

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"onthestack/internal/owncode/userpkg"
)

// lay writes an archive into a folder.
func lay(t *testing.T, a *txtar.Archive) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range a.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// load returns a package of a module, type-checked.
func load(t *testing.T, dir string) *program {
	t.Helper()
	p, err := check(t.Context(), loadPackage(t, dir, "."))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func loadPackage(t *testing.T, dir, pattern string) *userpkg.Package {
	t.Helper()
	p, err := userpkg.Config{Dir: dir}.Load(t.Context(), pattern)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// A wanted is a function with what its benchmark does.
type wanted struct{ function, does string }

// functions returns the functions of a file whose comments say what their benchmarks do.
func functions(t *testing.T, text []byte) (all []wanted) {
	t.Helper()
	last := ""
	for line := range strings.Lines(string(text)) {
		if m := regexp.MustCompile(`^func (?:\((?:\w+ )?([^)]+)\) )?(\w+)`).FindStringSubmatch(line); m != nil {
			last = m[2]
			if m[1] != "" {
				last = strings.TrimPrefix(m[1], "*") + "." + m[2]
			}
		}
		if _, does, ok := strings.Cut(line, "//= "); ok {
			all = append(all, wanted{last, strings.TrimSpace(does)})
		}
	}
	if len(all) < 5 {
		t.Fatalf("%d functions", len(all))
	}
	return all
}

// TestNew proves for all kinds of signatures that a benchmark is written which type-checks, and which inputs of it are
// missing.
func TestNew(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/functions.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := load(t, lay(t, archive))
	for _, f := range functions(t, p.Texts["m.go"]) {
		b, err := p.benchmark(f.function)
		if err != nil {
			t.Errorf("%s: %v", f.function, err)
			continue
		}
		want := []string{}
		if missing, ok := strings.CutPrefix(f.does, "fill in "); ok {
			want = strings.Split(missing, "; ")
		}
		if !slices.Equal(b.Missing, want) {
			t.Errorf("%s: %q is missing, want %q", f.function, b.Missing, want)
		}
	}
}

// TestProofRun proves that the benchmarks pass go vet, and run or fail as they should: with b.Loop and, before Go 1.24,
// with b.N.
func TestProofRun(t *testing.T) {
	for _, test := range []struct{ file, version string }{
		{"functions.txtar", "1.24"}, {"functions.txtar", "1.21"}, {"web.txtar", "1.24"},
	} {
		t.Run(test.file+" on "+test.version, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join("testdata", test.file))
			if err != nil {
				t.Fatal(err)
			}
			archive.Files[0].Data = bytes.Replace(archive.Files[0].Data, []byte("go 1.24"), []byte("go "+test.version), 1)
			dir := lay(t, archive)
			p := load(t, dir)
			all := functions(t, p.Texts["m.go"])
			for _, f := range all {
				b, err := p.benchmark(f.function)
				if err == nil {
					err = b.Write()
				}
				if err != nil {
					t.Fatalf("%s: %v", f.function, err)
				}
			}
			run := func(args ...string) ([]byte, error) {
				cmd := exec.CommandContext(t.Context(), "go", args...)
				cmd.Dir = dir
				return cmd.CombinedOutput()
			}
			if out, err := run("vet", "./..."); err != nil {
				t.Errorf("go vet: %v\n%s", err, out)
			}
			out, _ := run("test", "-vet=off", "-run=^$", "-bench=.", "-benchtime=20x")
			loops, counts := 0, 0
			for _, f := range all {
				name := NameOf(f.function)
				text := read(t, dir, f.function)
				loops += strings.Count(text, "b.Loop()")
				counts += strings.Count(text, "b.N")
				result := regexp.MustCompile(`(?m)^` + name + `(?:-\d+)?\s+20\s.*allocs/op$`)
				fails := regexp.MustCompile(`(?m)^--- FAIL: ` + name + `(?:-\d+)?\n.*: ` + name + `: fill in (.*)$`)
				m := fails.FindSubmatch(out)
				switch {
				case f.does == "runs" && !result.Match(out):
					t.Errorf("%s does not run:\n%s", name, text)
				case f.does == "wrong inputs" && (m == nil || !strings.Contains(string(m[1]), "inputs for which Fails succeeds")):
					t.Errorf("%s does not fail as it should: %s", name, m)
				case strings.HasPrefix(f.does, "fill in ") && (m == nil ||
					!strings.HasPrefix("fill in "+string(m[1]), strings.ReplaceAll(f.does, "; ", ", ")+", and remove this line")):
					t.Errorf("%s does not fail as it should: %s", name, m)
				}
			}
			if modern := test.version == "1.24"; (loops == len(all)) != modern || (counts == len(all)) == modern {
				t.Errorf("%d of %d use b.Loop and %d b.N", loops, len(all), counts)
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
}

// read returns the text of a function's benchmark.
func read(t *testing.T, dir, function string) string {
	t.Helper()
	name := strings.ToLower(strings.ReplaceAll(PlainName(function), ".", "_")) + "_alloc_test.go"
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const wantFind = `package m

import (
	"testing"
)

// BenchmarkServerFind measures (*Server).find.
//
// Its inputs are made up. Replace them with inputs like those in production: what the function allocates may
// depend on them.
func BenchmarkServerFind(b *testing.B) {
	b.Fatal("BenchmarkServerFind: fill in s (*Server), and remove this line")
	s := &Server{}
	k := Key("some text, longer than a small string")
	b.ReportAllocs()
	for b.Loop() {
		s.find(k)
	}
}
`

const wantCopy = `package m

import (
	"io"
	"strings"
	"testing"
)

// BenchmarkCopy measures Copy.
//
// Its inputs are made up. Replace them with inputs like those in production: what the function allocates may
// depend on them.
func BenchmarkCopy(b *testing.B) {
	const text = "some text, longer than a small string"
	w := io.Discard
	r := strings.NewReader(text)
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(text)
		if _, err := Copy(w, r); err != nil {
			b.Fatal("BenchmarkCopy: fill in inputs for which Copy succeeds:", err)
		}
	}
}
`

// TestWrite shows two of the files, and proves that no file and no benchmark is ever replaced.
func TestWrite(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/functions.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := lay(t, archive)
	for function, want := range map[string]string{"(*Server).find": wantFind, "Copy.func1": wantCopy} {
		b, err := load(t, dir).benchmark(function)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Write(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(b.File)
		if string(text) != want {
			t.Errorf("%s, %v:\n%s\nwant\n%s", b.File, err, text, want)
		}
		if err := b.Write(); !errors.As(err, new(userpkg.ArgumentError)) {
			t.Errorf("it was written again: %v", err)
		}
	}
	refused(t, load(t, dir), map[string]string{
		"Server.find": "BenchmarkServerFind is in server_find_alloc_test.go already: --bench " +
			"'^BenchmarkServerFind$' measures it",
		"Copy": "BenchmarkCopy is in copy_alloc_test.go already",
	})
	if err := os.WriteFile(filepath.Join(dir, "nothing_alloc_test.go"), []byte("package m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	refused(t, load(t, dir), map[string]string{
		"Nothing": "nothing_alloc_test.go exists already, and is not replaced",
	})
}

// TestFind tests names of functions that mean none, and functions that no benchmark can call.
func TestFind(t *testing.T) {
	dir := lay(t, txtar.Parse([]byte(`-- go.mod --
module example.com/m

go 1.24
-- main.go --
package main

type A struct{}
type B struct{}
type Finder interface{ Find() }
type none interface{ int | string; Find() }

func (A) Find()  {}
func (*B) Find() {}
func (A) Only()  {}
func main()      {}
func init()      {}
func Never[T none](t T) {}
-- main_test.go --
package main

import "testing"

func helper() {}

func BenchmarkAOnly(b *testing.B) {}
-- other_test.go --
package main_test

func BenchmarkBFind() {}
-- main_plan9.go --
package main

func BenchmarkAFind() {}
-- broken/broken.go --
package broken

func f() { return 1 }
`)))
	refused(t, load(t, dir), map[string]string{
		"Find":        "Find is a method of several types: name one, such as A.Find or B.Find",
		"nobody":      "nobody: example.com/m declares no function or method of that name",
		"Finder.Find": "Finder is an interface: name a method of a type that implements it",
		"main":        "main cannot be called by a benchmark",
		"init":        "init cannot be called by a benchmark",
		"helper":      "helper is declared in a test file",
		"Only":        "BenchmarkAOnly is in main_test.go already",
		"(*B).Find":   "BenchmarkBFind is in other_test.go already",
		"A.Find":      "BenchmarkAFind is in main_plan9.go already",
		"Never":       "no type arguments are known for Never",
	})
	if _, err := New(t.Context(), loadPackage(t, dir, "./broken"), "f"); err == nil ||
		!strings.Contains(err.Error(), "example.com/m/broken does not compile: broken.go:3:19: too many return values") {
		t.Errorf("broken: %v", err)
	}
	if _, err := New(t.Context(), loadPackage(t, dir, "strings"), "Clone"); !errors.As(err, new(userpkg.ArgumentError)) {
		t.Errorf("the standard library: %v", err)
	}
}

// refused proves that no benchmark is written for some functions, and why.
func refused(t *testing.T, p *program, functions map[string]string) {
	t.Helper()
	for function, want := range functions {
		_, err := p.benchmark(function)
		if !errors.As(err, new(userpkg.ArgumentError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", function, err, want)
		}
	}
}

// TestNames tests the names of benchmarks, and which names that the reader writes mean a function.
func TestNames(t *testing.T) {
	for function, want := range map[string]string{
		"find": "BenchmarkFind", "(*Server).find": "BenchmarkServerFind", "Key.Len": "BenchmarkKeyLen",
		"(*List[...]).Add": "BenchmarkListAdd", "Map[go.shape.int]": "BenchmarkMap", "übung": "BenchmarkÜbung",
	} {
		if got := NameOf(function); got != want {
			t.Errorf("%s: %s, want %s", function, got, want)
		}
	}
	for _, test := range []struct {
		function, written string
		same              bool
	}{
		{"(*Server).find", "find", true}, {"(*Server).find", "Server.find", true}, {"(*Server).find", "(*Server).find", true},
		{"(*Server).find.func1", "Server.find", true}, {"find", "find.func2", true}, {"find", "Server.find", false},
		{"(*Server).refind", "find", false}, {"(*List[...]).Add", "List.Add", true}, {"find", "", false},
	} {
		if Same(test.function, test.written) != test.same {
			t.Errorf("%s, %s: not %v", test.function, test.written, test.same)
		}
	}
	for function, want := range map[string]bool{"find": true, "(*T).find": true, "init": false, "init.0": false,
		"main": false, "map.init.0": false, "glob..func1": false} {
		if Possible(function) != want {
			t.Errorf("%s: not %v", function, want)
		}
	}
}

// TestConstraint proves that a benchmark is built where its function is.
func TestConstraint(t *testing.T) {
	dir := lay(t, txtar.Parse([]byte("-- go.mod --\nmodule example.com/m\n\ngo 1.24\n"+
		"-- poll_linux.go --\npackage m\n\nfunc F() {}\n"+
		"-- tagged.go --\n//go:build !never && (linux || darwin || windows)\n\npackage m\n\nfunc G() {}\n")))
	p := load(t, dir)
	for function, want := range map[string]string{
		"F": "//go:build linux\n\npackage m", "G": "//go:build !never && (linux || darwin || windows)\n\npackage m",
	} {
		if p.GOOS != "linux" && function == "F" {
			continue
		}
		b, err := p.benchmark(function)
		if err == nil {
			err = b.Write()
		}
		if err != nil {
			t.Fatal(err)
		}
		if text := read(t, dir, function); !strings.HasPrefix(text, want+"\n") {
			t.Errorf("%s:\n%s", function, text)
		}
	}
}
