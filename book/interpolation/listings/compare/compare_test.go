package compare

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "measure anew, and write what benchstat prints")

var versions = []string{"parts", "append"}

// The page shows benchstat.txt. It is what benchstat prints of the two logs, and these have the allocations that the book says.
func TestShown(t *testing.T) {
	if *update {
		for _, version := range versions {
			log := run(t, "go", "test", "-run", "^$", "-bench", ".", "-benchmem", "-count=10", "-benchtime=100ms", "../"+version)
			write(t, version+".txt", log)
		}
		write(t, "benchstat.txt", benchstat(t))
	}
	shown, err := os.ReadFile("benchstat.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := benchstat(t); !bytes.Equal(got, shown) {
		t.Errorf("benchstat prints\n%s\nand the page shows\n%s\nrun this test with -update", got, shown)
	}
	for _, version := range versions {
		log, err := os.ReadFile(version + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		want := measured(t, version)
		lines := 0
		for line := range strings.Lines(string(log)) {
			if !strings.HasPrefix(line, "Benchmark") {
				continue
			}
			lines++
			if !strings.HasSuffix(strings.Join(strings.Fields(line), " "), want) {
				t.Errorf("%s.txt: %sthe book says %s: run this test with -update", version, line, want)
			}
		}
		if lines != 10 {
			t.Errorf("%s.txt has %d results, want 10", version, lines)
		}
	}
}

// The page shows what benchcmp prints of the same logs, with the fastest run of each.
func TestBenchcmp(t *testing.T) {
	got := run(t, "go", "run", "golang.org/x/tools/cmd/benchcmp", "-best", "parts.txt", "append.txt")
	if *update {
		write(t, "benchcmp.txt", got)
	}
	if shown, err := os.ReadFile("benchcmp.txt"); err != nil || !bytes.Equal(got, shown) {
		t.Errorf("benchcmp prints\n%s\nand the page shows\n%s (error %v)\nrun this test with -update", got, shown, err)
	}
}

// The page shows the stacks of the first version's profile. They have each allocation that the book counts.
func TestTraces(t *testing.T) {
	if *update {
		profile := filepath.Join(t.TempDir(), "mem.out")
		run(t, "go", "test", "-run", "^$", "-bench", ".", "-benchtime=1000x", "-memprofile", profile, "-memprofilerate=1",
			"-o", os.DevNull, "../parts")
		log := run(t, "go", "tool", "pprof", "-sample_index=alloc_objects", "-traces", "-focus=Interpolate",
			"-show_from=Interpolate", profile)
		write(t, "traces.txt", log[bytes.Index(log, []byte("---")):]) // without build ID and time
	}
	shown, err := os.ReadFile("traces.txt")
	if err != nil {
		t.Fatal(err)
	}
	objects := 0.0
	for _, m := range regexp.MustCompile(`(?m)^ +([0-9]+)   \S`).FindAllStringSubmatch(string(shown), -1) {
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		objects += n / 1001 // the benchmark first runs once
	}
	if want := measured(t, "parts"); !strings.HasSuffix(want, fmt.Sprintf(" %.0f allocs/op", objects)) {
		t.Errorf("the stacks have %.2f objects for each operation, the book says%s: run this test with -update", objects, want)
	}
}

// measured returns the end of a benchmark's line as the book's own measurement has it.
func measured(t *testing.T, version string) string {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "measured", "interpolation", "listings", version+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var listing struct {
		Verdict struct {
			Benchmarks []struct {
				Bytes  float64 `json:"bytes_per_op"`
				Allocs float64 `json:"allocs_per_op"`
			}
		}
	}
	if err := json.Unmarshal(text, &listing); err != nil || len(listing.Verdict.Benchmarks) != 1 {
		t.Fatalf("%s.json: %d benchmarks, error %v", version, len(listing.Verdict.Benchmarks), err)
	}
	b := listing.Verdict.Benchmarks[0]
	return fmt.Sprintf(" %.0f B/op %.0f allocs/op", b.Bytes, b.Allocs)
}

func benchstat(t *testing.T) []byte {
	return run(t, "go", "run", "golang.org/x/perf/cmd/benchstat", "-ignore", "pkg", "parts.txt", "append.txt")
}

func run(t *testing.T, name string, args ...string) []byte {
	cmd := exec.Command(name, args...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, &problems)
	}
	return out
}

func write(t *testing.T, name string, text []byte) {
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
