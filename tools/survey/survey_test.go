package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/goproxytest"

	"onthestack/internal/verdict"
)

func TestNightlySurvey(t *testing.T) {
	proxy, err := goproxytest.NewServer(filepath.Join("testdata", "mod"), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	checkalloc := filepath.Join(t.TempDir(), "checkalloc")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", checkalloc,
		"onthestack/tools/checkalloc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// From here on, the module cache has only modules from the proxy.
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOPROXY", proxy.URL)
	t.Setenv("GONOSUMDB", "*")
	for _, test := range []struct {
		args   []string
		fails  bool
		stdout []string
		stderr string
	}{
		{args: []string{"guess"}, fails: true, stderr: "unknown command"},
		{args: []string{"explain", "example.com/small"}, fails: true, stderr: "is not MODULE@VERSION"},
		{
			args: []string{"explain", "example.com/small@v1.0.0/words"},
			stdout: []string{
				"| example.com/small/words v1.0.0 | 2 | 2 | 0 | 0 | 2 | 1 |",
				"- example.com/small/words v1.0.0: BenchmarkElsewhere: skipped: needs another machine",
			},
		},
		{
			args: []string{"explain", "example.com/small@v1.0.0/absent"},
			stdout: []string{"| total | 0 | 0 |",
				"- example.com/small/absent v1.0.0 was not measured: the module has no folder absent"},
		},
		{
			args: []string{"suggest", "example.com/small@v1.0.0/words"},
			stdout: []string{
				"| example.com/small/words v1.0.0 | 2 | 1 | 1 | 0 | 0 |",
				"preallocate: proven",
				"BenchmarkLoud 7 → 6 allocs/op",
				"+\tloud := make([]string, 0, len(words))",
			},
		},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			c := newCommand()
			c.SetArgs(append([]string{"--checkalloc", checkalloc}, test.args...))
			c.SetOut(&stdout)
			c.SetErr(&stderr)
			if err := c.ExecuteContext(t.Context()); (err != nil) != test.fails {
				t.Errorf("error %v, want one: %v", err, test.fails)
			}
			for _, want := range test.stdout {
				if !strings.Contains(stdout.String(), want) {
					t.Errorf("%q is missing", want)
				}
			}
			if !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("standard error lacks %q", test.stderr)
			}
			if t.Failed() {
				t.Logf("stdout:\n%s\nstderr:\n%s", &stdout, &stderr)
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
