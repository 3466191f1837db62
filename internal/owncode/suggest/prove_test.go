package suggest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/owncode/userpkg"
)

// TestSaves proves that a candidate counts only if a benchmark allocates less and none allocates more, and the saving
// exceeds the differences between runs of the same code.
func TestSaves(t *testing.T) {
	type figure struct{ allocs, allocsNow, bytes, bytesNow float64 }
	for _, test := range []struct {
		name   string
		all    []figure
		spread saving // of the first benchmark
		want   bool
	}{
		{"fewer", []figure{{2, 1, 64, 32}}, saving{}, true},
		{"one of many", []figure{{1052, 1051, 25776, 25760}}, saving{}, true},
		{"smaller", []figure{{2, 2, 64, 48}}, saving{}, true},
		{"fewer in one", []figure{{2, 2, 64, 64}, {3, 2, 64, 64}}, saving{}, true},
		{"the same", []figure{{2, 2, 64, 64}}, saving{}, false},
		{"a rare allocation", []figure{{2, 1.99, 64, 63.7}}, saving{}, false},
		{"fewer, and larger", []figure{{2, 1, 64, 80}}, saving{}, false},
		{"smaller, and more", []figure{{2, 3, 64, 48}}, saving{}, false},
		{"more in another", []figure{{2, 1, 64, 32}, {1, 2, 8, 8}}, saving{}, false},
		{"drawn inputs", []figure{{7.3, 6.9, 800, 790}}, saving{0.3, 20}, false},
		{"drawn inputs, and fewer", []figure{{7.3, 5.2, 800, 790}}, saving{0.3, 20}, true},
		{"drawn inputs, and larger by chance", []figure{{7.3, 5.2, 800, 830}}, saving{0.3, 20}, true},
	} {
		r := &run{spread: map[string]saving{"0": test.spread}}
		var all []compare.Benchmark
		for i, f := range test.all {
			all = append(all, compare.Benchmark{Name: string(rune('0' + i)),
				Allocs: compare.Exact{Old: f.allocs, New: f.allocsNow},
				Bytes:  compare.Exact{Old: f.bytes, New: f.bytesNow}})
		}
		if err := r.saves(all); (err == nil) != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestInputs proves handwritten edits of a function whose tests are so weak that they pass with each edit. Drawn inputs
// refute the edits that change what the function does.
func TestInputs(t *testing.T) {
	const source = `package p

// A list is numbers with a name.
type list struct {
	name    string
	numbers []int
}

// Above returns the numbers of a list above a bound, nil for none.
func (l *list) Above(bound int) []int {
	var all []int
	for _, n := range l.numbers {
		if n > bound {
			all = append(all, n)
		}
	}
	return all
}
`
	const tests = `package p

import "testing"

func TestAbove(t *testing.T) {
	l := &list{numbers: []int{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	if got := l.Above(1); len(got) != 8 || got[0] != 2 {
		t.Error(got)
	}
}

func BenchmarkAbove(b *testing.B) {
	l := &list{numbers: make([]int, 100)}
	for b.Loop() {
		l.Above(-1)
	}
}
`
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/p\n\ngo 1.26.0\n", "p.go": source, "p_test.go": tests,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := userpkg.Config{Dir: dir}.Load(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Compile(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	r := &run{subject: s, options: Options{Count: 1, Measure: userpkg.MeasureOptions{Bench: ".", Limit: time.Minute,
		Benchtime: "100x"}}, spread: map[string]saving{}}
	if r.base, err = s.Figures(t.Context(), r.options.Measure); err != nil {
		t.Fatal(err)
	}
	if r.program, err = r.check(t.Context()); err != nil {
		t.Fatal(err)
	}
	const better = `
	var all []int
	for _, n := range l.numbers {
		if n > bound {
			if all == nil {
				all = make([]int, 0, len(l.numbers))
			}
			all = append(all, n)
		}
	}
	return all
`
	start, end := strings.Index(source, "\tvar all"), strings.LastIndex(source, "}")
	for _, test := range []struct {
		name     string
		old, new string // what is wrong in the better body
		why      string // "" if the inputs agree
	}{
		{"the same", "", "", ""},
		{"empty in place of nil", "var all []int", "all := make([]int, 0, len(l.numbers))",
			"before []int(nil), and then"},
		{"a missing number", "n > bound", "n > bound && n != 42", "42"},
		{"a panic", "var all []int", "var all []int\n\t_ = l.numbers[len(l.numbers)-1]", "now a run-time panic"},
		{"a changed receiver", "return all", "l.name = \"\"\n\treturn all",
			"and then the arguments are (p.list{name:\"\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			edit := fix.Edit{File: "p.go", Start: start, End: end,
				Text: strings.Replace(better, test.old, test.new, 1)[1:]}
			a := &attempt{candidate: fix.Candidate{Edits: []fix.Edit{edit}}}
			r.drawn = func() ([]byte, error) { return r.drawOld(t.Context(), a.candidate.Edits) }
			if err := errors.Join(a.reject(r.prove(t.Context(), a, r.base)), a.close()); err != nil {
				t.Fatal(err)
			}
			switch {
			case test.why == "" && (a.Outcome == Rejected || a.Tests.Inputs < 50):
				t.Errorf("%s at %s: %s; %d inputs agree", a.Outcome, a.Stage, a.Why, a.Tests.Inputs)
			case test.why != "" && (a.Stage != StageInputs || !strings.Contains(a.Why, test.why)):
				t.Errorf("it is %q at %q: %s; want %q", a.Outcome, a.Stage, a.Why, test.why)
			}
		})
	}
}
