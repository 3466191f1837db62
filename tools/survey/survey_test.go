// Package survey tests checkalloc on other people's code. "make survey" runs the tests that write
//
//   - explain.md and suggest.md, of well-known modules that this project does not use: the first compares the figures of
//     each benchmark with the output of "go test", the second has what became of each candidate, and each proven edit for
//     a person to read;
//   - profile.md, of programs that run under a load: the largest lines of their heap profiles with the reasons.
package survey

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/goproxytest"

	"onthestack/internal/verdict"
)

// wellKnown names the packages of the survey, one on each line.
//
//go:embed modules.txt
var wellKnown string

// TestNightlyWellKnown writes the tables of the well-known packages. It needs the network for modules that the module
// cache does not have. Some figures depend on chance, so a difference is for people to read.
func TestNightlyWellKnown(t *testing.T) {
	w := newWorkbench(t)
	for name, survey := range surveys {
		table := w.table(t, survey, strings.Fields(wellKnown))
		if err := os.WriteFile(name+".md", []byte(table), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNightlySurvey(t *testing.T) {
	proxy, err := goproxytest.NewServer(filepath.Join("testdata", "mod"), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	w := newWorkbench(t)
	// From here on, the module cache has only modules from the proxy.
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOPROXY", proxy.URL)
	t.Setenv("GONOSUMDB", "*")
	for _, test := range []struct {
		survey, name string
		want         []string
	}{
		{
			"explain", "example.com/small@v1.0.0/words",
			[]string{
				"| example.com/small/words v1.0.0 | 2 | 2 | 0 | 0 | 2 | 1 |",
				"- example.com/small/words v1.0.0: BenchmarkElsewhere: skipped: needs another machine",
			},
		},
		{
			"explain", "example.com/small@v1.0.0/absent",
			[]string{"| total | 0 | 0 |",
				"- example.com/small/absent v1.0.0 was not measured: the module has no folder absent"},
		},
		{
			"suggest", "example.com/small@v1.0.0/words",
			[]string{
				"| example.com/small/words v1.0.0 | 2 | 1 | 1 | 0 | 0 |",
				"preallocate: proven",
				"BenchmarkLoud 7 → 6 allocs/op",
				"+\tloud := make([]string, 0, len(words))",
			},
		},
	} {
		t.Run(test.survey+" "+test.name, func(t *testing.T) {
			table := w.table(t, surveys[test.survey], []string{test.name})
			for _, want := range test.want {
				if !strings.Contains(table, want) {
					t.Errorf("%q is missing in\n%s", want, table)
				}
			}
		})
	}
}

// TestPrints: package testing truncates what it prints.
func TestPrints(t *testing.T) {
	for _, test := range []struct {
		counts, printed float64
		want            bool
	}{
		{2, 2, true}, {1.99, 2, true}, {1.99, 1, true}, {2.5, 2, true}, {2.5, 3, false}, {0, 0, true}, {1, 0, false},
		{2, 1, false}, {0.001, 0, true},
	} {
		if got := prints(verdict.Benchmark{AllocsPerOp: test.counts}, test.printed); got != test.want {
			t.Errorf("explain counts %v, go test prints %v: %v, want %v", test.counts, test.printed, got, test.want)
		}
	}
}
