package compare

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
