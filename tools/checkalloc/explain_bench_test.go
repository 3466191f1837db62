package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// mostOverOwn is how many times as long explain may take as the package's own test binary with the escape report and its benchmarks
// at 1000x.
const mostOverOwn = 1.3

// BenchmarkExplain times explain on a package of 20,000 lines after an edit beside the package's own build and benchmarks, in turn.
func BenchmarkExplain(b *testing.B) {
	const rounds = 5
	work := b.TempDir()
	binary := filepath.Join(work, "checkalloc")
	execute(b, ".", nil, "go", "build", "-o", binary, ".")
	module := filepath.Join(work, "module")
	write := func(name, text string) {
		if err := os.MkdirAll(module, 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	var source, tests strings.Builder
	source.WriteString("package large\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n\n")
	tests.WriteString("package large\n\nimport \"testing\"\n\nvar sink string\n")
	for i := range 1000 {
		fmt.Fprintf(&source, `type T%[1]d struct {
	name  string
	words []string
	next  *T%[1]d
}

func New%[1]d(name string, n int) *T%[1]d {
	t := &T%[1]d{name: name}
	for i := range n {
		t.words = append(t.words, fmt.Sprint(name, i))
	}
	return t
}

func (t *T%[1]d) String() string {
	if t.next == nil {
		return t.name + strings.Join(t.words, " ")
	}
	return t.next.String()
}

`, i)
	}
	for i := range 20 {
		fmt.Fprintf(&tests, "\nfunc Benchmark%[1]d(b *testing.B) {\n\tfor range b.N {\n\t\tsink = New%[1]d(\"name\", 10).String()\n\t}\n}\n", i)
	}
	write("go.mod", "module large\n\ngo 1.26.0\n")
	write("large_test.go", tests.String())
	edits := 0
	edit := func() {
		edits++
		write("large.go", source.String()+fmt.Sprintf("func edit%d() int { return %d }\n", edits, edits))
	}
	test := filepath.Join(work, "x.test")
	ways := []func(){
		func() { execute(b, module, nil, binary, "explain") },
		func() {
			execute(b, module, nil, "go", "test", "-c", "-gcflags=-m=2", "-o", test, ".")
			execute(b, module, nil, test, "-test.run=^$", "-test.bench=.", "-test.benchtime=1000x", "-test.benchmem")
		},
	}
	for _, way := range ways { // what only the first build compiles
		edit()
		way()
	}
	times := make([][]time.Duration, len(ways))
	for b.Loop() {
		for range rounds {
			for i, way := range ways {
				edit()
				start := time.Now()
				way()
				times[i] = append(times[i], time.Since(start))
			}
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	ratio := median(times[0]).Seconds() / median(times[1]).Seconds()
	b.Logf("%d lines: explain median %v, the package's own %v, of %d", strings.Count(source.String(), "\n"), median(times[0]), median(times[1]), len(times[0]))
	b.ReportMetric(ratio, "explain/own")
	if ratio > mostOverOwn {
		b.Errorf("explain takes %.2f times the package's own, more than %v", ratio, mostOverOwn)
	}
}
