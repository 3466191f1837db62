package main

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"onthestack/internal/bookdata"
)

//go:embed testdata/repository.txtar
var archive []byte

// unpackRepository unpacks testdata/repository.txtar into a new folder, changes the working directory to it and returns its
// path.
func unpackRepository(t *testing.T) string {
	t.Helper()
	a := txtar.Parse(archive)
	dir := t.TempDir()
	for _, f := range a.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// history runs the program and returns its output.
func history(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := run(append([]string{"history"}, args...), strings.NewReader(""), &out, &out); code != want {
		t.Fatalf("history %v: exit code %d, want %d\n%s", args, code, want, out.String())
	}
	if wd, _ := os.Getwd(); strings.Contains(out.String(), wd) || strings.Contains(out.String(), os.TempDir()) {
		t.Errorf("history %v names a folder of this machine:\n%s", args, out.String())
	}
	return out.String()
}

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

const historyFile = "book/measured/history.json"

func replace(t *testing.T, name, old, new string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s has no %q:\n%s", name, old, text)
	}
	if err := os.WriteFile(name, bytes.ReplaceAll(text, []byte(old), []byte(new)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestProofHistory measures two listings on the oldest release, and on releases before and after Go 1.12 and Go 1.21,
// which need different ways to measure. The last release is one that the other tests of make proof use, too.
func TestProofHistory(t *testing.T) {
	unpackRepository(t)
	const releases = "--go=go1.4,go1.11,go1.12,go1.27"

	text := history(t, exitOK, "-n", "--go=go1.27")
	contains(t, text, "c/listings/grow", "BenchmarkFive", "1 allocs/op", "5.3 B/op", "b/listings/since")
	if _, err := os.Stat(historyFile); err == nil {
		t.Fatal("-n has written the history")
	}

	contains(t, history(t, exitOK, releases), "go1.4.3    1 of 1 listings", "go1.27.", "2 of 2 listings",
		"2 listings on 4 releases")
	stored, err := os.ReadFile(historyFile)
	if err != nil {
		t.Fatal(err)
	}
	h, err := bookdata.ReadHistory(os.DirFS("book"))
	if err != nil {
		t.Fatal(err)
	}
	for release, patch := range map[string]string{"go1.4": "go1.4.3", "go1.11": "go1.11.13", "go1.12": "go1.12.17"} {
		m := h.Listings["c/listings/grow"][release]
		if m.Go != patch || !strings.Contains(m.Platform, "/") || len(m.Benchmarks) != 2 {
			t.Fatalf("%s: %+v", release, m)
		}
		if b := m.Benchmarks[0]; b.Name != "BenchmarkFive" || b.AllocsPerOp != 1 || b.BytesPerOp != 5.3 {
			t.Errorf("%s: %+v", release, b)
		}
		if b := m.Benchmarks[1]; b.Name != "BenchmarkTen" || b.AllocsPerOp != 0.1 || b.BytesPerOp != 6.4 {
			t.Errorf("%s: %+v", release, b)
		}
	}
	if _, ok := h.Listings["b/listings/since"]["go1.12"]; ok {
		t.Error("a listing is measured on a release older than its since")
	}

	// A second run measures and changes nothing.
	if text := history(t, exitOK, releases); strings.Contains(text, "of 2 listings") ||
		strings.Contains(text, "of 1 listings") {
		t.Errorf("the second run measures:\n%s", text)
	}
	if again, _ := os.ReadFile(historyFile); !bytes.Equal(again, stored) {
		t.Errorf("the second run writes\n%s", again)
	}
	// An interrupted measurement continues.
	replace(t, historyFile, `"go1.4.3","go1.11.13",`, `"go1.4.3",`)
	contains(t, history(t, exitOK, releases, "c/listings/grow"), "go1.11.13  1 of 1 listings")
}

// TestProofDifferences tests what -check reports about an edited history, listing or manifest.
func TestProofDifferences(t *testing.T) {
	unpackRepository(t)
	history(t, exitOK, "--go=go1.4,go1.27")
	stored, err := os.ReadFile(historyFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		file, old, new string
		want           string
	}{
		"a figure": {historyFile, `"bytes_per_op":6.4`, `"bytes_per_op":6.5`, "c/listings/grow on go1.4.3: stored "},
		"a listing": {"book/c/listings/grow/grow.go", "make([]byte, n)", "make([]byte, 2*n)",
			"c/listings/grow on go1.4.3: stored "},
		"half a since": {"book/b/listings/since/listing.toml", "since_why", "#",
			"since needs since_why, and since_why needs since"},
	} {
		t.Run(name, func(t *testing.T) {
			unpackRepository(t)
			if err := os.MkdirAll(filepath.Dir(historyFile), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(historyFile, stored, 0o644); err != nil {
				t.Fatal(err)
			}
			replace(t, test.file, test.old, test.new)
			contains(t, history(t, exitFailed, "--check"), test.want)
		})
	}
}

// TestProofUnbuildable tests that a listing that an old release cannot build is reported with the compiler's message,
// and that the others are measured.
func TestProofUnbuildable(t *testing.T) {
	unpackRepository(t)
	replace(t, "book/b/listings/since/listing.toml", `go1.26`, `go1.12`)
	text := history(t, exitFailed, "--go=go1.12")
	contains(t, text, "b/listings/since on go1.12.17", "the first release that can build it", "1 of 2 listings")
	stored, err := os.ReadFile(historyFile)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(stored), "c/listings/grow")
}

// TestProofUnavailable tests that a release that cannot be downloaded is reported.
func TestProofUnavailable(t *testing.T) {
	unpackRepository(t)
	history(t, exitOK, "--go=go1.4,go1.12", "c/listings/grow")
	replace(t, historyFile, "go1.12.17", "go1.12.99")
	contains(t, history(t, exitOK, "--check", "c/listings/grow"), "go1.12: not measured again",
		"measured again on 1 releases: the same")
}

func TestHistoryUsage(t *testing.T) {
	unpackRepository(t)
	contains(t, history(t, exitUsage, "--check", "-n"), "use -n or --check, not both")
	contains(t, history(t, exitUsage, "-x"), "Usage:")
	contains(t, history(t, exitOK, "-h"), "Usage:")
	contains(t, history(t, exitFailed, "c/listings/none"), "c/listings/none")
	t.Chdir(t.TempDir())
	contains(t, history(t, exitFailed), "no book.toml here or above")
}
