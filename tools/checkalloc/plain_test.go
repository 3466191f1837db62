package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// TestPlain compares the figures of an exercise with plain go test's and with explain's.
func TestPlain(t *testing.T) { testPlain(t, "exercise6") }

// TestProofPlain is TestPlain for the sample of exercises that the Makefile has chosen, and without one for all.
func TestProofPlain(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	sample, ok := os.LookupEnv("SAMPLE")
	for _, e := range catalog {
		if !ok || slices.Contains(strings.Fields(sample), e.ID) {
			ids = append(ids, e.ID)
		}
	}
	testPlain(t, ids...)
}

// testPlain checks that go test with any -benchtime and explain print the exercises' figures, on the starter and on the
// solution. A sample is explained on the starter only, which has more lines that allocate. The figures are the sealed
// ones, which "dev check" compares with the checker's.
func testPlain(t *testing.T, ids ...string) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		e := catalog.Lookup(id)
		t.Run(id+"/starter", func(t *testing.T) { comparePlain(t, e, e.Starter(), e.Figures.Starter, true) })
		all := len(ids) == len(catalog)
		t.Run(id+"/solution", func(t *testing.T) { comparePlain(t, e, e.Solution, e.Figures.Solution, all) })
	}
}

// comparePlain compares the figures of one version of an exercise. It compares explain's too if explained is true.
func comparePlain(t *testing.T, e *exercise.Exercise, files map[string][]byte, figures []exercise.Figure,
	explained bool) {
	dir := t.TempDir()
	layOut(t, dir, e, files)
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	program := filepath.Join(dir, "plain.test")
	for _, benchtime := range []string{"1x", "100x", "1000x", "0.1s"} {
		got := plainFigures(t, e, program, benchtime)
		// The runtime allocates something of its own now and then, which shows in a few operations. For goroutines that
		// wait it also does so in many, and more on a busy machine, but less than a byte for each.
		slack := 0
		switch {
		case benchtime == "1x":
			slack = tinyBlock
		case e.Goroutines:
			slack = 1
		}
		for try := 1; try < 5 && plainProblem(got, figures, slack) != ""; try++ {
			got = plainFigures(t, e, program, benchtime)
		}
		if problem := plainProblem(got, figures, slack); problem != "" {
			t.Errorf("-benchtime %s: %s", benchtime, problem)
		}
	}
	if !explained {
		return
	}
	var out, stderr bytes.Buffer
	args := []string{"explain", "--json", "--bench", plainPattern(e), "./" + e.Dir()}
	if code := run(args, strings.NewReader(""), &out, &stderr); code != app.ExitPassed {
		t.Fatalf("%v: exit code %d\n%s%s", args, code, out.String(), stderr.String())
	}
	var v verdict.Verdict
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Benchmarks) != len(figures) {
		t.Fatalf("explain measured %+v", v.Benchmarks)
	}
	for i, b := range v.Benchmarks {
		text := func(allocs, bytes float64) string {
			return verdict.FormatAllocs(allocs) + ", " + verdict.FormatBytes(bytes) + " B/op"
		}
		got, want := text(b.AllocsPerOp, b.BytesPerOp), text(figures[i].AllocsPerOp, figures[i].BytesPerOp)
		if b.Name != figures[i].Name || got != want {
			t.Errorf("explain: %s has %s, want %s of %s", b.Name, got, want, figures[i].Name)
		}
	}
}

// tinyBlock is the size of the blocks that objects without pointers of less than 16 bytes share. A single operation
// begins as many of them as happen to be full, each of which counts whole.
const tinyBlock = 16

// collected is the number of bytes for each of which the runtime may allocate one of its own: operations with large
// objects have many collections, and these allocate.
const collected = 4_000

// plainProblem returns how figures that go test printed differ from the sealed ones, by more than slack bytes.
func plainProblem(got map[string][2]int, figures []exercise.Figure, slack int) string {
	for _, want := range figures {
		// Package testing divides by the number of operations without a remainder.
		plain, is := [2]int{int(want.AllocsPerOp), int(want.BytesPerOp)}, got[want.Name]
		if is[0] != plain[0] || max(is[1]-plain[1], plain[1]-is[1]) > max(slack, plain[1]/collected) {
			return fmt.Sprintf("%s has %d allocs/op and B/op, want %d", want.Name, is, plain)
		}
	}
	return ""
}

// layOut writes an exercise with a solver's files into a module of its own.
func layOut(t *testing.T, dir string, e *exercise.Exercise, files map[string][]byte) {
	t.Helper()
	folder := filepath.Join(dir, filepath.FromSlash(e.Dir()))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "go.mod"), []byte("module onthestack\n\ngo 1.26.0\n"))
	for _, all := range []map[string][]byte{e.Files, files} {
		for name, text := range all {
			write(filepath.Join(folder, name), text)
		}
	}
}

// plainPattern returns the value of -bench in the command that the exercise's page shows.
func plainPattern(e *exercise.Exercise) string {
	_, rest, _ := strings.Cut(e.PlainBenchmark(), "-bench '")
	pattern, _, _ := strings.Cut(rest, "'")
	return pattern
}

// plainLine matches a line of go test -bench with -benchmem.
var plainLine = regexp.MustCompile(`(?m)^(Benchmark\w+?)(?:-\d+)?\s.*\s(\d+) B/op\s+(\d+) allocs/op`)

// plainFigures runs the command that the exercise's page shows, and returns the allocs/op and B/op by benchmark. The
// first time, the command leaves its program in a file, which does for the other times what the command does with it:
// most of a command's time is for vet and the linker. Vet is left out: make test runs it on all packages.
func plainFigures(t *testing.T, e *exercise.Exercise, program, benchtime string) map[string][2]int {
	t.Helper()
	words := strings.Fields(strings.ReplaceAll(e.PlainBenchmark(), "'", ""))
	cmd := exec.Command(words[0], append(words[1:], "-vet=off", "-benchtime", benchtime, "-o", program)...)
	if _, err := os.Stat(program); err == nil {
		cmd = exec.Command(program, "-test.run", "^$", "-test.bench", plainPattern(e), "-test.benchmem",
			"-test.benchtime", benchtime)
		cmd.Dir = filepath.FromSlash(e.Dir())
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	figures := map[string][2]int{}
	for _, m := range plainLine.FindAllStringSubmatch(string(out), -1) {
		bytes, _ := strconv.Atoi(m[2])
		allocs, _ := strconv.Atoi(m[3])
		figures[m[1]] = [2]int{allocs, bytes}
	}
	return figures
}
