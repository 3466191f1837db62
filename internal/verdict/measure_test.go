package verdict_test

import (
	"math"
	"strings"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// TestFresh measures a package whose tests change what its function does later. Benchmarks run in a process in which no
// test has run, so the tests must not change the figures.
func TestFresh(t *testing.T) { testFresh(t, quick(t)) }

// TestProofFreshWasm is TestFresh on the wasm engine, where the second process is a second instance of the module.
func TestProofFreshWasm(t *testing.T) { testFresh(t, wasm()) }

func testFresh(t *testing.T, c verdict.Checker) {
	v := measure(t, c, "fresh", "onthestack/exercises/fresh", map[string][]byte{
		"fresh.go": []byte("package fresh\n\nvar Tested bool\n\nfunc Get() *[64]byte {\n\tif Tested {\n\t\treturn " +
			"nil\n" +
			"\t}\n\treturn new([64]byte)\n}\n"),
		"fresh_test.go": []byte(`package fresh_test

import (
	"testing"

	"onthestack/exercises/fresh"
)

var got *[64]byte

func TestGet(t *testing.T) { fresh.Tested = true }

func BenchmarkGet(b *testing.B) {
	for range b.N {
		got = fresh.Get()
	}
}
`)})
	if !v.Pass || len(v.Benchmarks) != 1 || v.Benchmarks[0].AllocsPerOp != 1 {
		t.Errorf("pass %v, %+v, want 1 alloc/op, as no test has run\n%s", v.Pass, v.Benchmarks, v.Tests.Output)
	}
}

// sumExercise is an exercise with a constructor: its benchmark makes one Sum and adds to it.
func sumExercise(t *testing.T, solution string) *exercise.Exercise {
	return confirmedExercise(t, solution, "package sum_test\n\nimport \"testing\"\n\n"+
		"func BenchmarkAddConfirm(b *testing.B) { BenchmarkAdd(b) }\n")
}

// confirmedExercise is sumExercise with a file of other benchmarks that confirm a pass.
func confirmedExercise(t *testing.T, solution, confirm string) *exercise.Exercise {
	t.Helper()
	const manifest = `
title = "Sum"
teaches = "To sum."
techniques = ["size"]
chapter = "c"
article = "a"
edit = ["sum.go"]
imports = []
function = "Sum.Add"
task = "Sum."
checked = "The sum."
[[benchmark]]
name = "BenchmarkAdd"
allocs = 0
[[hint]]
text = "1"
[[hint]]
text = "2"
[[hint]]
text = "3"
`
	const tests = `package sum_test

import (
	"testing"

	"onthestack/exercises/exercise6"
)

func TestAdd(t *testing.T) {
	s := sum.New()
	if s.Add(1) != 1 || s.Add(2) != 3 {
		t.Error("wrong sum")
	}
}

func BenchmarkAdd(b *testing.B) {
	s := sum.New()
	for range 10 {
		s.Add(1)
	}
	b.ResetTimer()
	for range b.N {
		s.Add(1)
	}
}
`
	files := map[string][]byte{"sum.go": []byte(solution), "sum_test.go": []byte(tests),
		"confirm_test.go": []byte(confirm)}
	e, err := exercise.New("exercise6", []byte(manifest), files, map[string][]byte{"sum.go": []byte(solution)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// slab is a solution whose New allocates memory for SIZE values. Each call of Add uses one of them, and allocates when
// none is left.
const slab = `package sum

type value struct{ n, before int }

type Sum struct {
	last *value
	free []value
}

func New() *Sum { return &Sum{last: new(value), free: make([]value, SIZE)} }

func (s *Sum) Add(n int) int {
	v := s.next()
	v.n, v.before = s.last.n+n, s.last.n
	s.last = v
	return v.n
}

func (s *Sum) next() *value {
	if len(s.free) == 0 {
		return new(value)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}
`

// reused is a solution that keeps one value and a buffer of 64 KiB, and uses both again in each call.
const reused = `package sum

type Sum struct {
	n      int
	buffer []byte
}

func New() *Sum { return &Sum{buffer: make([]byte, 64<<10)} }

func (s *Sum) Add(n int) int {
	s.n += n
	s.buffer[s.n&0xffff] = byte(n)
	return s.n
}
`

// TestConfirmed checks that memory allocated ahead of the operations and used up by them does not pass, however much it
// is.
func TestConfirmed(t *testing.T) { testConfirmed(t, quick(t)) }

// TestProofConfirmedWasm is TestConfirmed on the wasm engine. It stands there for the tests of other confirmations.
func TestProofConfirmedWasm(t *testing.T) { testConfirmed(t, server(t)) }

func testConfirmed(t *testing.T, c verdict.Checker) {
	for _, test := range []struct {
		name, solution string
		pass           bool
		says           string
	}{
		{"reused", reused, true, ""},
		{"a slab for 1100 operations", strings.ReplaceAll(slab, "SIZE", "1_100"), false, ""},
		{"a slab for 6000 operations", strings.ReplaceAll(slab, "SIZE", "6_000"), false, ""},
		{"a slab for 100000 operations", strings.ReplaceAll(slab, "SIZE", "100_000"), false,
			"most of it on line 10 of sum.go"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := sumExercise(t, test.solution)
			v, err := c.Check(t.Context(), e, e.Solution)
			if err != nil {
				t.Fatal(err)
			}
			if v.Pass != test.pass || !v.Pass && v.Stage != verdict.StageBenchmark || len(v.Benchmarks) == 0 ||
				!strings.Contains(v.Benchmarks[0].Why, test.says) {
				t.Fatalf("pass %v at stage %q, %+v\n%v\n%s", v.Pass, v.Stage, v.Benchmarks, v.Errors, v.Tests.Output)
			}
			b := v.Benchmarks[0]
			switch {
			case v.Pass && b.Confirmed < 10*b.N:
				t.Errorf("confirmed over %d operations, measured over %d", b.Confirmed, b.N)
			case !v.Pass && test.says == "" && (b.AllocsPerOp <= 0 || len(v.Allocations) == 0 ||
				v.Allocations[0].File != "sum.go"):
				t.Errorf("%v allocs/op, lines %+v", b.AllocsPerOp, v.Allocations)
			}
		})
	}
}

// TestAhead checks that memory which grows with every operation does not pass because it was allocated ahead, within
// the limit of the manifest, while memory that is used again may take most of that.
func TestAhead(t *testing.T) { testAhead(t, quick(t)) }

// TestNightlyAheadWasm is TestAhead on the wasm engine.
func TestNightlyAheadWasm(t *testing.T) { testAhead(t, server(t)) }

func testAhead(t *testing.T, c verdict.Checker) {
	const log = `package sum

type Sum struct {
	n   int
	log []byte
}

func New() *Sum { return &Sum{log: make([]byte, 0, SIZE)} }

func (s *Sum) Add(n int) int {
	s.n += n
	s.log = append(s.log, byte(n))
	return s.n
}
`
	const ahead = 8 << 10
	for _, test := range []struct{ name, solution, says string }{
		{"used again", strings.NewReplacer("64<<10", "7<<10", "0xffff", "0xfff").Replace(reused), ""},
		{"used again, in small parts", parts, ""},
		{"as much as is allowed by default", strings.ReplaceAll(log, "SIZE", "100<<10"), "most of it on line 8 of sum.go; " +
			"at most 8 KiB are allowed"},
		{"as much as is allowed here", strings.ReplaceAll(log, "SIZE", "7<<10"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := confirmedExercise(t, test.solution, confirmations)
			bytes := float64(ahead)
			e.Benchmarks[0].Ahead = &bytes
			v, err := c.Check(t.Context(), e, e.Solution)
			if err != nil {
				t.Fatal(err)
			}
			grows := strings.Contains(test.solution, "log")
			if v.Pass == grows || len(v.Benchmarks) == 0 || !strings.Contains(v.Benchmarks[0].Why, test.says) {
				t.Fatalf("pass %v at stage %q, %+v\n%v\n%s", v.Pass, v.Stage, v.Benchmarks, v.Errors, v.Tests.Output)
			}
			if b := v.Benchmarks[0]; grows && test.says == "" && b.AllocsPerOp == 0 {
				t.Errorf("%+v", b)
			}
		})
	}
}

// parts is a solution that keeps 4 KiB in objects of 16 bytes.
const parts = `package sum

type Sum struct {
	n     int
	parts []*[16]byte
}

func New() *Sum {
	s := new(Sum)
	for range 256 {
		s.parts = append(s.parts, new([16]byte))
	}
	return s
}

func (s *Sum) Add(n int) int {
	s.n += n
	s.parts[s.n&0xff][0] = byte(n)
	return s.n
}
`

// confirmations are benchmarks of two classes of input that BenchmarkAdd lacks.
const confirmations = `package sum_test

import (
	"testing"

	"onthestack/exercises/exercise6"
)

func BenchmarkAddConfirm(b *testing.B) {
	s := sum.New()
	i := 0
	for b.Loop() {
		s.Add(-i%7)
		i++
	}
}

func BenchmarkAddConfirmLarge(b *testing.B) {
	setup = make([][]byte, 100) // the setup does not count
	for i := range setup {
		setup[i] = make([]byte, 1+i)
	}
	s := sum.New()
	for b.Loop() {
		if s.Add(1 << 20) < 0 {
			b.Fatal("wrong sum")
		}
	}
	setup = append(setup, make([]byte, 100)) // nor does what comes behind the loop
}

var setup [][]byte
`

// TestConfirmations checks that each class of input that confirms a pass has to meet the target by itself. One that
// misses it has its own figures and lines in the verdict; the others are not in it.
func TestConfirmations(t *testing.T) { testConfirmations(t, quick(t)) }

// TestNightlyConfirmationsWasm is TestConfirmations on the wasm engine.
func TestNightlyConfirmationsWasm(t *testing.T) { testConfirmations(t, server(t)) }

func testConfirmations(t *testing.T, c verdict.Checker) {
	const allocating = `package sum

type Sum struct { n int; last *int }

func New() *Sum { return new(Sum) }

func (s *Sum) Add(n int) int {
	if CONDITION {
		s.last = new(int)
	}
	s.n += n
	return RESULT
}
`
	for _, test := range []struct {
		name, condition, result string
		missed                  string // the benchmark in the verdict that does not pass
		allocs                  float64
		output                  string
	}{
		{"no class allocates", "n > 1<<20", "s.n", "", 0, ""},
		{"the figures' own", "n == 1", "s.n", "BenchmarkAdd", 1, ""},
		{"a few of the first class", "n == -5", "s.n", "BenchmarkAddConfirm", 1. / 7, ""},
		{"the second class", "n == 1<<20", "s.n", "BenchmarkAddConfirmLarge", 1, ""},
		{"a confirmation fails", "false", "min(s.n, 1<<20) | -(n>>20)", "", 0, "BenchmarkAddConfirmLarge failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			solution := strings.NewReplacer("CONDITION", test.condition, "RESULT", test.result).Replace(allocating)
			e := confirmedExercise(t, solution, confirmations)
			v, err := c.Check(t.Context(), e, e.Solution)
			if err != nil {
				t.Fatal(err)
			}
			if pass := test.missed == "" && test.output == ""; v.Pass != pass || len(v.Benchmarks) == 0 ||
				!strings.Contains(v.Tests.Output, test.output) {
				t.Fatalf("pass %v at stage %q, %+v\n%v\n%s", v.Pass, v.Stage, v.Benchmarks, v.Errors, v.Tests.Output)
			}
			last := v.Benchmarks[len(v.Benchmarks)-1]
			if test.missed == "" {
				if len(v.Benchmarks) != 1 || !last.Pass {
					t.Errorf("%+v", v.Benchmarks)
				}
				return
			}
			confirms := ""
			if test.missed != "BenchmarkAdd" {
				confirms = "BenchmarkAdd"
			}
			if last.Name != test.missed || last.Pass || last.Confirms != confirms ||
				math.Abs(last.AllocsPerOp-test.allocs) > 0.001 || last.TargetAllocs == nil || *last.TargetAllocs != 0 {
				t.Errorf("%+v", v.Benchmarks)
			}
			if len(v.Allocations) != 1 || v.Allocations[0].Benchmark != test.missed ||
				v.Allocations[0].File != "sum.go" || v.Allocations[0].Line != 9 {
				t.Errorf("%+v", v.Allocations)
			}
		})
	}
}
