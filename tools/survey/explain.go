package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"onthestack/internal/verdict"
)

// An agreement is how the figures of explain and of "go test" compare in one benchmark.
type agreement int

const (
	equal  agreement = iota
	steady           // equal once go test runs more operations, over which the setup that it includes is divided
	// truncated: go test prints one less, because the first operations allocate less than the others and package
	// testing truncates the mean.
	truncated
	variable // go test prints different figures in different runs, and explain's is among them
	unequal
)

const explainTitle = `# The figures of explain and of go test

"make survey" writes this table. In each benchmark, the allocs/op of "checkalloc explain" are compared with what
"go test -benchmem -cpu 1" prints for the same number of operations, and where they differ, for more operations: "go
test" divides what the setup and the first operations allocate by their number. Package testing also truncates, so that
three allocations in all operations but the first are 2 allocs/op. A benchmark is random if runs of "go test" differ.

`

// explainAll prints a row for each subject, and a line for each benchmark whose figures are not equal.
func explainAll(ctx context.Context, w *workbench, subjects []subject, out io.Writer) error {
	fmt.Fprint(out, explainTitle)
	fmt.Fprintln(out, "| package | benchmarks | equal | equal with more operations | less by truncation | random | "+
		"unequal | lines add up | not measured |")
	fmt.Fprintln(out, "|---|---:|---:|---:|---:|---:|---:|---:|---:|")
	var total row
	var details []string
	notes, err := w.each(ctx, subjects, func(s subject, dir string) error {
		r, err := w.explain(ctx, dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %s |\n", s, r)
		for _, d := range r.details {
			details = append(details, fmt.Sprintf("%s: %s", s, d))
		}
		total.add(r)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "| total | %s |\n\n", total)
	for _, line := range append(details, notes...) {
		fmt.Fprintln(out, "- "+line)
	}
	return nil
}

// A row is what is known of one package.
type row struct {
	benchmarks  int
	of          [unequal + 1]int
	sums        int // of benchmarks whose lines add up to the benchmark's figures
	notMeasured int
	details     []string
}

func (r row) String() string {
	var cells []string
	for _, n := range slices.Concat([]int{r.benchmarks}, r.of[:], []int{r.sums, r.notMeasured}) {
		cells = append(cells, fmt.Sprint(n))
	}
	return strings.Join(cells, " | ")
}

func (r *row) add(other row) {
	r.benchmarks += other.benchmarks
	for i, n := range other.of {
		r.of[i] += n
	}
	r.sums += other.sums
	r.notMeasured += other.notMeasured
}

// explain explains the package in a folder, and runs each benchmark that has figures as "go test" does.
func (w *workbench) explain(ctx context.Context, dir string) (row, error) {
	// If benchmarks fail, explain prints the figures of the others and returns an error.
	out, err := w.output(ctx, dir, w.checkalloc, "explain", "--json", "--timeout", "30s", ".")
	var v verdict.Verdict
	if err := cmp.Or(err, json.Unmarshal(out, &v)); err != nil && len(v.Benchmarks) == 0 {
		return row{}, err
	}
	program := filepath.Join(w.dir, "package.test")
	if _, err := w.output(ctx, dir, "go", "test", "-c", "-vet=off", "-o", program, "."); err != nil {
		return row{}, err
	}
	r := row{benchmarks: len(v.Benchmarks), notMeasured: len(v.NotMeasured)}
	for _, n := range v.NotMeasured {
		r.details = append(r.details, fmt.Sprintf("%s: %s: %s", n.Name, n.Outcome, n.Why))
	}
	for _, b := range v.Benchmarks {
		var allocs, size float64
		for _, a := range v.Allocations {
			if a.Benchmark == b.Name {
				allocs, size = allocs+a.AllocsPerOp, size+a.BytesPerOp
			}
		}
		if math.Abs(allocs-b.AllocsPerOp) <= 1e-6*max(1, allocs) && math.Abs(size-b.BytesPerOp) <= 1e-3*max(1, size) {
			r.sums++
		} else {
			r.details = append(r.details, fmt.Sprintf("%s: its lines have %v allocs/op and %v B/op, of %v and %v",
				b.Name, allocs, size, b.AllocsPerOp, b.BytesPerOp))
		}
		how, detail, err := w.agrees(ctx, dir, program, b)
		if err != nil {
			return row{}, err
		}
		r.of[how]++
		if detail != "" {
			r.details = append(r.details, b.Name+": "+detail)
		}
	}
	return r, nil
}

// longer is about how long a run takes that has more operations than explain's.
const longer = 10 * time.Second

// agrees compares allocs/op with what "go test" prints. If they differ, it runs more operations, up to a thousand times
// as many, then the same number three more times.
func (w *workbench) agrees(ctx context.Context, dir, program string, b verdict.Benchmark) (agreement, string, error) {
	first, err := w.goTest(ctx, dir, program, b.Name, b.N)
	if err != nil || prints(b, first.allocs) {
		return equal, "", err
	}
	detail := fmt.Sprintf("explain counts %s allocs/op in %d operations, go test %v",
		verdict.FormatCount(b.AllocsPerOp), b.N, first.allocs)
	if more := min(1000*b.N, int(float64(longer)/max(1, b.NsPerOp))); more > b.N {
		later, err := w.goTest(ctx, dir, program, b.Name, more)
		if err != nil {
			return unequal, "", err
		}
		detail += fmt.Sprintf(", and %v in %d", later.allocs, more)
		if prints(b, later.allocs) {
			return steady, detail, nil
		}
		if whole := math.Round(b.AllocsPerOp); whole == later.allocs+1 && math.Abs(whole-b.AllocsPerOp) < 0.001 &&
			math.Abs(b.BytesPerOp-later.bytes) <= 1 {
			return truncated, detail, nil
		}
	}
	least, most := first.allocs, first.allocs
	for range 3 {
		again, err := w.goTest(ctx, dir, program, b.Name, b.N)
		if err != nil {
			return unequal, "", err
		}
		least, most = min(least, again.allocs), max(most, again.allocs)
	}
	if least < most {
		detail += fmt.Sprintf("; further runs of go test print %v to %v", least, most)
		// Of a few runs none need be the least or the most.
		if spread := most - least; least-spread <= b.AllocsPerOp && b.AllocsPerOp < most+1+spread {
			return variable, detail, nil
		}
	}
	return unequal, detail, nil
}

// prints reports whether "go test", which truncates the figure, prints this for the allocations of a benchmark. Up to a
// fiftieth of an allocation may be what the runtime allocates by chance.
func prints(b verdict.Benchmark, printed float64) bool {
	const chance = 0.02
	return printed == math.Floor(b.AllocsPerOp) || printed == math.Floor(b.AllocsPerOp+chance)
}

// A figure is what package testing prints per operation.
type figure struct{ allocs, bytes float64 }

// goTest returns what "go test -benchmem -cpu 1" prints for a benchmark with n operations.
func (w *workbench) goTest(ctx context.Context, dir, program, benchmark string, n int) (figure, error) {
	parts := strings.Split(benchmark, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	out, err := w.output(ctx, dir, program, "-test.run=^$", "-test.bench="+strings.Join(parts, "/"), "-test.benchmem",
		"-test.cpu=1", fmt.Sprintf("-test.benchtime=%dx", n), "-test.timeout=10m")
	if err != nil {
		return figure{}, err
	}
	results := benchfmt.NewReader(bytes.NewReader(out), benchmark)
	for results.Scan() {
		if r, ok := results.Result().(*benchfmt.Result); ok && "Benchmark"+string(r.Name) == benchmark {
			allocs, counted := r.Value("allocs/op")
			bytes, sized := r.Value("B/op")
			if counted && sized {
				return figure{allocs, bytes}, nil
			}
		}
	}
	return figure{}, fmt.Errorf("go test prints no figures of %s:\n%s", benchmark, out)
}
