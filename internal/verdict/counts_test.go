package verdict_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/version"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"onthestack/internal/build"
	"onthestack/internal/verdict"
)

// An expectedLine is what a line in testdata/counts allocates per operation, according to its comment.
type expectedLine struct {
	allocs, bytes float64
	shared        string // the program whose lines share blocks of tiny objects, this one among them
}

// knownComment matches such a comment. The last three groups are a release that changed the figures, and the new
// figures.
var knownComment = regexp.MustCompile(`// ([\d.]+) allocs?, ([\d.]+) B(?:, shared in (\w+))?(?:; since (go[\d.]+) ` +
	`([\d.]+) allocs?, ([\d.]+) B)?$`)

// readCounts reads the programs, and what their lines should allocate on a release of Go, by "file:line". It adds a
// benchmark for each exported function that no benchmark calls.
func readCounts(t *testing.T, release string) (files map[string][]byte, lines map[string]expectedLine) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "counts", "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no program in testdata/counts (%v)", err)
	}
	files, lines = map[string][]byte{}, map[string]expectedLine{}
	var programs []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(name)
		files[base] = text
		for i, line := range strings.Split(string(text), "\n") {
			if m := knownComment.FindStringSubmatch(line); m != nil {
				figures := m[1:3]
				if m[4] != "" && version.Compare(release, m[4]) >= 0 {
					figures = m[5:7]
				}
				allocs, _ := strconv.ParseFloat(figures[0], 64)
				bytes, _ := strconv.ParseFloat(figures[1], 64)
				lines[fmt.Sprintf("%s:%d", base, i+1)] = expectedLine{allocs, bytes, m[3]}
			}
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() && len(f.Type.Params.List) == 0 {
				programs = append(programs, f.Name.Name)
			}
		}
	}
	var b strings.Builder
	b.WriteString("package counts_test\n\n")
	for _, name := range programs {
		if !strings.Contains(string(files["bench_test.go"]), "counts."+name+"(") {
			fmt.Fprintf(&b, "func Benchmark%s(b *testing.B) {\n\tfor range b.N {\n\t\tcounts.%[1]s()\n\t}\n}\n\n", name)
		}
	}
	all := strings.Replace(b.String(), "\n\n",
		"\n\nimport (\n\t\"testing\"\n\n\t\"onthestack/exercises/counts\"\n)\n\n",
		1)
	files["all_test.go"] = []byte(all)
	return files, lines
}

// TestCounts compares the figures of each line with its comment, and the sum over the lines with the benchmark's count.
// They must be equal.
func TestCounts(t *testing.T) { testCounts(t, native()) }

// TestProofCountsWasm is TestCounts on the wasm engine.
func TestProofCountsWasm(t *testing.T) {
	limitBuilds(t)
	testCounts(t, wasm())
}

// TestProofCountsOnReleases is TestCounts on the other minor releases of Go that exercises are proved on.
func TestProofCountsOnReleases(t *testing.T) { onOtherReleases(t, false, testCounts) }

// TestNightlyCountsOnReleases is TestProofCountsOnReleases on another patch of the installed minor release, too.
func TestNightlyCountsOnReleases(t *testing.T) { onOtherReleases(t, true, testCounts) }

func testCounts(t *testing.T, c verdict.Checker) {
	release, err := c.Builder.(*build.Toolchain).Version()
	if err != nil {
		t.Fatal(err)
	}
	files, lines := readCounts(t, release)
	v := measure(t, c, "counts", "onthestack/exercises/counts", files)
	if len(v.Benchmarks) < 40 {
		t.Errorf("only %d programs", len(v.Benchmarks))
	}
	held := map[string]bool{}
	for _, b := range v.Benchmarks {
		holdCounts(t, v, b, lines, held)
	}
	for place, k := range lines {
		if !held[place] && k.shared == "" {
			t.Errorf("%s: allocates nothing, known are %v allocs/op", place, k.allocs)
		}
	}
}

// holdCounts compares the lines of one benchmark with their comments. Lines that share blocks of tiny objects are
// compared by their sum.
func holdCounts(
	t *testing.T,
	v *verdict.Verdict,
	b verdict.Benchmark,
	lines map[string]expectedLine,
	held map[string]bool,
) {
	t.Helper()
	var sum, shared, want expectedLine
	for _, k := range lines {
		if "Benchmark"+k.shared == b.Name {
			want.allocs += k.allocs
			want.bytes += k.bytes
		}
	}
	for _, a := range v.Allocations {
		if a.Benchmark != b.Name {
			continue
		}
		place := fmt.Sprintf("%s:%d", a.File, a.Line)
		sum.allocs += a.AllocsPerOp
		sum.bytes += a.BytesPerOp
		k, ok := lines[place]
		held[place] = true
		if strings.Contains(a.Func, "/") {
			t.Errorf("%s, %s: %s: in %s: named after what it was inlined into", b.Name, place, a.Code, a.Func)
		}
		switch {
		case !ok:
			t.Errorf("%s, %s: %s: %v allocs/op, %v B/op, known is nothing", b.Name, place, a.Code, a.AllocsPerOp,
				a.BytesPerOp)
		case a.Shared != (k.shared != ""):
			t.Errorf("%s, %s: %s: shared %v", b.Name, place, a.Code, a.Shared)
		case a.Shared:
			shared.allocs += a.AllocsPerOp
			shared.bytes += a.BytesPerOp
		case !near(a.AllocsPerOp, k.allocs, rounded) || !near(a.BytesPerOp, k.bytes, block):
			t.Errorf("%s, %s: %s: %v allocs/op, %v B/op, known are %v and %v", b.Name, place, a.Code, a.AllocsPerOp,
				a.BytesPerOp, k.allocs, k.bytes)
		}
	}
	if !near(shared.allocs, want.allocs, rounded) || !near(shared.bytes, want.bytes, block) {
		t.Errorf("%s: shared are %v allocs/op, %v B/op, known are %v and %v", b.Name, shared.allocs, shared.bytes,
			want.allocs, want.bytes)
	}
	if !near(sum.allocs, b.AllocsPerOp, exact) || !near(sum.bytes, b.BytesPerOp, exact) {
		t.Errorf("%s: its lines allocate %v times, %v bytes, the benchmark counts %v and %v", b.Name,
			sum.allocs, sum.bytes,
			b.AllocsPerOp, b.BytesPerOp)
	}
}

// Tolerances: for figures that were summed in different orders, for figures that a comment rounds, and for bytes, since
// the last block of tiny objects may belong to either of two operations.
const (
	exact   = 1e-9
	rounded = 0.0005
	block   = 16.5 / 1000
)

func near(a, b, by float64) bool { return math.Abs(a-b) <= by }
