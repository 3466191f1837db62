package userpkg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"onthestack/internal/escape"
	"onthestack/internal/harness/wire"
)

// TestReportOfLargePackage proves that all diagnostics of a report of 64 MiB are kept, and that this takes little
// memory. Nearly the whole report is about parameters that leak.
func TestReportOfLargePackage(t *testing.T) {
	own := func(file string) string {
		if file == "./x.go" {
			return "x.go"
		}
		return ""
	}
	r := newReport("m", own, func(file string) string { return file })
	r.flows = maxFlows
	// How much garbage there is depends on what else the machine does, so only what is in use counts.
	inUse := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := inUse()
	size, n := 0, 0
	write := func(format string, args ...any) {
		k, err := fmt.Fprintf(r, format+"\n", args...)
		if err != nil {
			t.Fatal(err)
		}
		size += k
	}
	write("# m [m.test]")
	for ; size < 64<<20; n++ {
		write("./x.go:%d:6: parameter p leaks to ~r0 for F%d with derefs=0:", n+1, n)
		for range 100 {
			write("./x.go:%d:6:   flow: a ← b:\n./x.go:%d:6:     from a = b (assign) at ./x.go:%d:9", n+1, n+1, n+1)
		}
		write("./x.go:%d:6: leaking param: p to result ~r0 level=0", n+1)
		write(
			"./x.go:%d:12: &v escapes to heap in F%d:\n./x.go:%d:12:   flow: {heap} ← &{storage for &v}:\n"+
				"./x.go:%d:12:     from s = &v (assign) at ./x.go:%d:14",
			n+1,
			n,
			n+1,
			n+1,
			n+1,
		)
		write("./x.go:%d:12: &v escapes to heap", n+1)
		write("/usr/lib/go/src/y/y.go:%d:12: x escapes to heap", n+1)
	}
	written := inUse()
	r.finish()
	result := r.result()
	report := result.Diagnostics
	closed := inUse()
	if len(report) != 2*n || len(result.Problems)+len(result.Lines) > 0 {
		t.Errorf("%d diagnostics of %d, problems %v %q", len(report), 2*n, result.Problems, result.Lines)
	}
	last := report[len(report)-1]
	if last.File != "x.go" || last.Message != "&v escapes to heap" || len(last.Flow) != 2 {
		t.Errorf("the last is %+v", last)
	}
	if len(report[0].Flow) == 0 {
		t.Error("the first flows are not kept")
	}
	for when, total := range map[string]int{"written": written, "closed": closed} {
		if took := total - before; took > 48<<20 {
			t.Errorf("when it is %s, %d MiB are in use for a report of %d MiB", when, took>>20, size>>20)
		}
	}
	runtime.KeepAlive(r)
}

// TestLeavesNothing builds and measures a package, is canceled half-way, and finds the package unchanged and no files
// left.
func TestLeavesNothing(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	files := map[string]string{
		"go.mod": "module m\n\ngo 1.21\n",
		"m.go":   "package m\n\nfunc F(n int) []byte { return make([]byte, n) }\n",
		"m_test.go": "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n\t\"time\"\n)\n\nvar sink []byte\n\n" +
			"func init() {\n\tif os.Getenv(\"" + wire.BenchVariable + "\") == \"Junk\" {\n\t\tos.WriteFile(os.Getenv(\"" +
			wire.FileVariable + "\"), []byte(\"junk\\n\"), 0)\n\t}\n}\n\nfunc BenchmarkF(b *testing.B) {\n" +
			"\tfor i := 0; i < b.N; i++ {\n\t\tsink = F(64)\n\t}\n}\n\nfunc BenchmarkHang(b *testing.B) { " +
			"time.Sleep(time.Hour) }\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	l, err := Config{Dir: dir}.Load(ctx, ".")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Compile(ctx, true); err != nil || !l.Built.OK {
		t.Fatalf("%+v, %v", l.Built, err)
	}
	run, err := l.Measure(ctx, MeasureOptions{Bench: "F$", Limit: time.Minute})
	if err != nil || len(run) != 1 || run[0].Exit != 0 ||
		!strings.Contains(string(run[0].Report), "benchmark \"BenchmarkF\" ") {
		t.Errorf("%+v, %v", run, err)
	}
	if _, err := l.Measure(ctx, MeasureOptions{Bench: "Junk", Limit: time.Minute}); err == nil ||
		!strings.Contains(err.Error(), "read the measurement of m: ") {
		t.Errorf("a report that is none: %v", err)
	}
	gone := errors.New("gone")
	time.AfterFunc(300*time.Millisecond, func() { cancel(gone) })
	if run, err := l.Measure(ctx, MeasureOptions{Bench: "Hang", Limit: time.Minute}); !errors.Is(err, gone) {
		t.Errorf("%v, %v", run, err)
	}
	if err := l.Compile(ctx, true); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	var found []string
	for _, root := range []string{dir, tmp} {
		if err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && files[filepath.Base(name)] == "" {
				found = append(found, name)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(found) > 0 {
		t.Errorf("left: %v", found)
	}
	for name, text := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s was changed", name)
		}
	}
}

// TestModuleCache proves that a package of a module in the module cache is built in a copy of the module.
func TestModuleCache(t *testing.T) {
	l, err := Config{}.Load(t.Context(), "golang.org/x/mod/semver")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.copyDir == "" || !Within(l.copyDir, l.Dir) || l.ImportPath != "golang.org/x/mod/semver" {
		t.Fatalf("%+v", l)
	}
	if err := l.Compile(t.Context(), true); err != nil || !l.Built.OK {
		t.Fatalf("%+v, %v", l.Built, err)
	}
	if len(l.Built.Benchmarks) == 0 || len(l.Built.Diagnostics) == 0 || l.Built.Diagnostics[0].File != "semver.go" {
		t.Errorf("benchmarks %v, %d diagnostics", l.Built.Benchmarks, len(l.Built.Diagnostics))
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(l.copyDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", l.copyDir, err)
	}
}

func TestResolveReleases(t *testing.T) {
	got, err := ResolveReleases(t.Context(), []string{"1.24.13", "go1.24.13", " go1.27.0"})
	if err != nil || fmt.Sprint(got) != "[go1.24.13 go1.27.0]" {
		t.Errorf("%v, %v", got, err)
	}
	for _, name := range []string{"", "x", "1.", "1.20.14", "go1.4"} {
		var m ArgumentError
		if _, err := ResolveReleases(t.Context(), []string{name}); !errors.As(err, &m) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestReportOfLineDirectives reads flows whose steps are in another file than their beginning.
func TestReportOfLineDirectives(t *testing.T) {
	own := func(file string) string {
		if filepath.Base(file) == "g.go" || filepath.Base(file) == "rules.peg" {
			return filepath.Base(file)
		}
		return ""
	}
	r := newReport("m", own, own)
	r.flows = maxFlows
	for _, line := range []string{
		"# m",
		"rules.peg:30: append(out, s) escapes to heap in Other:",
		"rules.peg:30:   flow: ~r0 ← out:",
		"rules.peg:30:     from return out (return) at g.go:25",
		"rules.peg:30: append escapes to heap",
		"./g.go:4:2: &x escapes to heap in F:",
		"./g.go:4:2:   flow: ~r0 ← &x:",
		"./g.go:4:2:     from return &x (return) at rules.peg:3",
		"./g.go:4:2:     from f(\"a.go:1\") (call parameter) at sub/other.go:7:3",
		"./g.go:4:2: &x escapes to heap",
		"/usr/lib/go/src/y/y.go:3:12: x escapes to heap",
	} {
		if _, err := fmt.Fprintln(r, line); err != nil {
			t.Fatal(err)
		}
	}
	r.finish()
	report := r.result()
	if len(report.Diagnostics) != 2 || len(report.Problems)+len(report.Lines) > 0 {
		t.Fatalf("%+v", report)
	}
	for _, d := range report.Diagnostics {
		last := d.Flow[len(d.Flow)-1]
		want := escape.Step{File: "g.go", Line: 25}
		if d.File == "g.go" {
			want = escape.Step{Line: 7, Col: 3}
		}
		if last.File != want.File || last.Line != want.Line || last.Col != want.Col {
			t.Errorf("%s: the last step is %+v", d.File, last)
		}
	}
}
