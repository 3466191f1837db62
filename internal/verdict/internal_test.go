package verdict

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/why"
)

func TestFormat(t *testing.T) {
	for _, test := range []struct {
		value               float64
		count, bytes, nanos string
	}{
		{0, "0", "0", "0"},
		{2, "2", "2", "2.00"},
		{0.1, "0.1", "0.1", "0.1"},
		{0.004, "0.004", "0.004", "0.004"},
		{0.00004, "0.00004", "0.00004", "0.00004"},
		{0.00025, "0.0003", "0.0003", "0.00025"},
		{0.34567, "0.35", "0.35", "0.346"},
		{0.999, "0.999", "0.999", "0.999"},
		{0.9996, "0.9996", "0.9996", "1.00"},
		{1.04, "1.04", "1", "1.04"},
		{1.5, "1.5", "2", "1.50"},
		{1.999, "1.999", "2", "2.00"},
		{5.344, "5.3", "5", "5.34"},
		{17.42, "17.4", "17", "17.4"},
		{9.996, "9.996", "10", "10.0"},
		{99.96, "99.96", "100", "100"},
		{1080.5, "1080.5", "1081", "1081"},
		{-0.001, "-0.001", "-0.001", "-0.001"},
	} {
		if count, bytes, nanos := FormatCount(test.value), FormatBytes(test.value),
			FormatTime(test.value); count != test.count || bytes != test.bytes || nanos != test.nanos {
			t.Errorf("%v: %s allocs/op, %s B/op, %s ns/op; want %s, %s, %s", test.value, count, bytes,
				nanos, test.count,
				test.bytes, test.nanos)
		}
	}
}

var update = flag.Bool("update", false, "rewrite testdata/figures.json")

// TestFigures writes figures with their texts for the tests of the pages, which format figures by the same rules: see
// web/test/unit/words.test.ts.
func TestFigures(t *testing.T) {
	type figure struct {
		Value  float64 `json:"value"`
		Allocs string  `json:"allocs"`
		Bytes  string  `json:"bytes"`
		// Against the target that is the largest whole number up to Value.
		AllocsAgainst string `json:"allocs_against"`
		BytesAgainst  string `json:"bytes_against"`
	}
	var figures []figure
	for _, value := range []float64{
		0, 0.000002, 0.00004, 0.00005, 0.00025, 0.001, 0.004, 0.0123, 0.048, 0.05, 0.094, 0.095, 0.1, 0.34567, 0.47,
		0.5, 0.94, 0.95, 0.96, 0.999, 0.9996, 0.99999, 1, 1.0000001, 1.0003, 1.004, 1.04, 1.05, 1.1, 1.25, 1.45, 1.5, 1.95,
		1.96, 1.999, 2, 2.5, 3.05, 5.3, 5.34, 5.344, 9.95, 9.996, 12.5, 17.42, 99.96, 100, 112, 128.5, 999.5, 1023.999,
		1080.5, 123456.7, 1e6, 1234567.25, 1e9,
	} {
		target := math.Floor(value)
		figures = append(figures, figure{value, FormatCount(value), FormatBytes(value),
			FormatAgainst(value, &target, FormatCount), FormatAgainst(value, &target, FormatBytes)})
	}
	text, err := json.MarshalIndent(figures, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	const name = "testdata/figures.json"
	if *update {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || !bytes.Equal(text, want) {
		t.Errorf("%v: the texts of figures changed: run \"go test ./internal/verdict -run TestFigures -update\", "+
			"and change web/src/verdict/words.ts too", err)
	}
}

// TestFormatAllocs checks that the unit is singular exactly when the rounded figure is 1.
func TestFormatAllocs(t *testing.T) {
	for perOp, want := range map[float64]string{
		0: "0 allocs/op", 1: "1 alloc/op", 2: "2 allocs/op", 0.1: "0.1 allocs/op", 1.04: "1.04 allocs/op",
		1.0000001: "1 alloc/op",
	} {
		if got := FormatAllocs(perOp); got != want {
			t.Errorf("%v: %s, want %s", perOp, got, want)
		}
	}
}

// FuzzFormatTime checks that the formatted time is within half a percent of the measured one, and is 0 only for 0.
func FuzzFormatTime(f *testing.F) {
	for _, ns := range []float64{0, 0.004, 0.0049999, 0.9994, 0.99951, 1, 9.9949, 9.995, 99.949, 99.95, 1e-300,
		5e-324, 1e18, 1.7e308} {
		f.Add(ns)
	}
	f.Fuzz(func(t *testing.T, ns float64) {
		text := FormatTime(ns)
		read, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%v: %q", ns, text)
		}
		if math.IsNaN(ns) || math.IsInf(ns, 0) {
			return
		}
		if most := 0.00501*math.Abs(ns) + math.SmallestNonzeroFloat64; math.Abs(read-ns) > most ||
			(read == 0) != (ns == 0) {
			t.Errorf("%v is shown as %s", ns, text)
		}
	})
}

// FuzzReport checks that whatever a report contains, the verdict has either all benchmarks or a reason.
func FuzzReport(f *testing.F) {
	const whole = "tests 0\nbenchmark \"BenchmarkX\" 1000 1 16 1 100 0 false 0 0 0 0 0\n" +
		"stack 100 16\nframe \"runtime.newobject\" " +
		"\"runtime/malloc.go\" 1\n" +
		"frame \"onthestack/x.F\" \"onthestack/x/x.go\" 3\ndone\n"
	for _, seed := range []string{whole, whole[:50], "", "tests 1\ndone\n", "tests 0\nfailed \"BenchmarkX\"\ndone\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := wire.Parse(text)
		if err != nil {
			return
		}
		v := &Verdict{}
		p := &Package{Package: why.Package{ImportPath: "onthestack/x", Files: map[string][]byte{"x.go": nil}},
			benchmarks: []target{{Benchmark: harness.Benchmark{Name: "BenchmarkX"}}}}
		if problem := v.measure(p, r, &execution.TestRun{}); problem == "" && (len(v.Benchmarks) != 1 || !r.Done) {
			t.Errorf("measured nothing, and says nothing: %+v", v)
		}
		if _, err := json.Marshal(v); err != nil {
			t.Error(err)
		}
	})
}

func TestBuildErrors(t *testing.T) {
	const printed = `# onthestack/internal/harness/testmain
<autogenerated>:1: parameter go.shape.~p0 leaks to {heap} for f.Align with derefs=0:
<autogenerated>:1:   flow: {heap} ← go.shape.~p0:
# onthestack/exercises/exercise6
exercises/exercise6/stream.go:7:2: can inline Replace with cost 3 as: func() { }
exercises/exercise6/stream.go:9:4: undefined: x
exercises/exercise6/stream.go:9:4: undefined: x
exercises/exercise6/stream.go:10:4: not enough arguments
	have (int)
exercises/exercise6/zz_checkalloc_test.go:9:1: undefined: BenchmarkX
FAIL	onthestack/exercises/exercise6 [build failed]
go: something without a place
`
	diagnostics, rest := escape.Parse([]byte(printed))
	got, _ := json.Marshal(buildErrors("stream.go", diagnostics, rest, execution.Stop{Kind: execution.BuildTime,
		Time: 3 * time.Minute}))
	const want = `[{"file":"stream.go","line":0,"col":0,"message":"the build took longer than 3m0s and was stopped"},` +
		`{"file":"stream.go","line":9,"col":4,"message":"undefined: x"},` +
		`{"file":"stream.go","line":10,"col":4,"message":"not enough arguments\n\thave (int)"},` +
		`{"file":"stream.go","line":0,"col":0,"message":"undefined: BenchmarkX"},` +
		`{"file":"stream.go","line":0,"col":0,"message":"go: something without a place"}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if p := buildErrors("stream.go", nil, nil, execution.Stop{}); len(p) != 1 || p[0].Message == "" {
		t.Errorf("nothing printed: %v", p)
	}
	if harness.MainFile != "zz_checkalloc_test.go" {
		t.Errorf("the harness's file is %s by now", harness.MainFile)
	}
}

func TestShorten(t *testing.T) {
	long := shorten([]byte(strings.Repeat("äöü", maxOutput)))
	if len(long) > maxOutput+100 || !strings.Contains(long, "shortened") || strings.ToValidUTF8(long, "?") != long {
		t.Errorf("%d bytes", len(long))
	}
	if got := shorten([]byte("a\xffb")); got != "a\uFFFDb" {
		t.Errorf("%q", got)
	}
}

// TestHarnessFrames checks that the harness's frames are removed from a traceback. When a WebAssembly program
// deadlocks, the runtime prints all goroutines, the harness's among them.
func TestHarnessFrames(t *testing.T) {
	const printed = "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n" +
		"testing.(*M).Run(0x3466e0)\n\ttesting/testing.go:2440 +0x55\n" +
		"onthestack/exercises/exercise6.TestMain(0x1)\n\tonthestack/exercises/exercise6/zz_checkalloc_test.go:20 " +
		"+0x3\n" +
		"main.main()\n\t_testmain.go:49 +0x4"
	got := tests([]string{"TestF"}, wire.Report{}, &execution.TestRun{Exit: 2, Output: []byte(printed)})
	want := "the program ended before its tests did (exit code 2)\n" +
		"fatal error: all goroutines are asleep - deadlock!\n\n" +
		"goroutine 1 [chan receive]:\ntesting.(*M).Run(0x3466e0)\n\ttesting/testing.go:2440 +0x55\nmain.main()\n" +
		"\t_testmain.go:49 +0x4"
	if got.Output != want || got.Failed != 1 || !got.Unfinished || !got.Incomplete {
		t.Errorf("%d failed, unfinished %t, incomplete %t, output %q", got.Failed, got.Unfinished, got.Incomplete,
			got.Output)
	}
	failed := &execution.TestRun{Exit: 2, Output: []byte("--- FAIL: TestF (0.00s)\npanic: x\n")}
	got = tests([]string{"TestF", "TestG"}, wire.Report{}, failed)
	if got.Unfinished || !got.Incomplete || got.Failed != 2 {
		t.Errorf("after a failed test: %+v", got)
	}
	ended := wire.Report{Tested: true, Code: 1}
	if got := tests([]string{"TestF", "TestG"}, ended, failed); got.Incomplete || got.Failed != 1 {
		t.Errorf("with all tests ended: %+v", got)
	}
}
