package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"onthestack/internal/verdict"
)

// A Processor is what the Go benchmark data format says about the machine.
type Processor struct {
	Name string // "" if it is not known
	N    int    // GOMAXPROCS while time was measured
}

// BenchFormat writes the benchmarks of a package in the format of "go test -bench -benchmem", which benchstat and
// others read: a line for each sample of the time, or one if there are no samples. Figures of memory are not rounded.
// An error is w's.
func BenchFormat(w io.Writer, v *verdict.Verdict, cpu Processor) error {
	var b strings.Builder
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: %s\n", v.GOOS, v.GOARCH, v.Package)
	if cpu.Name != "" {
		fmt.Fprintf(&b, "cpu: %s\n", cpu.Name)
	}
	suffix := ""
	if cpu.N != 1 {
		suffix = fmt.Sprintf("-%d", cpu.N)
	}
	for _, m := range v.Benchmarks {
		name := strings.ReplaceAll(m.Name, " ", "_") + suffix // a name has a blank if verdict.InExternalTest is in it
		for _, ns := range samples(m) {
			fmt.Fprintf(&b, "%s\t%8d\t%s ns/op\t%s B/op\t%s allocs/op\n", name, m.N, significant(ns),
				exactly(m.BytesPerOp), exactly(m.AllocsPerOp))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func samples(b verdict.Benchmark) []float64 {
	if len(b.NsSamples) == 0 {
		return []float64{b.NsPerOp}
	}
	return b.NsSamples
}

// significant returns a time with at least four significant digits, and without an exponent.
func significant(ns float64) string {
	digits := 0
	if ns > 0 {
		digits = max(0, 3-int(math.Floor(math.Log10(ns))))
	}
	return fmt.Sprintf("%10s", strconv.FormatFloat(ns, 'f', digits, 64))
}

func exactly(figure float64) string {
	return fmt.Sprintf("%8s", strconv.FormatFloat(figure, 'f', -1, 64))
}
