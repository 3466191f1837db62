package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"onthestack/internal/owncode/suggest"
	"onthestack/internal/owncode/userpkg"
)

// maxOverProof is the most that the proof of a candidate may take, as a multiple of the time in which the go command
// compiles and links the package's tests once, and runs them and the chosen benchmarks.
const maxOverProof = 1.5

// BenchmarkSuggest measures, in turn, the proofs of several candidates for a generated package, and the package's own
// build, tests and benchmarks after an edit. Both run the benchmarks at the same fixed count. The time of a candidate
// is the time of the steps that each candidate has, divided by the number of candidates. The steps that all share, the
// coverage of the tests and the build of what is proven together, are printed beside it.
func BenchmarkSuggest(b *testing.B) {
	const (
		rounds    = 5
		benchtime = "1000x"
	)
	b.Setenv("GOWORK", "off")
	b.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -mod=mod")
	work := b.TempDir()
	module := filepath.Join(work, "module")
	if err := os.Mkdir(module, 0o777); err != nil {
		b.Fatal(err)
	}
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(module, name), text, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for name, text := range suggestedModule() {
		write(name, []byte(text))
	}
	edits := 0
	edit := func() {
		edits++
		write("edit.go", fmt.Appendf(nil, "package words\n\nfunc edit%d() int { return %d }\n", edits, edits))
	}
	test := filepath.Join(work, "x.test")
	own := func() time.Duration {
		began := time.Now()
		execute(b, module, nil, "go", "test", "-c", "-o", test, ".")
		execute(b, module, nil, test, "-test.bench=.", "-test.benchtime="+benchtime, "-test.benchmem")
		return time.Since(began)
	}
	tried := 0
	proof := func() time.Duration {
		s, err := userpkg.Config{Dir: module}.Load(b.Context(), ".")
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		if err := s.Compile(b.Context(), true); err != nil {
			b.Fatal(err)
		}
		steps := map[suggest.Step]time.Duration{}
		var step suggest.Step
		began := time.Now()
		next := func(to suggest.Step) {
			steps[step] += time.Since(began)
			step, began = to, time.Now()
		}
		r, err := suggest.Run(b.Context(), s, suggest.Options{Count: 1, Measure: userpkg.MeasureOptions{Bench: ".",
			Limit: time.Minute, Benchtime: benchtime}}, func(e suggest.Event) {
			if e.Step != step {
				next(e.Step)
			}
		})
		next("")
		if err != nil {
			b.Fatal(err)
		}
		tried = len(r.Suggestions) + len(r.Rejected)
		if tried < 4 || r.Together == nil {
			b.Fatalf("%d candidates, together %v: too few to time", tried, r.Together)
		}
		b.Logf("%d candidates: prove %v, vet %v, cover %v, time %v, combine %v", tried,
			steps[suggest.Prove].Round(time.Millisecond), steps[suggest.Vet].Round(time.Millisecond),
			steps[suggest.Cover].Round(time.Millisecond),
			steps[suggest.Time].Round(time.Millisecond), steps[suggest.Combine].Round(time.Millisecond))
		return (steps[suggest.Prove] + steps[suggest.Vet] + steps[suggest.Time]) / time.Duration(tried)
	}
	edit()
	own()
	var ratios []float64
	for b.Loop() {
		for range rounds {
			edit()
			floor := own()
			edit()
			each := proof()
			b.Logf("a candidate of %d %v, the package's own %v", tried, each.Round(time.Millisecond),
				floor.Round(time.Millisecond))
			ratios = append(ratios, each.Seconds()/floor.Seconds())
		}
	}
	slices.Sort(ratios)
	ratio := ratios[len(ratios)/2]
	b.Logf("a candidate takes %.2f times the package's own build, tests and benchmarks (%.2f to %.2f, of %d)", ratio,
		ratios[0], ratios[len(ratios)-1], len(ratios))
	b.ReportMetric(ratio, "candidate/own")
	if ratio > maxOverProof {
		b.Errorf("a candidate takes %.2f times the package's own, more than %v", ratio, maxOverProof)
	}
}

// suggestedModule makes a module whose package has several lines that an edit would help, and many others.
func suggestedModule() map[string]string {
	var source, tests bytes.Buffer
	source.WriteString("package words\n\nimport \"strings\"\n")
	tests.WriteString("package words\n\nimport \"testing\"\n\nvar numbers = make([]int, 100)\n")
	for i := range 6 {
		fmt.Fprintf(&source, `
func All%[1]d(numbers []int) []int {
	var all []int
	for _, n := range numbers {
		all = append(all, n+%[1]d)
	}
	return all
}
`, i)
		fmt.Fprintf(&tests, `
func TestAll%[1]d(t *testing.T) {
	if got := All%[1]d(numbers); len(got) != len(numbers) || got[0] != %[1]d {
		t.Error(got)
	}
}

func BenchmarkAll%[1]d(b *testing.B) {
	for b.Loop() {
		All%[1]d(numbers)
	}
}
`, i)
	}
	for i := range 300 {
		fmt.Fprintf(&source, `
func words%[1]d(text string) (all map[string][]int) {
	all = map[string][]int{}
	for i, word := range strings.Fields(text) {
		all[word] = append(all[word], i+%[1]d)
	}
	return all
}
`, i)
	}
	return map[string]string{"go.mod": "module example.com/words\n\ngo 1.26.0\n", "words.go": source.String(),
		"words_test.go": tests.String()}
}
