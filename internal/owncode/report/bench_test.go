package report

import (
	"bytes"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"

	"onthestack/internal/verdict"
)

// TestBenchFormat reads the output as benchstat does.
func TestBenchFormat(t *testing.T) {
	v := &verdict.Verdict{Package: "example.com/p", GOOS: "linux", GOARCH: "arm64", Benchmarks: []verdict.Benchmark{
		{Name: "BenchmarkA/size=8", N: 1000, NsPerOp: 1234567.8, BytesPerOp: 1 << 40, AllocsPerOp: 2},
		{Name: "BenchmarkB", N: 20, NsPerOp: 0.25, NsSamples: []float64{0.24, 0.26}, BytesPerOp: 1.5, AllocsPerOp: 0.1},
		{Name: "BenchmarkB" + verdict.InExternalTest, N: 7},
	}}
	for _, test := range []struct {
		cpu    Processor
		suffix string
	}{{Processor{"Some CPU @ 2.20GHz", 4}, "-4"}, {Processor{"", 1}, ""}} {
		var b bytes.Buffer
		if err := BenchFormat(&b, v, test.cpu); err != nil {
			t.Fatal(err)
		}
		if err := BenchFormat(&b, &verdict.Verdict{Package: "example.com/q", GOOS: "linux", GOARCH: "arm64",
			Benchmarks: []verdict.Benchmark{{Name: "BenchmarkQ", N: 1, NsPerOp: 12}}}, test.cpu); err != nil {
			t.Fatal(err)
		}
		type row struct {
			pkg, name     string
			n             int
			ns, mem, objs float64
		}
		var got []row
		r := benchfmt.NewReader(bytes.NewReader(b.Bytes()), "out")
		for r.Scan() {
			result, ok := r.Result().(*benchfmt.Result)
			if !ok {
				t.Fatalf("%v in\n%s", r.Result(), b.String())
			}
			figures := map[string]float64{}
			for _, value := range result.Values {
				figures[value.Unit] = value.Value
			}
			ns := figures["sec/op"]*1e9 + figures["ns/op"] // the reader leaves 0 as it is
			if goos, cpu := result.GetConfig("goos"), result.GetConfig("cpu"); goos != "linux" || cpu != test.cpu.Name {
				t.Errorf("goos %q, cpu %q", goos, cpu)
			}
			got = append(got, row{result.GetConfig("pkg"), result.Name.String(), result.Iters,
				ns, figures["B/op"], figures["allocs/op"]})
		}
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		want := []row{
			{"example.com/p", "A/size=8" + test.suffix, 1000, 1234568, 1 << 40, 2},
			{"example.com/p", "B" + test.suffix, 20, 0.24, 1.5, 0.1},
			{"example.com/p", "B" + test.suffix, 20, 0.26, 1.5, 0.1},
			{"example.com/p", "B_(external_test)" + test.suffix, 7, 0, 0, 0},
			{"example.com/q", "Q" + test.suffix, 1, 12, 0, 0},
		}
		same := func(a, b row) bool {
			near := a.ns-b.ns < 1e-6 && b.ns-a.ns < 1e-6
			a.ns, b.ns = 0, 0
			return near && a == b
		}
		if !slices.EqualFunc(got, want, same) {
			t.Errorf("got %v, want %v from\n%s", got, want, b.String())
		}
	}
}
