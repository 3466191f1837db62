package userpkg_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/tools/txtar"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/verdict"
)

// TestCalls compares what each line allocates by each path of calls with the memory profile of "go test".
func TestCalls(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "calls.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, file.Name), file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if lines, paths := comparePaths(t, dir, "."); lines < 10 || paths < 15 {
		t.Errorf("%d paths on %d lines were compared: too few to show anything", paths, lines)
	}
}

// An otherModule is a module that this project's other tests do not use, with the benchmarks to explain.
type otherModule struct{ module, version, bench string }

var otherModules = []otherModule{
	{"github.com/antchfx/xpath", "v1.3.4", "^Benchmark[^L]"},
	{"github.com/google/uuid", "v1.6.0", "."},
	{"github.com/BurntSushi/toml", "v1.5.0", "^BenchmarkDecode$/^(array|inline-table|string)$"},
	{"github.com/Masterminds/semver/v3", "v3.3.1", "."},
	{"github.com/valyala/fasttemplate", "v1.2.2", "^Benchmark[FT]"}, // the others replace in a random order
	{"github.com/mitchellh/mapstructure", "v1.5.0", "."},
}

// TestProofCallsOfOthers does the same for two other modules.
func TestProofCallsOfOthers(t *testing.T) { testCallsOfOthers(t, otherModules[:2]) }

// TestNightlyCallsOfOthers does the same for the rest of them.
func TestNightlyCallsOfOthers(t *testing.T) { testCallsOfOthers(t, otherModules[2:]) }

func testCallsOfOthers(t *testing.T, modules []otherModule) {
	for _, m := range modules {
		t.Run(strings.ReplaceAll(m.module, "/", "_"), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", m.module+"@"+m.version)
			cmd.Dir = t.TempDir()
			out, err := cmd.Output()
			if err != nil {
				message := fmt.Sprintf("NOT TESTED: the module proxy gives no %s@%s: %v\n%s", m.module, m.version,
					err, out)
				if os.Getenv("CI") == "true" {
					t.Fatal(message)
				}
				t.Skip(message)
			}
			var downloaded struct{ Dir string }
			if err := json.Unmarshal(out, &downloaded); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "module")
			if err := os.CopyFS(dir, os.DirFS(downloaded.Dir)); err != nil {
				t.Fatal(err)
			}
			lines, paths := comparePaths(t, dir, m.bench)
			t.Logf("%d paths on %d lines", paths, lines)
		})
	}
}

// tinyBlock is the size of a block of tiny objects, in bytes.
const tinyBlock = 16

// operations are the two numbers of operations whose memory profiles are subtracted from each other: what the setup of
// a benchmark allocates is in both.
var operations = [2]int{100, 300}

// comparePaths explains the benchmarks of the package in a folder, and compares the ten largest lines of each with its
// memory profile: bytes by path of calls, and objects where pprof counts them. Of tiny objects, which share blocks of
// 16 bytes, pprof counts the blocks; the objects are then at least as many, and each has at most those bytes. It
// returns how much it compared.
func comparePaths(t *testing.T, dir, bench string) (lines, paths int) {
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	subject, err := userpkg.Config{Dir: dir}.Load(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	defer subject.Close()
	if err := subject.Compile(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	e, err := subject.Explain(t.Context(), userpkg.MeasureOptions{
		Bench: bench, Benchtime: fmt.Sprintf("%dx", operations[1]), Limit: 5 * time.Minute,
	}, userpkg.WholeModule)
	if err != nil {
		t.Fatal(err)
	}
	if !e.Verdict.Pass {
		t.Fatalf("%v\n%s", e.Verdict.Errors, e.Verdict.Tests.Output)
	}
	binary := filepath.Join(t.TempDir(), "package.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-o", binary, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	for _, b := range e.Verdict.Benchmarks {
		profiled := profiledLines(t, subject.Dir, binary, b.Name)
		var largest []verdict.Allocation
		for _, a := range e.Verdict.Allocations {
			// An array that grows once in many operations does so at other moments.
			if a.Benchmark == b.Name && a.AllocsPerOp >= 0.1 {
				largest = append(largest, a)
			}
		}
		slices.SortStableFunc(largest, func(a, b verdict.Allocation) int {
			return cmp.Compare(b.BytesPerOp, a.BytesPerOp)
		})
		for _, a := range largest[:min(len(largest), 10)] {
			lines++
			at := fmt.Sprintf("%s:%d", a.File, a.Line)
			for _, c := range a.Calls {
				paths++
				path := strings.Join(c.Callees, " > ")
				want := profiled[at][path]
				same := near(c.AllocsPerOp, want.objects, 1) && near(c.BytesPerOp, want.bytes, tinyBlock)
				if want.tiny {
					same = c.AllocsPerOp > want.objects || near(c.AllocsPerOp, want.objects, 1)
					same = same && math.Abs(c.BytesPerOp-want.bytes) < tinyBlock*c.AllocsPerOp
				}
				if !same {
					t.Errorf("%s, %s, %q: %v allocs/op (estimated %v), %v B/op; pprof counts %v and %v", b.Name, at,
						path, c.AllocsPerOp, c.Estimated, c.BytesPerOp, want.objects, want.bytes)
				}
				delete(profiled[at], path)
			}
			for path, left := range profiled[at] {
				size := 1.0
				if strings.Contains(path, "internal/sync.(*HashTrieMap") {
					size = 2 // it grows by hashes that differ from process to process
				}
				if !near(0, left.objects, size) {
					t.Errorf("%s, %s: pprof also counts %v allocs/op by %q", b.Name, at, left.objects, path)
				}
			}
		}
	}
	return lines, paths
}

// near reports whether two figures differ by at most a hundredth, or by two objects of the given size in all
// operations: a block of tiny objects may have been opened in an earlier operation.
func near(a, b, size float64) bool {
	return math.Abs(a-b) <= max(0.01*math.Max(a, b), 2*size/float64(operations[1]-operations[0]))
}

// A profiledPath is what a path of calls allocates per operation. tiny is true if some of it may be blocks of tiny
// objects.
type profiledPath struct {
	objects, bytes float64
	tiny           bool
}

// profiledLines runs a benchmark with memory profiles, and returns what each line of the package allocates by each path
// of calls.
func profiledLines(t *testing.T, dir, binary, benchmark string) map[string]map[string]profiledPath {
	lines := map[string]map[string]profiledPath{}
	perOperation := float64(operations[1] - operations[0])
	for i, n := range operations {
		name := filepath.Join(t.TempDir(), "mem.out")
		parts := strings.Split(benchmark, "/")
		for i, part := range parts {
			parts[i] = "^" + regexp.QuoteMeta(part) + "$"
		}
		cmd := exec.CommandContext(t.Context(), binary, "-test.run=^$", "-test.bench="+strings.Join(parts, "/"),
			fmt.Sprintf("-test.benchtime=%dx", n), "-test.cpu=1", "-test.memprofilerate=1", "-test.memprofile="+name)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", benchmark, err, out)
		}
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		sign := float64(2*i-1) / perOperation
		for _, s := range p.Sample {
			at, path, ok := innermostLine(dir, s)
			if !ok {
				continue
			}
			if lines[at] == nil {
				lines[at] = map[string]profiledPath{}
			}
			sum := lines[at][path]
			sum.objects += sign * float64(s.Value[0])
			sum.bytes += sign * float64(s.Value[1])
			sum.tiny = sum.tiny || s.Value[0] > 0 && s.Value[1]/s.Value[0] == tinyBlock
			lines[at][path] = sum
		}
	}
	return lines
}

// shortened returns the name of a function as the runtime prints it: pprof adds type arguments.
func shortened(name string) string {
	from, to := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if from < 0 || to < from {
		return name
	}
	return name[:from] + "[...]" + name[to+1:]
}

// innermostLine returns the innermost line of a sample's stack that is in a file of the folder, and the functions
// called from there, without functions of the runtime.
func innermostLine(dir string, s *profile.Sample) (at, path string, ok bool) {
	var callees []string
	for _, location := range s.Location {
		for _, line := range location.Line {
			if filepath.Dir(line.Function.Filename) == dir {
				slices.Reverse(callees)
				return fmt.Sprintf("%s:%d", filepath.Base(line.Function.Filename), line.Line),
					strings.Join(callees, " > "), true
			}
			name := shortened(line.Function.Name)
			inRuntime := strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/")
			if len(callees) > 0 || !inRuntime {
				callees = append(callees, name)
			}
		}
	}
	return "", "", false
}
