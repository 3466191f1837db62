package wire

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// example has each event, and what is odd in a name or a number.
var example = Report{Tested: true, Code: 0, Done: true, Benchmarks: []Benchmark{
	{Name: "BenchmarkReplace", N: 1000, NsPerOp: 412.53, BytesPerOp: 64, AllocsPerOp: 0.1, Profiled: 100,
		Stacks: []Stack{
			{Objects: 10, Size: 640, Frames: []Frame{
				{"runtime.makeslice", "runtime/slice.go", 117},
				{"onthestack/exercises/x.(*T[...]).Read.func1", `C:\a folder\x.go`, 21},
				{"a \"quoted\"\nname", "ä\xff\u2028", math.MaxInt32},
			}},
			{Objects: -3, Size: 16},
		}},
	{Name: "BenchmarkConfirmed", N: 1000, Profiled: 1000, Confirmed: 20000, FirstBytes: 64, HeldAtStart: []Stack{
		{Objects: 2, Size: 4096, Frames: []Frame{{"x.New", "x.go", 3}}},
	}},
	{Name: "BenchmarkTimed/sub", N: 10, NsPerOp: 3, Profiled: 10, NsSamples: []float64{1.5, 3, 1e9}, Apart: true,
		Later: Later{1000, 2, 1e6}},
	{Name: "BenchmarkKept", N: 10, NsPerOp: 3, Profiled: 10, LiveBytesPerOp: 96.5},
	{Name: "BenchmarkÄ", Failed: true},
	{Name: "BenchmarkNothing", N: 1000, NsPerOp: 1e-9, Profiled: 1000},
}, Skipped: []Skipped{{"BenchmarkSkipped", "needs a \"database\"\n"}}, Last: "BenchmarkSkipped"}

func text(r Report) string {
	var b []byte
	if r.Tested {
		b = AppendTests(b, r.Code)
	}
	if r.Measuring {
		b = AppendMeasuring(b)
	}
	for _, m := range r.Benchmarks {
		b = AppendBenchmark(b, m)
	}
	for _, s := range r.Skipped {
		b = AppendSkipped(b, s.Name, s.Why)
	}
	if r.Running != "" {
		b = AppendBegin(b, r.Running)
	}
	if r.Done {
		b = AppendDone(b)
	}
	return string(b)
}

func TestRoundTrip(t *testing.T) {
	for _, want := range []Report{example, {}, {Tested: true, Running: "BenchmarkX/a b"}, {Tested: true, Code: 1,
		Done: true}, {Tested: true, Code: -1}, {Measuring: true}} {
		got, err := Parse([]byte(text(want)))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v\n got %+v\nwant %+v", err, got, want)
		}
	}
	if all := text(example); strings.Count(all, "\n") != 16 {
		t.Errorf("an event is a line, these are not:\n%s", all)
	}
}

// TestCutOff: a report that ends anywhere is no error, tells what came before, and is not done.
func TestCutOff(t *testing.T) {
	whole := text(example)
	for n := range whole {
		r, err := Parse([]byte(whole[:n]))
		if err != nil || r.Done {
			t.Fatalf("first %d bytes: %v, done %v", n, err, r.Done)
		}
		lines := strings.Count(whole[:n], "\n")
		if r.Tested != (lines >= 1) || (len(r.Benchmarks) > 0) != (lines >= 2) {
			t.Fatalf("first %d bytes: %+v", n, r)
		}
	}
}

func TestParseJunk(t *testing.T) {
	const tests, stack, rest = "tests 0\n", "stack 1 16\n", " 100 0 false 0 0 0 0 0"
	const benchmark = "benchmark \"B\" 1000 1 2 3" + rest + "\n"
	for _, junk := range []string{
		"\n", "PASS\n", "tests\n", "tests  0\n", "tests 0 \n", "tests 0 1\n", "tests x\n", "tests 0\r\n",
		"tests 99999999999\n", "tests 0x1\n", " tests 0\n",
		"done\n", benchmark, "stack 1 16\n",
		tests + tests, tests + "benchmarks\n", "benchmarks 1\n", "benchmarks\nbenchmarks\n",
		tests + "done \n", tests + "done 1\n", tests + "done\n\x00\n", tests + "done\ndone\n",
		tests + "failed B\n", tests + "failed 'B'\n", tests + "failed `B`\n", tests + "failed \"B\n", tests +
			"failed \"B\"x\n", tests + "failed \"B\" \n", tests + "failed \"B\" 1\n",
		tests + "failed \"B\"\n" + stack, tests + "failed \"B\"\nheld 1 16\n", "benchmarks\nheld 1 16\n",
		tests + "benchmark \"B\" 1000 1 2 3\n", tests + "benchmark \"B\" 1000 1 2 3" + rest + " \n",
		tests + "benchmark \"B\" 0 1 2 3" + rest + "\n", tests + "benchmark \"B\" 1000 1 2 3 0 0 false 0 0 0 0 0\n",
		tests + "benchmark \"B\" 1000 NaN 2 3" + rest + "\n", tests + "benchmark \"B\" 1000 1 Inf 3" + rest + "\n",
		tests + "benchmark \"B\" 1000 1 2 -1" + rest + "\n", tests + "benchmark \"B\" 1000 1 2 1e999" + rest + "\n",
		tests + "benchmark \"B\" 1000 1 2 3 100 -1 false 0 0 0 0 0\n",
		tests + "benchmark \"B\" 1000 1 2 3 100 0 1 0 0 0 0 0\n",
		tests + "benchmark \"B\" 1000 1 2 3 100 0 false -1 0 0 0 0\n",
		tests + "benchmark \"B\" 1000 1 2 3 100 0 false 0 0 0 -1 0\n",
		tests + "benchmark \"B\" 1000 1 2 3 100 0 false 0 0 0 0 -1\n",
		tests + "benchmark \"B\" 1000 1 2 3" + rest + " x\n", tests + "benchmark \"B\" 1000 1 2 3" + rest + " -1\n",
		tests + "begin\n", tests + "begin B\n", "begin \"B\"\n",
		tests + stack, tests + benchmark + "frame \"f\" \"x.go\" 1\n",
		tests + benchmark + stack + benchmark + "frame \"f\" \"x.go\" 1\n",
		tests + benchmark + "stack 1\n", tests + benchmark + "stack 1 -1\n", tests + benchmark +
			"stack 9223372036854775807 16\n", tests + benchmark + "held 1\n",
		tests + benchmark + stack + "frame \"f\" \"x.go\" -1\n", tests + benchmark + stack +
			"frame \"f\" \"x.go\"\n", tests +
			benchmark + stack + "frame \"f\" x.go 1\n",
		tests + benchmark + stack + strings.Repeat("frame \"f\" \"x.go\" 1\n", maxFrames+1),
	} {
		_, err := Parse([]byte(junk + "done\n"))
		if err == nil {
			t.Errorf("%q: no error", junk)
			continue
		}
		// The error names the last line of junk, the only one that is wrong.
		if n := strings.Count(junk, "\n"); !strings.Contains(err.Error(), "line "+string(rune('0'+n%10))+":") &&
			n < 10 {
			t.Errorf("%q: %v, want line %d named", junk, err, n)
		}
	}
	long := tests + strings.Repeat("x", 1<<20) + "\n"
	if _, err := Parse([]byte(long)); err == nil || len(err.Error()) > 1000 {
		t.Errorf("an error of %d bytes for a long line", len(err.Error()))
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{text(example), "", "tests 0\n", "tests 1\ndone\n",
		"tests 0\nbenchmark \"B\" 1 0x1p-2 2 3 4 0 false 0 0 0 0 0 5\nstack -1 2\nframe \"\" \"\" 0\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, report []byte) {
		r, err := Parse(report)
		if err != nil {
			if !strings.Contains(err.Error(), "line ") || len(err.Error()) > 1000 {
				t.Errorf("%d bytes: %.100v", len(err.Error()), err)
			}
			return
		}
		// A report that is written and read again is the same, unless it was cut off before its first event.
		again, err := Parse([]byte(text(r)))
		again.Last = r.Last // all that were skipped are written last
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%v\nread    %+v\nwritten %+v", err, r, again)
		}
	})
}

// TestInterrupted: a report that ends too soon names the benchmark in which it ends, where that is known.
func TestInterrupted(t *testing.T) {
	for _, test := range []struct{ report, want string }{
		{"tests 0\n", ""},
		{"tests 0\nbegin \"BenchmarkX\"\n", "BenchmarkX"},
		{"tests 0\nbegin \"BenchmarkX\"\nfailed \"BenchmarkX\"\n", ""},
		{"tests 0\nbegin \"BenchmarkX/a\"\nskipped \"BenchmarkX/a\" \"not here\"\n", "BenchmarkX"},
		{"tests 0\nfailed \"BenchmarkX/a/b\"\nbegin \"BenchmarkX/a/c\"\n", "BenchmarkX/a/c"},
		{"tests 0\nbegin \"BenchmarkX/a\"\ndone\n", ""},
	} {
		r, err := Parse([]byte(test.report))
		if err != nil || r.Interrupted() != test.want {
			t.Errorf("%s: %q, %v, want %q", test.report, r.Interrupted(), err, test.want)
		}
	}
}
