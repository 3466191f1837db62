package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"onthestack/internal/escape"
	"onthestack/internal/owncode/budget"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

const guardModule = `
-- go.mod --
module example.com/m

go 1.26.0
-- plain/plain.go --
package plain
-- ring/ring.go --
package ring

func Push(n int) {
	buf := make([]byte, n) //checkalloc:noescape
	keep = buf
}

var keep []byte
-- ring/ring_test.go --
package ring

import "testing"

//checkalloc:allocs<=1
func BenchmarkPush(b *testing.B) {}

//checkalloc:allocs<=1
func BenchmarkPop(b *testing.B) {}
-- ring/outer_test.go --
package ring_test

import "testing"

//checkalloc:bytes<=8 bench=Big
func BenchmarkOuter(b *testing.B) {}
-- ring/ring_plan9.go --
package ring

var other = new(int) //checkalloc:noescape
-- escapes/escapes.go --
package escapes

var x = new(int) //checkalloc:noescape
-- escapes/testdata/x_plan9.go --
package x

var x int //checkalloc:frob
-- tagged/tagged.go --
package tagged
-- tagged/more.go --
//go:build more

package tagged

var x = new(int) //checkalloc:noescape
-- wrong/wrong.go --
package wrong

var x = 1 //checkalloc:noescapes
-- far/far_plan9.go --
package far

var x = new(int) //checkalloc:noescape
-- empty/text --
-- nested/go.mod --
module example.com/nested
-- nested/nested_plan9.go --
package nested

var x int //checkalloc:frob
`

// A guardRun is a call of guard in the module above. fake replaces the measurement of ring and escapes, or makes it
// fail.
type guardRun struct {
	guardCall
	stdout, stderr bytes.Buffer
	mu             sync.Mutex
	asked          []string
	fake           map[string]error
}

func newGuardRun(t *testing.T) *guardRun {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(guardModule)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GITHUB_ACTIONS", "")
	r := &guardRun{}
	r.App = app.New(nil, sandbox.Limits{}, "checkalloc", nil, &r.stdout, &r.stderr)
	r.NoColor = true
	r.Start(func(error) {})
	r.explain = r.answer
	return r
}

func (r *guardRun) answer(_ context.Context, pkg, bench string) (*verdict.Verdict, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, pkg+" "+bench)
	if err := r.fake[pkg]; err != nil {
		return nil, err
	}
	if pkg != "example.com/m/ring" {
		return &verdict.Verdict{}, nil
	}
	return &verdict.Verdict{
		Benchmarks: []verdict.Benchmark{
			{Name: "BenchmarkPush", AllocsPerOp: 2, BytesPerOp: 80}, {Name: "BenchmarkPop", AllocsPerOp: 1},
			{Name: "BenchmarkOuter/Big", BytesPerOp: 8}, {Name: "BenchmarkOuter/Huge", BytesPerOp: 800},
		},
		Allocations: []verdict.Allocation{
			{
				Benchmark:   "BenchmarkPush",
				File:        "ring.go",
				Line:        4,
				AllocsPerOp: 2,
				BytesPerOp:  80,
				Why:         "the slice's array moves to the heap",
			},
		},
		Escapes: []escape.Diagnostic{
			{File: "ring.go", Line: 4, Col: 13, Kind: escape.Escape, Message: "make([]byte, n) escapes to heap",
				Flow: []escape.Step{
					{File: "ring.go", Line: 5, Col: 7, Message: "stored in keep", Text: "from keep = buf (assign)"},
				}},
		},
	}, nil
}

func (r *guardRun) run(t *testing.T, want int, patterns ...string) {
	t.Helper()
	code, err := r.guardCall.run(t.Context(), patterns)
	if err != nil {
		t.Fatal(err)
	}
	if code != want {
		t.Errorf("exit code %d, want %d", code, want)
	}
}

func TestGuard(t *testing.T) {
	r := newGuardRun(t)
	r.run(t, app.ExitNotYet)
	want := filepath.FromSlash(
		`far/far_plan9.go:3: //checkalloc:noescape: not checked: build constraints exclude this file here
ring/ring.go:4: noescape does not hold: the slice's array moves to the heap (make([]byte, n) escapes to heap)
    ring/ring.go:5: stored in keep
ring/ring_plan9.go:3: //checkalloc:noescape: not checked: build constraints exclude this file here
ring/ring_test.go:5: BenchmarkPush: 2 allocs/op, budget allocs<=1
    ring/ring.go:4: 2 allocs/op, 80 B/op: the slice's array moves to the heap
tagged/more.go:5: //checkalloc:noescape: not checked: build constraints exclude this file here
wrong/wrong.go:3: //checkalloc:noescapes: "noescapes" is unknown: do you mean noescape? Known are allocs<=N, bytes<=N, bench=PATTERN and noescape

3 budgets hold, 2 do not, 4 are in error
`,
	)
	want = strings.ReplaceAll(want, filepath.FromSlash("//"), "//")
	if got := r.stdout.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// Packages without directives are not built, and without budgets no benchmark is measured.
	slices.Sort(r.asked)
	if want := []string{"example.com/m/escapes ",
		"example.com/m/ring ^(BenchmarkOuter|BenchmarkPop|BenchmarkPush)$"}; !slices.Equal(
		r.asked,
		want,
	) {
		t.Errorf("built %q, want %q", r.asked, want)
	}
}

func TestGuardHolds(t *testing.T) {
	r := newGuardRun(t)
	r.run(t, app.ExitPassed, "./escapes", "example.com/m/plain")
	if got := r.stdout.String(); got != "1 budget holds, 0 do not\n" {
		t.Errorf("%q", got)
	}
}

func TestGuardTags(t *testing.T) {
	r := newGuardRun(t)
	r.run(t, app.ExitNotYet, "./tagged")
	r.tags = "less,more"
	r.run(t, app.ExitPassed, "./tagged")
	if want := []string{"example.com/m/tagged "}; !slices.Equal(r.asked, want) {
		t.Errorf("built %q, want %q", r.asked, want)
	}
}

func TestGuardWithout(t *testing.T) {
	r := newGuardRun(t)
	r.run(t, app.ExitPassed, "./plain")
	if got := r.stdout.String(); got != "no //checkalloc: directive in 1 package\n" || len(r.asked) > 0 {
		t.Errorf("%q, built %q", got, r.asked)
	}
}

func TestGuardJSON(t *testing.T) {
	r := newGuardRun(t)
	r.JSON = true
	t.Setenv("GITHUB_ACTIONS", "true")
	r.run(t, app.ExitNotYet, "./ring", "./wrong")
	var report budget.Report
	if err := json.Unmarshal(r.stdout.Bytes(), &report); err != nil {
		t.Fatalf("%v in %s", err, r.stdout.String())
	}
	if report.Schema != budget.Schema || report.Held != 2 || report.Broken != 2 || report.Errors != 2 ||
		len(report.Findings) != 4 {
		t.Errorf("%+v", report)
	}
	if strings.Contains(r.stdout.String(), ":null") {
		t.Errorf("null in %s", r.stdout.String())
	}
}

// TestGuardActions runs guard in a folder of a checkout, as a workflow on GitHub does.
func TestGuardActions(t *testing.T) {
	r := newGuardRun(t)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("GITHUB_WORKSPACE", root)
	t.Chdir("ring")
	r.run(t, app.ExitNotYet, ".")
	const want = "::error file=ring/ring_test.go,line=5,title=checkalloc guard::BenchmarkPush: 2 allocs/op, budget " +
		"allocs<=1%0A2 allocs/op, 80 B/op: the slice's array moves to the heap (ring/ring.go:4)\n"
	if got := r.stdout.String(); !strings.Contains(got, want) || !strings.HasPrefix(got, "ring.go:4: ") {
		t.Errorf("got\n%s\nwant a line\n%s", got, want)
	}
}

// TestGuardCannot tests that if one package cannot be measured, the report has the others.
func TestGuardCannot(t *testing.T) {
	r := newGuardRun(t)
	broken := errors.New("the disk is full")
	r.fake = map[string]error{"example.com/m/escapes": broken}
	_, err := r.guardCall.run(t.Context(), []string{"./escapes", "./ring"})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "example.com/m/escapes: the disk is full") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{"escapes.go:3: //checkalloc:noescape: not checked: the disk is full",
		"BenchmarkPush: 2 allocs/op", "2 budgets hold, 2 do not, 2 are in error"} {
		if !strings.Contains(r.stdout.String(), want) {
			t.Errorf("%q is not in\n%s", want, r.stdout.String())
		}
	}
}

func TestGuardUsage(t *testing.T) {
	for _, test := range []struct{ pattern, want string }{
		{"./nowhere", "directory not found"},
		{"./nowhere/...", "pattern ./nowhere/..."},
		{"./empty/...", "no package matches ./empty/..."},
		{"example.com/m/nowhere", "example.com/m/nowhere"},
		{"ring/ring.go", "guard takes packages, such as ./..., not files"},
	} {
		r := newGuardRun(t)
		_, err := r.guardCall.run(t.Context(), []string{test.pattern})
		var usage app.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want wrong usage with %q", test.pattern, err, test.want)
		}
	}
}

func TestGuardInterrupted(t *testing.T) {
	r := newGuardRun(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.explain = func(ctx context.Context, _, _ string) (*verdict.Verdict, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	_, err := r.guardCall.run(ctx, []string{"./ring"})
	if !errors.Is(err, context.Canceled) || r.stdout.Len() > 0 {
		t.Errorf("error %v, stdout %q", err, r.stdout.String())
	}
}
