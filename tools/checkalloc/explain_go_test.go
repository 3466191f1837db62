package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
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

// twoReleases returns the installed release of Go and the newest, or if these are the same, the last of Go 1.26 and the
// newest. It has them downloaded, and skips the test where that cannot be done.
func twoReleases(t *testing.T) (older, newest string) {
	t.Helper()
	releases, err := build.Ends(t.Context())
	if err != nil || len(releases) != 2 {
		untested(t, "two releases of Go are not known: %v, %v", releases, err)
	}
	// Nothing has to be compiled for the installed release that other tests have not compiled.
	if installed := strings.TrimSpace(output(t, "go", "env", "GOVERSION")); installed != releases[1] {
		releases[0] = installed
	}
	for _, release := range releases {
		if _, err := build.Fetch(t.Context(), release); err != nil {
			untested(t, "%s is not there: %v", release, err)
		}
	}
	return releases[0], releases[1]
}

// TestProofExplainReleases explains a package on Go 1.24, the installed release and the newest.
func TestProofExplainReleases(t *testing.T) {
	older, newest := twoReleases(t)
	oldest, err := userpkg.ResolveReleases(t.Context(), []string{"1.24"})
	if err == nil {
		_, err = build.Fetch(t.Context(), oldest[0])
	}
	if err != nil {
		untested(t, "Go 1.24 is not there: %v", err)
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
		args := append([]string{"explain", "--go", "1.24," + older + "," + newest}, flags...)
		if code := run(args, strings.NewReader(""), &out, &stderr); code != app.ExitPassed {
			t.Fatalf("exit code %d\n%s%s", code, out.String(), stderr.String())
		}
		return out.String()
	}
	out := explain()
	for _, want := range []string{
		`go1\.24\.\d+ +` + regexp.QuoteMeta(older) + ` +` + regexp.QuoteMeta(newest),
		`BenchmarkSum +1 · 24 +0 · 0 +0 · 0`,
		`go1\.24\.\d+ → ` + regexp.QuoteMeta(older),
		`5 │ +s := make\(\[\]byte, n\)`,
		`1 alloc/op, 24 B/op → 0 allocs/op, 0 B/op`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("lacks %s:\n%s", want, out)
		}
	}
	if strings.Contains(out, " → "+newest) {
		t.Errorf("the newest release differs from %s:\n%s", older, out)
	}
	var releases []string
	for d := json.NewDecoder(strings.NewReader(explain("--json"))); d.More(); {
		var v verdict.Verdict
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		releases = append(releases, v.Go)
	}
	if len(releases) != 3 || !strings.HasPrefix(releases[0], "go1.24.") || releases[1] != older ||
		releases[2] != newest {
		t.Errorf("verdicts of %v", releases)
	}
}
