package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/build"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// sideBySide is a module whose figures differ between releases: since Go 1.25, the array behind a slice of a size that
// is known at run time is on the stack, up to 32 bytes.
var sideBySide = map[string]string{
	"go.mod": "module m\n\ngo 1.24\n",
	"m.go": "package m\n\n//go:noinline\nfunc Sum(n int) (sum int) {\n\ts := make([]byte, n)\n" +
		"\tfor _, b := range s {\n\t\tsum += int(b)\n\t}\n\treturn sum\n}\n",
	"m_test.go": "package m\n\nimport \"testing\"\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor i := 0; i < b.N; i++ " +
		"{\n\t\tSum(24)\n\t}\n}\n",
}

// TestProofExplainReleases explains a package on Go 1.24, 1.26 and the newest release.
func TestProofExplainReleases(t *testing.T) {
	known, err := build.Releases(t.Context())
	if err != nil || len(known) == 0 {
		untested(t, "the releases of Go are not known: %v", err)
	}
	newest := known[len(known)-1]
	for _, release := range []string{"1.24", "1.26", newest} {
		patch, err := userpkg.ResolveReleases(t.Context(), []string{release})
		if err == nil {
			_, err = build.Fetch(t.Context(), patch[0])
		}
		if err != nil {
			untested(t, "Go %s is not there: %v", release, err)
		}
	}
	dir := t.TempDir()
	for name, text := range sideBySide {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	explain := func(flags ...string) string {
		var out, stderr bytes.Buffer
		args := append([]string{"explain", "--go", "1.24,1.26," + newest}, flags...)
		if code := run(args, strings.NewReader(""), &out, &stderr); code != app.ExitPassed {
			t.Fatalf("exit code %d\n%s%s", code, out.String(), stderr.String())
		}
		return out.String()
	}
	out := explain()
	for _, want := range []string{
		`go1\.24\.\d+ +go1\.26\.\d+ +` + regexp.QuoteMeta(newest),
		`BenchmarkSum +1 · 24 +0 · 0 +0 · 0`,
		`go1\.24\.\d+ → go1\.26\.\d+`,
		`5 │ +s := make\(\[\]byte, n\)`,
		`1 alloc/op, 24 B/op → 0 allocs/op, 0 B/op`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("lacks %s:\n%s", want, out)
		}
	}
	if strings.Contains(out, " → "+newest) {
		t.Errorf("the newest release differs from Go 1.26:\n%s", out)
	}
	var releases []string
	for d := json.NewDecoder(strings.NewReader(explain("--json"))); d.More(); {
		var v verdict.Verdict
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		releases = append(releases, v.Go)
	}
	if len(releases) != 3 || !strings.HasPrefix(releases[0], "go1.24.") || !strings.HasPrefix(releases[1], "go1.26.") ||
		!slices.Contains(releases, newest) {
		t.Errorf("verdicts of %v", releases)
	}
}
