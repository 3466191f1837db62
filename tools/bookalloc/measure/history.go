package measure

import (
	"bytes"
	"context"
	"fmt"
	"go/version"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"onthestack/internal/harness"
	"onthestack/tools/bookalloc/listing"
	"onthestack/tools/bookalloc/measured"
)

// patches are the releases that stand for a minor one: the last that can be had as a module.
var patches = map[string]string{
	"go1.8": "go1.8.3", "go1.9": "go1.9.7", "go1.10": "go1.10.8", "go1.11": "go1.11.13", "go1.12": "go1.12.17",
	"go1.13": "go1.13.15", "go1.14": "go1.14.15", "go1.15": "go1.15.15", "go1.20": "go1.20.14",
	"go1.24": "go1.24.13", "go1.25": "go1.25.8", "go1.26": "go1.26.8", "go1.27": "go1.27.4",
}

// releases completes the history of a listing.
func (m *Measurer) releases(ctx context.Context, history measured.History, l *measured.Listing, names []string) error {
	for _, name := range names {
		if old, ok := history[l.Listing][name]; ok && old.Source == l.Source && old.Go == patches[name] {
			continue
		}
		patch, ok := patches[name]
		if !ok {
			return fmt.Errorf("%s: no such release in the table of tools/bookalloc/measure/history.go: it has %s", name,
				strings.Join(slices.SortedFunc(maps.Keys(patches), version.Compare), ", "))
		}
		m.Progress("%s on %s", l.Listing, patch)
		b, err := l.Benchmark("")
		if err != nil {
			return fmt.Errorf("history: %w", err)
		}
		r, err := m.release(ctx, l.Listing, b.Name, patch)
		if err != nil {
			return fmt.Errorf("%s on %s: %w\nwrite the listing in the Go of that time, or take %s out of its {{#history}}", l.Listing, patch, err, name)
		}
		r.Source = l.Source
		if history[l.Listing] == nil {
			history[l.Listing] = map[string]measured.Release{}
		}
		history[l.Listing][name] = r
	}
	return nil
}

// release measures a benchmark on one release.
func (m *Measurer) release(ctx context.Context, name, benchmark, patch string) (measured.Release, error) {
	r := measured.Release{Go: patch, Platform: runtime.GOOS + "/" + runtime.GOARCH}
	work, err := os.MkdirTemp("", "bookalloc-"+patch+"-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(work)
	goroot, err := output(ctx, work, environ("GOTOOLCHAIN="+patch, "GOENV=off"), "go", "env", "GOROOT")
	if err != nil {
		return r, fmt.Errorf("get %s: %w", patch, err)
	}
	tool := filepath.Join(string(bytes.TrimSpace(goroot)), "bin", "go")
	env := environ("GOROOT="+string(bytes.TrimSpace(goroot)), "GOENV=off", "GOFLAGS=", "GOTOOLCHAIN=local", "GOPATH="+work)
	module := filepath.Join(work, "src", "onthestack")
	dir := filepath.Join(module, filepath.FromSlash(m.Book), filepath.FromSlash(name))
	files, err := listing.Package(m.fs(), name)
	if err != nil {
		return r, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return r, err
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			return r, err
		}
	}
	// Modules from the release on that switches toolchains itself: before it every release reads GOPATH.
	if version.Compare(patch, "go1.21") < 0 {
		env = append(env, "GO111MODULE=off")
	} else {
		mod := "module onthestack\n\ngo " + strings.TrimPrefix(patch, "go") + "\n"
		if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte(mod), 0o644); err != nil {
			return r, err
		}
		env = append(env, "GO111MODULE=on")
	}

	main, err := mainFile(files, benchmark, patch)
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "zz_bookalloc_test.go"), main, 0o644); err != nil {
		return r, err
	}
	binary := filepath.Join(work, "listing.test")
	if _, err := output(ctx, dir, env, tool, "test", "-c", "-o", binary, "."); err != nil {
		return r, err
	}
	out, err := output(ctx, dir, append(env, "GOMAXPROCS=1", "GOGC=off"), binary)
	if err != nil {
		return r, err
	}
	var one, all struct{ n, allocs, bytes float64 }
	if _, err := fmt.Sscan(string(out), &one.n, &one.allocs, &one.bytes, &all.n, &all.allocs, &all.bytes); err != nil || all.n <= one.n {
		return r, fmt.Errorf("no two measurements in what the benchmark printed:\n%s", out)
	}
	// An old runtime allocates now and then beside the benchmark, which shows beyond the third digit.
	perOp := func(many, few float64) float64 { return math.Round((many-few)/(all.n-one.n)*1000) / 1000 }
	r.AllocsPerOp, r.BytesPerOp = perOp(all.allocs, one.allocs), perOp(all.bytes, one.bytes)
	return r, nil
}

// mainFile is a TestMain that prints operations, mallocs and bytes of two runs, of one operation and of many: their
// difference has nothing in it that the benchmark does once. "go test -benchmem" prints whole numbers, which lack an
// allocation as soon as one in all operations is missing.
func mainFile(files map[string][]byte, benchmark, patch string) ([]byte, error) {
	pkg := ""
	for _, name := range slices.Sorted(maps.Keys(files)) {
		in, found, err := harness.Functions(name, files[name], "Benchmark")
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, "_test.go") && slices.Contains(found, benchmark) {
			pkg = in
		}
	}
	few, many := "1x", "1001x"
	if version.Compare(patch, "go1.12") < 0 {
		few, many = "1ns", "10ms" // the number of operations can be asked for since Go 1.12
	}
	return fmt.Appendf(nil, `package %s

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	for _, time := range []string{%q, %q} {
		if err := flag.Set("test.benchtime", time); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		r := testing.Benchmark(%s)
		fmt.Println(r.N, r.MemAllocs, r.MemBytes)
	}
	os.Exit(0)
}
`, pkg, few, many, benchmark), nil
}
