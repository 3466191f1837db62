package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onthestack/internal/verdict"
)

// A finding is the expected result of explain for one benchmark of a well-known module that this project does not use.
type finding struct {
	module, version string
	pkg             string // below the module's path, "" for its root
	kind            string // the difficulty for explain
	tags            string
	inCache         bool   // explained from its own folder in the module cache, rather than as a dependency
	bench           string // selects the benchmark alone
	benchmark       string
	least, most     float64 // allocs/op, equal if deterministic
	file, code      string  // the line that allocates most, "" if none allocates
	line            int
	why             string // the beginning of its cause
	random          bool   // its inputs differ from run to run
	setup           bool   // only its setup allocates, which package testing charges to the operations
}

var wellKnown = []finding{
	{
		module: "github.com/dlclark/regexp2", version: "v1.12.0", kind: "explained in the read-only module cache",
		inCache: true,
		bench:   "BenchmarkLiteral$", benchmark: "BenchmarkLiteral", least: 1, most: 1,
		file: "regexp.go", line: 268, code: "return []rune(s)", why: "the copy of s as []rune moves to the heap",
	}, {
		module: "github.com/google/btree", version: "v1.1.3", kind: "generic code",
		bench: "BenchmarkDeleteInsertCloneEachTimeG$", benchmark: "BenchmarkDeleteInsertCloneEachTimeG", least: 10.5,
		most: 12, random: true,
		file: "btree_generic.go", line: 105, code: "return new(node[T])",
		why: "the new value of a generic type moves to the heap",
	}, {
		module: "github.com/tidwall/gjson", version: "v1.20.0", kind: "nothing allocates",
		bench: "BenchmarkValid$", benchmark: "BenchmarkValid",
	}, {
		module: "github.com/gorilla/mux", version: "v1.8.1", kind: "internal and external tests, sub-benchmarks",
		bench: "Benchmark_findQueryKeyGoLib$/3", benchmark: "Benchmark_findQueryKeyGoLib/3", least: 28, most: 28,
		file: "regexp_test.go", line: 83, code: "v := u.Query()[key]",
		why: "allocated inside url.(*URL).Query, which is called here",
	}, {
		module: "github.com/RoaringBitmap/roaring/v2", version: "v2.30.0",
		kind:  "30,000 lines with build constraints, dependencies of its tests",
		bench: "BenchmarkNewBitmap$", benchmark: "BenchmarkNewBitmap", least: 1, most: 1,
		file: "roaring.go", line: 427, code: "return &Bitmap{}", why: "the Bitmap moves to the heap",
	}, {
		module: "github.com/klauspost/compress", version: "v1.20.3", pkg: "/zstd",
		kind: "build tags, goroutines, files beside the source", tags: "noasm",
		bench:     "BenchmarkDecoder_DecoderNewNoRead$/^html.zst$/^stream-single$",
		benchmark: "BenchmarkDecoder_DecoderNewNoRead/html.zst/stream-single", least: 9, most: 9,
		file: "decoder.go", line: 112, code: "d.decoders = make(chan *blockDec, o.concurrent)",
		why: "a channel is always made on the heap",
	}, {
		module: "github.com/valyala/gozstd", version: "v1.24.0", kind: "cgo",
		bench: "BenchmarkStreamCompress$/^blockSize_10000$/^level_3$",
		// On a busy machine too few operations fit into the time to tell the setup from them.
		benchmark: "BenchmarkStreamCompress/blockSize_10000/level_3", setup: true, least: 0, most: 80,
		file: "gozstd_timing_test.go", line: 127,
		code: `fmt.Fprintf(&bb, "line %d, size %d, hex %08X\n", line, bb.Len(), line)`,
		why:  "the value of line is boxed on the heap, to fit in an interface",
	},
}

// TestNightlyWellKnown explains packages of well-known modules, and compares the figures with the output of "go test
// -bench -benchmem" on one processor, which is how explain measures.
func TestNightlyWellKnown(t *testing.T) {
	for _, f := range wellKnown {
		t.Run(strings.NewReplacer("/", "_").Replace(f.module+f.pkg)+"/"+f.bench, func(t *testing.T) {
			t.Parallel()
			f.hold(t)
		})
	}
}

// untested skips a test that lacks something, and fails it in continuous integration, which has all that tests need.
func untested(t *testing.T, format string, args ...any) {
	t.Helper()
	message := "NOT TESTED: " + fmt.Sprintf(format, args...)
	if os.Getenv("CI") == "true" {
		t.Fatal(message)
	}
	t.Skip(message)
}

func (f finding) hold(t *testing.T) {
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod")
	if f.kind == "cgo" {
		if _, err := exec.LookPath("cc"); err != nil {
			untested(t, "there is no C compiler for %s", f.module)
		}
		env = append(env, "CGO_ENABLED=1")
	}
	dir, tmp, name := t.TempDir(), t.TempDir(), f.module+f.pkg
	in := func(name string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, append(env, "PWD="+dir)
		if name == "checkalloc" {
			cmd.Env = append(cmd.Env, "TMPDIR="+tmp)
		}
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%.2000s%s", err, out, exit.Stderr)
		}
		return out, err
	}
	downloaded, err := in("go", "mod", "download", "-json", f.module+"@"+f.version)
	if err != nil {
		untested(t, "the module proxy gives no %s@%s: %v", f.module, f.version, err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(downloaded, &module); err != nil {
		t.Fatal(err)
	}
	if f.inCache {
		dir, name = filepath.Join(module.Dir, filepath.FromSlash(f.pkg)), "."
	} else if err := os.WriteFile(filepath.Join(dir, "go.mod"),
		fmt.Appendf(nil, "module wellknown\n\ngo 1.21\n\nrequire %s %s\n", f.module, f.version), 0o666); err != nil {
		t.Fatal(err)
	}

	out, err := in("checkalloc", "explain", "--json", "--tags="+f.tags, "--bench", f.bench, name)
	if err != nil {
		t.Fatal(err)
	}
	var v verdict.Verdict
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatal(err)
	}
	if !v.Pass || v.Package != f.module+f.pkg || len(v.Benchmarks) != 1 || v.Benchmarks[0].Name != f.benchmark {
		t.Fatalf("%s: pass %v, benchmarks %+v", v.Package, v.Pass, v.Benchmarks)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	for _, folder := range []string{tmp, module.Dir, dir} {
		if bytes.Contains(out, []byte(folder)) {
			t.Errorf("%s is shown", folder)
		}
	}

	b := v.Benchmarks[0]
	if b.AllocsPerOp < f.least || b.AllocsPerOp > f.most {
		t.Errorf("%v allocs/op, want %v to %v", b.AllocsPerOp, f.least, f.most)
	}
	var allocs, size float64
	for _, a := range v.Allocations {
		allocs, size = allocs+a.AllocsPerOp, size+a.BytesPerOp
	}
	if math.Abs(allocs-b.AllocsPerOp) > 1e-6 || math.Abs(size-b.BytesPerOp) > 1e-3*size {
		t.Errorf("its lines: %v allocs/op and %v B/op, of %v and %v", allocs, size, b.AllocsPerOp, b.BytesPerOp)
	}
	where := "no line allocates"
	switch {
	case f.file == "":
		if len(v.Allocations) > 0 {
			t.Errorf("allocations: %+v", v.Allocations)
		}
	case len(v.Allocations) == 0 && f.setup:
	case len(v.Allocations) == 0:
		t.Fatal("no line allocates")
	default:
		a := v.Allocations[0]
		if f.random {
			// Which of two lines allocates more depends on the keys.
			at := func(a verdict.Allocation) bool { return a.File == f.file && a.Line == f.line }
			if i := slices.IndexFunc(v.Allocations, at); i == 1 {
				a = v.Allocations[i]
			}
		}
		if a.File != f.file || a.Line != f.line || a.Code != f.code || !strings.HasPrefix(a.Why, f.why) {
			t.Errorf("the most is on %s:%d, %q: %s", a.File, a.Line, a.Code, a.Why)
		}
		where = fmt.Sprintf("%s of them on %s:%d, in %s: %s", verdict.FormatCount(a.AllocsPerOp), a.File,
			a.Line, a.Func, a.Why)
	}

	out, err = in("go", "test", "-tags="+f.tags, "-run=^$", "-bench="+f.bench, "-benchmem",
		fmt.Sprintf("-benchtime=%dx",
			b.N), "-cpu=1", name)
	if err != nil {
		t.Fatal(err)
	}
	said := memory.FindSubmatch(out)
	if said == nil {
		t.Fatalf("go test printed nothing about %s:\n%s", f.benchmark, out)
	}
	bytesPerOp, _ := strconv.ParseFloat(string(said[1]), 64)
	allocsPerOp, _ := strconv.ParseFloat(string(said[2]), 64)
	// Package testing truncates the figures, and includes what only the first operation allocates: some KiB, which are
	// many bytes per operation if the machine is too busy for many operations.
	once := float64(16<<10) / float64(b.N)
	if f.random {
		once = 0.05 * bytesPerOp
	}
	if f.setup {
		if allocsPerOp < b.AllocsPerOp {
			t.Errorf("explain counts %v allocs/op, package testing %v with the setup", b.AllocsPerOp, allocsPerOp)
		}
	} else if math.Abs(b.AllocsPerOp-allocsPerOp) >= 1 ||
		math.Abs(b.BytesPerOp-bytesPerOp) > max(2, 0.01*bytesPerOp, once) {
		t.Errorf("explain counts %v allocs/op and %v B/op, package testing %v and %v", b.AllocsPerOp, b.BytesPerOp,
			allocsPerOp, bytesPerOp)
	}
	t.Logf("%s %s (%s): %s %s allocs/op (go test: %v), %s", v.Package, f.version, f.kind, b.Name,
		verdict.FormatCount(b.AllocsPerOp), allocsPerOp, where)
}

// memory matches the memory figures that package testing prints.
var memory = regexp.MustCompile(`\s(\d+) B/op\s+(\d+) allocs/op`)
