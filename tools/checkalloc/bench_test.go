package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"onthestack/internal/exercise"
	"onthestack/tools/checkalloc/app"
)

// The limits for a check. The floor is the time of one "go test -c -gcflags=-m=2" and a run of the benchmark at 1000x.
// A check takes at most maxOverFloor times the floor, and watch at most maxToWatch times the floor from a save to the
// verdict. The article's own commands take at least minToArticle times as long as a check.
const (
	maxOverFloor = 0.85
	maxToWatch   = 0.6
	minToArticle = 8
)

// BenchmarkCheck measures, in turn, a check of exercise6 after an edit, the same by watch, the floor, and the article's
// commands, and prints medians and ratios. Each command compiles code that is not in the cache.
func BenchmarkCheck(b *testing.B) {
	const rounds = 7
	work := b.TempDir()
	binary := filepath.Join(work, "checkalloc")
	execute(b, ".", nil, "go", "build", "-o", binary, ".")
	workspace := filepath.Join(work, "workspace")
	execute(b, ".", nil, binary, "init", workspace)
	test := filepath.Join(work, "x.test")
	profile := filepath.Join(work, "mem.out")
	const pkg = "./exercises/exercise6"

	watched := filepath.Join(work, "watched")
	execute(b, ".", nil, binary, "init", watched)
	save := startWatch(b, binary, watched)

	check := func() { execute(b, workspace, []int{app.ExitNotYet}, binary, "exercise6") }
	floor := func() {
		execute(b, workspace, nil, "go", "test", "-c", "-gcflags=-m=2", "-o", test, pkg)
		execute(b, workspace, nil, test, "-test.run=^$", "-test.bench=.", "-test.benchtime=1000x", "-test.benchmem")
	}
	article := func() {
		execute(b, workspace, nil, "go", "test", pkg)
		execute(b, workspace, nil, "go", "test", "-run=^$", "-bench=.", "-benchtime=3s", "-benchmem", "-memprofile="+
			profile, "-o", test, pkg)
		execute(b, workspace, nil, "go", "tool", "pprof", "-list=Replace", test, profile)
		execute(b, workspace, nil, "go", "build", "-gcflags=-m -m", pkg)
	}
	edits := 0
	edit := func() {
		edits++
		name := filepath.Join(workspace, "exercises", "exercise6", "stream.go")
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, fmt.Appendf(text, "\nfunc edit%d() int { return %d }\n", edits, edits),
			0o644); err != nil {
			b.Fatal(err)
		}
	}
	times := inTurn(b, rounds, edit, check, save, floor, article)
	for i, name := range []string{"check", "watch", "floor", "article"} {
		b.Logf("%-8s median %v (%v to %v) of %d", name, median(times[i]), times[i][0],
			times[i][len(times[i])-1], len(times[i]))
	}
	ratio := func(i, j int) float64 { return median(times[i]).Seconds() / median(times[j]).Seconds() }
	overFloor, toWatch, toArticle := ratio(0, 2), ratio(1, 2), ratio(3, 0)
	b.ReportMetric(overFloor, "check/floor")
	b.ReportMetric(toWatch, "watch/floor")
	b.ReportMetric(toArticle, "article/check")
	if overFloor > maxOverFloor {
		b.Errorf("a check takes %.2f times the floor, more than %v", overFloor, maxOverFloor)
	}
	if toWatch > maxToWatch {
		b.Errorf("watch takes %.2f times the floor from a save to its verdict, more than %v", toWatch, maxToWatch)
	}
	if toArticle < minToArticle {
		b.Errorf("the article's commands take %.2f times a check, less than %d", toArticle, minToArticle)
	}
}

// startWatch starts a watch of exercise6, and returns a function that saves an edit and waits for the verdict.
func startWatch(b *testing.B, binary, workspace string) (save func()) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), binary, "watch", "--json", "exercise6")
	cmd.Dir = workspace
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() })
	verdicts := bufio.NewReader(out)
	wait := func() {
		if _, err := verdicts.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
	}
	wait()
	name := filepath.Join(workspace, "exercises", "exercise6", "stream.go")
	text, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	edits := 0
	return func() {
		edits++
		if err := os.WriteFile(name, fmt.Appendf(slices.Clip(text), "\nfunc edit%d() int { return %d }\n", edits,
			edits),
			0o644); err != nil {
			b.Fatal(err)
		}
		wait()
	}
}

// maxOverFloors is the most that a check of all exercises may take, as a multiple of the sum of their floors.
const maxOverFloors = 0.5

// BenchmarkAll times "checkalloc all" over the solved exercises beside the floor of each, one after the other. The floor of
// an exercise whose tests run under the race detector includes building and running them so.
func BenchmarkAll(b *testing.B) {
	const rounds = 3 // each takes some minutes
	work := b.TempDir()
	binary := filepath.Join(work, "checkalloc")
	execute(b, ".", nil, "go", "build", "-o", binary, ".")
	workspace := filepath.Join(work, "workspace")
	execute(b, ".", nil, binary, "init", workspace)
	catalog, err := exercise.Sealed()
	if err != nil {
		b.Fatal(err)
	}
	test := filepath.Join(work, "x.test")
	edits := 0
	edit := func() { // makes new source, so that no build is in the cache
		edits++
		for _, e := range catalog {
			for name, text := range e.Solution {
				text = fmt.Appendf(bytes.Clone(text), "\nfunc edit%d() int { return %d }\n", edits, edits)
				if err := os.WriteFile(filepath.Join(workspace, filepath.FromSlash(e.Dir()), name), text,
					0o644); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	all := func() { execute(b, workspace, nil, binary, "all") }
	floors := func() {
		for _, e := range catalog {
			execute(b, workspace, nil, "go", "test", "-c", "-gcflags=-m=2", "-o", test, "./"+e.Dir())
			execute(b, workspace, nil, test, "-test.run=^$", "-test.bench=.", "-test.benchtime=1000x", "-test.benchmem")
			if e.Race {
				execute(b, workspace, nil, "go", "test", "-race", "-c", "-o", test, "./"+e.Dir())
				execute(b, workspace, nil, test)
			}
		}
	}
	times := inTurn(b, rounds, edit, all, floors)
	ratio := median(times[0]).Seconds() / median(times[1]).Seconds()
	b.Logf("%d exercises: all median %v, floors %v, of %d", len(catalog), median(times[0]), median(times[1]), rounds)
	b.ReportMetric(ratio, "all/floors")
	if ratio > maxOverFloors {
		b.Errorf("a check of all takes %.2f times the sum of the floors, more than %v", ratio, maxOverFloors)
	}
}

// inTurn runs the functions in turn for a number of rounds, each after an edit, and returns the sorted times of each.
func inTurn(b *testing.B, rounds int, edit func(), ways ...func()) [][]time.Duration {
	b.Helper()
	for _, way := range ways { // warms up: the first build of each kind compiles more
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
	for _, t := range times {
		slices.Sort(t)
	}
	return times
}

func median(sorted []time.Duration) time.Duration {
	return sorted[len(sorted)/2].Round(time.Millisecond)
}

// execute runs a command, which has to end with one of the exit codes, or with 0 if there are none.
func execute(b *testing.B, dir string, codes []int, name string, args ...string) {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if err != nil && (cmd.ProcessState == nil || !slices.Contains(codes, cmd.ProcessState.ExitCode())) {
		b.Fatalf("%s %v: %v\n%s", name, args, err, output.Bytes())
	}
}
