package survey

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"onthestack/internal/verdict"
)

const explainTitle = `# The figures of explain and of go test

"make survey" writes this table. In each benchmark, the allocs/op of "checkalloc explain" are compared with what
"go test -benchmem -cpu 1" prints for the same number of operations, and where they differ, for more operations: "go
test" divides what the setup and the first operations allocate by their number. Package testing also truncates, so that
three allocations in all operations but the first are 2 allocs/op. Of some benchmarks, each run prints other figures.
`

var explainColumns = []string{"benchmarks", "equal", "equal with more operations", "different", "lines add up",
	"not measured"}

// explain explains the package in a folder, and runs each benchmark that has figures as "go test" does. The details are
// the benchmarks whose figures are not equal.
func (w *workbench) explain(ctx context.Context, dir string) (counts []int, details []string, err error) {
	// If benchmarks fail, explain prints the figures of the others and returns an error.
	out, err := w.output(ctx, dir, w.checkalloc, "explain", "--json", "--timeout", "30s", ".")
	var v verdict.Verdict
	if err := cmp.Or(err, json.Unmarshal(out, &v)); err != nil && len(v.Benchmarks) == 0 {
		return nil, nil, err
	}
	program := filepath.Join(w.dir, "package.test")
	if _, err := w.output(ctx, dir, "go", "test", "-c", "-vet=off", "-o", program, "."); err != nil {
		return nil, nil, err
	}
	for _, n := range v.NotMeasured {
		details = append(details, fmt.Sprintf("%s: %s: %s", n.Name, n.Outcome, n.Why))
	}
	var equal, later, different, sums int
	for _, b := range v.Benchmarks {
		var allocs, size float64
		for _, a := range v.Allocations {
			if a.Benchmark == b.Name {
				allocs, size = allocs+a.AllocsPerOp, size+a.BytesPerOp
			}
		}
		if math.Abs(allocs-b.AllocsPerOp) <= 1e-6*max(1, allocs) && math.Abs(size-b.BytesPerOp) <= 1e-3*max(1, size) {
			sums++
		} else {
			details = append(details, fmt.Sprintf("%s: its lines have %v allocs/op and %v B/op, of %v and %v",
				b.Name, allocs, size, b.AllocsPerOp, b.BytesPerOp))
		}
		printed, err := w.goTest(ctx, dir, program, b.Name, b.N)
		if err != nil {
			return nil, nil, err
		}
		if prints(b, printed) {
			equal++
			continue
		}
		// Many more operations, in about ten seconds.
		n := max(b.N, min(1000*b.N, int(float64(10*time.Second)/max(1, b.NsPerOp))))
		more, err := w.goTest(ctx, dir, program, b.Name, n)
		if err != nil {
			return nil, nil, err
		}
		if prints(b, more) {
			later++
		} else {
			different++
		}
		details = append(details, fmt.Sprintf(
			"%s: explain counts %s allocs/op in %d operations, go test %v, and %v in %d", b.Name, verdict.FormatCount(b.AllocsPerOp), b.N, printed, more, n))
	}
	return []int{len(v.Benchmarks), equal, later, different, sums, len(v.NotMeasured)}, details, nil
}

// prints reports whether "go test", which truncates the figure, prints this for the allocations of a benchmark. Up to a
// fiftieth of an allocation may be what the runtime allocates by chance.
func prints(b verdict.Benchmark, printed float64) bool {
	const chance = 0.02
	return printed == math.Floor(b.AllocsPerOp) || printed == math.Floor(b.AllocsPerOp+chance)
}

// goTest returns the allocs/op that "go test -benchmem -cpu 1" prints for a benchmark with n operations.
func (w *workbench) goTest(ctx context.Context, dir, program, benchmark string, n int) (float64, error) {
	parts := strings.Split(benchmark, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	out, err := w.output(ctx, dir, program, "-test.run=^$", "-test.bench="+strings.Join(parts, "/"), "-test.benchmem",
		"-test.cpu=1", fmt.Sprintf("-test.benchtime=%dx", n), "-test.timeout=10m")
	if err != nil {
		return 0, err
	}
	results := benchfmt.NewReader(bytes.NewReader(out), benchmark)
	for results.Scan() {
		if r, ok := results.Result().(*benchfmt.Result); ok && "Benchmark"+string(r.Name) == benchmark {
			if allocs, counted := r.Value("allocs/op"); counted {
				return allocs, nil
			}
		}
	}
	return 0, fmt.Errorf("go test prints no figures of %s:\n%s", benchmark, out)
}
