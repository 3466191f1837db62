package terminal

import (
	"fmt"
	"strings"
	"testing"

	"onthestack/internal/verdict"
)

func TestByLine(t *testing.T) {
	at := func(benchmark string, line int, fn string, allocs float64, why string) verdict.Allocation {
		return verdict.Allocation{
			Benchmark:   benchmark,
			File:        "x.go",
			Line:        line,
			Func:        fn,
			AllocsPerOp: allocs,
			BytesPerOp:  8 * allocs,
			Why:         why,
		}
	}
	for _, c := range []struct {
		name        string
		allocations []verdict.Allocation
		want        string
	}{
		{"one line", []verdict.Allocation{at("A", 1, "F", 2, "x")}, "A 1 F 2 16 x"},
		{"two benchmarks", []verdict.Allocation{at("A", 1, "F", 2, "x"), at("B", 1, "F", 3, "x")},
			"B (most of 2 benchmarks) 1 F 3 24 x"},
		{"a closure made and run on its line", []verdict.Allocation{at("A", 1, "F", 2, "x"), at("A", 1, "F.func1", 1,
			"x")},
			"A 1 F 3 24 x"},
		{"for two reasons", []verdict.Allocation{at("A", 1, "F-range1", 2, "x"), at("A", 1, "F", 1, "y")},
			"A 1 F-range1 3 24 x; y"},
		{"for one of two reasons", []verdict.Allocation{at("A", 1, "F", 2, "x; y"), at("A", 1, "F.func1", 1, "x")},
			"A 1 F 3 24 x; y"},
		{"closures in two benchmarks", []verdict.Allocation{at("A", 1, "F.func1", 2, "x"), at("A", 1, "F.func2", 2,
			"x"),
			at("B", 1, "F.func1", 3, "x")},
			"A (most of 2 benchmarks) 1 F.func1 4 32 x"},
		{"the function that allocates most first", []verdict.Allocation{at("A", 9, "G", 3, "x"), at("A", 1, "F", 2,
			"x"),
			at("A", 2, "F.func1", 2, "x")},
			"A 1 F 2 16 x, A 2 F.func1 2 16 x, A 9 G 3 24 x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, a := range byLine(c.allocations) {
				got = append(
					got,
					fmt.Sprint(a.Benchmark, " ", a.Line, " ", a.Func, " ", a.AllocsPerOp, " ", a.BytesPerOp, " ",
						a.Why),
				)
			}
			if told := strings.Join(got, ", "); told != c.want {
				t.Errorf("%s, want %s", told, c.want)
			}
		})
	}
}

// TestTable proves that a table that is slightly too wide has less space between its columns.
func TestTable(t *testing.T) {
	rows := [][]string{{"BenchmarkNewConstraintUnary", "16 allocs/op", "1336 B/op", "2598 ns/op", "N = 1280"}}
	for width, want := range map[int]int{80: 80, 79: 76} {
		if got := len(strings.TrimRight(table(rows, width), "\n")); got != want {
			t.Errorf("%d columns of %d, want %d", got, width, want)
		}
	}
}
