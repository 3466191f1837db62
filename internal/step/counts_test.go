package step_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"onthestack/internal/step"
)

// known matches the comment of package verdict's programs on what a line allocates; see readCounts there. The last two
// groups mark figures that tests of a single operation cannot compare: shared blocks, and another release.
var known = regexp.MustCompile(`// ([\d.]+) allocs?, ([\d.]+) B(?:, (shared) in \w+)?(?:; (since) .*)?$`)

// A figure is what a line allocates in one operation.
type figure struct {
	allocs, bytes float64
	shared        bool // not comparable: see known
}

// countsPrograms are the programs with known counts: the files of the package, turned into files of a main package, the
// known figures by file and line, and the functions that are an operation each.
type countsPrograms struct {
	body      string
	lines     map[string]figure
	functions map[string][2]int // name → first and last line; all are in files that their lines name
	files     map[string]string // name → file
}

func readCounts(t *testing.T) countsPrograms {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "verdict", "testdata", "counts", "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no programs with known counts (%v)", err)
	}
	c := countsPrograms{
		lines: map[string]figure{}, functions: map[string][2]int{}, files: map[string]string{},
	}
	var body strings.Builder
	for _, name := range names {
		base := filepath.Base(name)
		if base == "bench_test.go" || base == "called.go" { // what is called with a benchmark's arguments
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, base, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() && len(f.Type.Params.List) == 0 {
				c.functions[f.Name.Name] = [2]int{fset.Position(f.Pos()).Line, fset.Position(f.End()).Line}
				c.files[f.Name.Name] = base
			}
		}
		for i, line := range strings.Split(string(text), "\n") {
			m := known.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			allocs, _ := strconv.ParseFloat(m[1], 64)
			bytes, _ := strconv.ParseFloat(m[2], 64)
			c.lines[fmt.Sprintf("%s:%d", base, i+1)] = figure{allocs, bytes, m[3] != "" || m[4] != ""}
		}
		source := strings.Replace(string(text), "\npackage counts\n", "\npackage main\n", 1)
		source = strings.TrimPrefix(source, "package counts\n")
		if source != string(text) && !strings.Contains(source, "package main\n") {
			source = "package main\n" + source
		}
		fmt.Fprintf(&body, "-- %s --\n%s", base, source)
	}
	c.body = body.String()
	return c
}

// program returns the program that runs each of the functions once. They have run once before, so that nothing is
// counted that libraries make at their first use: a file 0.go has the steps begin with main.
func (c countsPrograms) program(names []string) string {
	calls := "\t" + strings.Join(names, "()\n\t") + "()\n"
	return c.body + fmt.Sprintf("-- 0.go --\npackage main\n"+
		"-- prog.go --\npackage main\n\nfunc init() {\n\tanysSink = make([]any, 1)\n%s}\n\n"+
		"func main() {\n%s}\n", calls, calls)
}

// drawn returns what the objects on the heap of the last step sum up to, by file and line.
func drawn(d *step.Document) map[string]figure {
	lines := map[string]figure{}
	for _, o := range d.Steps[len(d.Steps)-1].Heap {
		k := fmt.Sprintf("%s:%d", o.File, o.Line)
		f := lines[k]
		f.allocs += float64(o.Count)
		f.bytes += float64(o.Bytes)
		lines[k] = f
	}
	return lines
}

// TestProofKnownCounts steps through all functions with known counts, and compares the objects that are drawn at the
// end, line by line, with the comments. Twelve functions are one program, because to build one takes longer than to step
// through it.
func TestProofKnownCounts(t *testing.T) { testKnownCounts(t, 12) }

// TestNightlyKnownCounts has four functions in each program, so that fewer of them share blocks of tiny objects, of
// which less is known.
func TestNightlyKnownCounts(t *testing.T) { testKnownCounts(t, 4) }

func testKnownCounts(t *testing.T, together int) {
	c := readCounts(t)
	if len(c.functions) < 100 {
		t.Errorf("only %d programs", len(c.functions))
	}
	for names := range slices.Chunk(slices.Sorted(maps.Keys(c.functions)), together) {
		t.Run(strings.Join(names, ","), func(t *testing.T) {
			t.Parallel()
			c.hold(t, names, stepsOf(t, stepper(t, time.Minute), c.program(names)))
		})
	}
}

// tiny is the size in bytes of the blocks that tiny objects share. The comments have the average over many operations,
// and in a single one a block is opened or not.
const tiny = 16

func (c countsPrograms) hold(t *testing.T, names []string, d *step.Document) {
	if d.Unmeasured != "" || d.Cut != "" || d.End.Kind != step.EndReturned {
		t.Fatalf("%q, %q, %+v", d.Unmeasured, d.Cut, d.End)
	}
	lines := drawn(d)
	shared := map[string]bool{}
	sharing, total, sum := false, 0.0, 0.0
	for _, f := range lines {
		sum += f.allocs
	}
	for _, l := range d.Lines {
		k := fmt.Sprintf("%s:%d", l.File, l.Line)
		shared[k] = l.Shared
		sharing = sharing || l.Shared
		got := lines[k]
		total += float64(l.Allocs)
		if l.Shared {
			// Which of these lines made the objects that share a block is not known; the sum is compared below.
		} else if got.allocs != float64(l.Allocs) || got.bytes < float64(l.Bytes) ||
			got.bytes > float64(l.Bytes+tiny*l.Allocs) {
			t.Errorf("%s: drawn are %v objects of %v B, counted %d of %d B", k, got.allocs, got.bytes,
				l.Allocs, l.Bytes)
		}
		want, ok := c.lines[k]
		switch {
		case l.File == "prog.go" && l.Allocs > 0:
			t.Errorf("%s: main itself allocates: %+v", k, l)
		case !ok:
			t.Errorf("%s: %d allocs of %d B, known is nothing: %s", k, l.Allocs, l.Bytes, l.Reason)
		case want.shared || l.Shared:
			// Which line opens a block depends on the line before.
		case want.allocs != math.Trunc(want.allocs):
			// An average over many operations, of which one is run.
		case want.allocs != float64(l.Allocs):
			t.Errorf("%s: %d allocs of %d B, known are %v of %v B", k, l.Allocs, l.Bytes, want.allocs, want.bytes)
		case want.bytes != float64(l.Bytes) &&
			(l.Bytes > int(want.bytes)+tiny*l.Allocs || float64(l.Bytes) < want.bytes-tiny):
			t.Errorf("%s: %d B, known are %v B", k, l.Bytes, want.bytes)
		}
		delete(lines, k)
	}
	if sum != total {
		t.Errorf("%v objects are drawn, %v were counted", sum, total)
	}
	for k, f := range lines {
		if sharing {
			break // an object in the block of another
		}
		t.Errorf("%s: drawn are %v objects, which were not counted", k, f.allocs)
	}
	// Each known allocation of its own lines is drawn, except for a tiny object in the block of another.
	for _, name := range names {
		for line := c.functions[name][0]; line <= c.functions[name][1]; line++ {
			k := fmt.Sprintf("%s:%d", c.files[name], line)
			if want, ok := c.lines[k]; ok && !want.shared && !(sharing && want.bytes < tiny) {
				if _, counted := shared[k]; !counted {
					t.Errorf("%s: nothing is drawn, known are %v allocs of %v B", k, want.allocs, want.bytes)
				}
			}
		}
	}
}
