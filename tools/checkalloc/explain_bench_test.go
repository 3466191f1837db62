package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The limits for explain. It takes at most maxOverOwn times as long as building the package's test binary with the
// escape report and running its benchmarks at 1000x. It uses at most maxMemory MiB for a report of at least
// minReported MiB.
const (
	maxOverOwn  = 1.3
	maxMemory   = 300
	minReported = 50
)

// The package that BenchmarkExplain explains. Of its 31,224 lines, 13,711 without the tests, amd64 compiles 29,956.
const (
	largeModule  = "github.com/RoaringBitmap/roaring/v2"
	largeVersion = "v2.30.0"
	largeLines   = 20000
	largeBench   = "IteratorAlloc|NewBitmap|EmptyArray|Checksum|GetTestRoaring|CountRoaring|SetRoaring"
)

// BenchmarkExplain measures, in turn, explain on a copy of a package of the module cache after an edit, and the
// package's own build and benchmarks.
func BenchmarkExplain(b *testing.B) {
	const rounds = 5
	work := b.TempDir()
	binary, module, edit := editedModule(b, work)
	test := filepath.Join(work, "x.test")
	explain := func() { execute(b, module, nil, binary, "explain", "--bench", largeBench) }
	own := func() {
		execute(b, module, nil, "go", "test", "-c", "-gcflags=-m=2", "-o", test, ".")
		execute(b, module, nil, test, "-test.run=^$", "-test.bench="+largeBench, "-test.benchtime=1000x",
			"-test.benchmem")
	}
	lines := builtLines(b, module)
	if lines < largeLines {
		b.Fatalf("%s has %d lines, want %d", largeModule, lines, largeLines)
	}
	times := inTurn(b, rounds, edit, explain, own)
	ratio := median(times[0]).Seconds() / median(times[1]).Seconds()
	b.Logf("%s %s, %d lines with its tests: explain median %v, the package's own %v, of %d", largeModule, largeVersion,
		lines, median(times[0]), median(times[1]), len(times[0]))
	b.ReportMetric(ratio, "explain/own")
	if ratio > maxOverOwn {
		b.Errorf("explain takes %.2f times the package's own, more than %v", ratio, maxOverOwn)
	}
}

// buildChecker builds checkalloc in this module.
func buildChecker(b *testing.B, binary string) {
	cmd := exec.Command("go", "build", "-o", binary, ".")
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
}

// editedModule builds checkalloc and copies the large module, both into work, and returns a function that changes the
// module, so that it has to be built again.
func editedModule(b *testing.B, work string) (binary, module string, edit func()) {
	b.Setenv("GOWORK", "off")
	b.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -mod=mod")
	binary, module = filepath.Join(work, "checkalloc"), filepath.Join(work, "module")
	buildChecker(b, binary)
	copyModule(b, module)
	edits := 0
	return binary, module, func() {
		edits++
		text := fmt.Sprintf("package roaring\n\nfunc edit%d() int { return %d }\n", edits, edits)
		if err := os.WriteFile(filepath.Join(module, "edit.go"), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
}

// copyModule copies the large module out of the module cache, so that it can be edited.
func copyModule(b *testing.B, to string) {
	cmd := exec.Command("go", "mod", "download", "-json", largeModule+"@"+largeVersion)
	cmd.Dir = b.TempDir()
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("the module proxy gives no %s: %v\n%s", largeModule, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		b.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(module.Dir)); err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := os.Chmod(filepath.Join(to, name), 0o666); err != nil {
			b.Fatal(err)
		}
	}
}

// builtLines counts the lines of the package in dir that its test binary is compiled from.
func builtLines(b *testing.B, dir string) int {
	cmd := exec.Command("go", "list", "-f", `{{range .GoFiles}}{{.}} {{end}}{{range .TestGoFiles}}{{.}} `+
		`{{end}}{{range .XTestGoFiles}}{{.}} {{end}}`)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	lines := 0
	for _, name := range strings.Fields(string(out)) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	return lines
}

// BenchmarkExplainMemory measures the memory of explain without the compiler, on a generated package with a large
// escape report. For comparison, the report on github.com/ugorji/go/codec v1.3.2, with 112,787 lines without tests, has
// 22 MiB.
func BenchmarkExplainMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("NOT TESTED: the peak of a process's memory is read from /proc")
	}
	work := b.TempDir()
	binary, module := filepath.Join(work, "checkalloc"), filepath.Join(work, "module")
	buildChecker(b, binary)
	if err := os.Mkdir(module, 0o777); err != nil {
		b.Fatal(err)
	}
	for name, text := range reportingModule() {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	report := exec.Command("go", "test", "-c", "-gcflags=-m=2", "-o", filepath.Join(work, "x.test"), ".")
	report.Dir = module
	said, err := report.CombinedOutput()
	if err != nil {
		b.Fatal(err)
	}
	if len(said) < minReported<<20 {
		b.Fatalf("the report has %d MiB, want %d", len(said)>>20, minReported)
	}
	peak := 0
	for b.Loop() {
		peak = max(peak, peakMemory(b, module, binary, "explain", "--json"))
	}
	b.Logf("a report of %d MiB: at most %d MiB in use", len(said)>>20, peak>>10)
	b.ReportMetric(float64(peak)/1024, "peak-MiB")
	if peak>>10 > maxMemory {
		b.Errorf("explain takes %d MiB, more than %d", peak>>10, maxMemory)
	}
}

// reportingModule makes a module with a large report: the compiler prints the type behind an alias in full each time.
func reportingModule() map[string]string {
	var source strings.Builder
	source.WriteString("package large\n\ntype row = struct {\n")
	for i := range 60 {
		fmt.Fprintf(&source, "\tfield%d string\n", i)
	}
	source.WriteString("}\n")
	for i := range 1350 {
		fmt.Fprintf(&source, `
func new%[1]d(n int) ([]*row, []row) {
	rows := make([]row, n)
	one, two := &row{}, new(row)
	two.field1 = one.field2
	all := []*row{one, two}
	return append(all, &rows[0]), rows
}
`, i)
	}
	return map[string]string{
		"go.mod":   "module large\n\ngo 1.26.0\n",
		"large.go": source.String(),
		"large_test.go": "package large\n\nimport \"testing\"\n\nvar sink []*row\n\nfunc Benchmark(b *testing.B) {\n" +
			"\tfor range b.N {\n\t\tsink, _ = new1(10)\n\t}\n}\n",
	}
}

var highest = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory runs a command and returns its peak memory in KiB, without its children. It reads the peak that the system
// records every few milliseconds, so that it misses growth in the last moments.
func peakMemory(b *testing.B, dir, name string, args ...string) (peak int) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for ticker := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case err := <-ended:
			if ticker.Stop(); err != nil || peak == 0 {
				b.Fatalf("%s %v: %v, peak %d KiB\n%s", name, args, err, peak, stderr.Bytes())
			}
			return peak
		case <-ticker.C:
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if found := highest.FindSubmatch(status); err == nil && found != nil {
				if size, err := strconv.Atoi(string(found[1])); err == nil {
					peak = max(peak, size)
				}
			}
		}
	}
}
