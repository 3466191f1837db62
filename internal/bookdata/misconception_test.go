package bookdata

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/verdict"
)

// TestApply compares Apply with "git apply", by which instructors make the change.
func TestApply(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not on PATH, with which to compare: install it")
		}
		t.Skip("NOT TESTED: the comparison with \"git apply\". git is not on PATH")
	}
	root := filepath.Join("..", "..")
	dirs, err := filepath.Glob(filepath.Join(root, "exercises", "exercise*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%d exercises, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		id := filepath.Base(dir)
		files := map[string][]byte{}
		names, err := filepath.Glob(filepath.Join(root, MisconceptionPath(id, "*")))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if files[filepath.Base(name)], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		turns, err := ParseMisconceptions(id, files)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range turns {
			starter, err := os.ReadFile(filepath.Join(dir, turn.File))
			if err != nil {
				t.Fatal(err)
			}
			got, err := turn.Apply(map[string][]byte{turn.File: starter})
			if err != nil {
				t.Errorf("%s of %s: %v", turn.Name, id, err)
				continue
			}
			clone := t.TempDir()
			name := filepath.Join(clone, "exercises", id, turn.File)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, starter, 0o666); err != nil {
				t.Fatal(err)
			}
			diff, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(MisconceptionDir(id)),
				turn.Name+MisconceptionExt))
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("git", "apply", diff)
			cmd.Dir = clone
			cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(clone))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("git apply %s of %s: %v\n%s", turn.Name, id, err, out)
				continue
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got[turn.File], want) {
				t.Errorf("%s of %s: we make\n%s\ngit makes\n%s", turn.Name, id, got[turn.File], want)
			}
		}
	}
}

const good = `A title

Why people
try it.

What to say.

diff --git a/exercises/exercise6/x.go b/exercises/exercise6/x.go
index 1..2 100644
--- a/exercises/exercise6/x.go
+++ b/exercises/exercise6/x.go
@@ -1,3 +1,3 @@
 a
-b
+B
 c
`

func TestParseMisconceptions(t *testing.T) {
	read := func(text string) ([]Misconception, error) {
		return ParseMisconceptions("exercise6", map[string][]byte{"two-words.diff": []byte(text)})
	}
	turns, err := read(good)
	if err != nil {
		t.Fatal(err)
	}
	want := Misconception{"two-words", "A title", "Why people try it.", "What to say.",
		"@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "x.go"}
	if len(turns) != 1 || turns[0] != want {
		t.Errorf("read %+v, want %+v", turns, want)
	}
	for name, c := range map[string]struct{ old, by, want string }{
		"no diff":         {good[strings.Index(good, "diff --git"):], "", "no diff in it"},
		"two paragraphs":  {"\nWhat to say.\n", "", "three paragraphs"},
		"four paragraphs": {"What to say.\n", "What to say.\n\nMore.\n", "three paragraphs"},
		"another folder": {"+++ b/exercises/exercise6/", "+++ b/exercises/exercise7/",
			"which is not a file of b/exercises/exercise6/"},
		"a folder below": {"+++ b/exercises/exercise6/", "+++ b/exercises/exercise6/y/", "which is not a file of"},
		"no change":      {good[strings.Index(good, "@@"):], "", `no "+++" line and "@@"`},
		"two files":      {" c\n", " c\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "several files"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("%s: %q is not in the text", name, c.old)
		}
		if _, err := read(strings.Replace(good, c.old, c.by, 1)); err == nil || !strings.Contains(err.Error(),
			c.want) ||
			!strings.Contains(err.Error(), "two-words.diff") {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func TestPatch(t *testing.T) {
	const old = "a\nb\nc\nd\ne\n"
	for diff, want := range map[string]string{
		"@@ -1,2 +1,2 @@\n-a\n+A\n b\n":                           "A\nb\nc\nd\ne\n",
		"@@ -5 +5,2 @@\n e\n+f\n":                                 old + "f\n",
		"@@ -1,2 +1 @@\n-a\n b\n@@ -4,2 +3 @@ func x()\n d\n-e\n": "b\nc\nd\n",
		"@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n":              "A\nb\nC\nd\ne\n",
		"@@ -5 +5 @@\n-e\n+E\n\\ No newline at end of file\n":     "a\nb\nc\nd\nE",
	} {
		if got, err := patch([]byte(old), diff); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v, want %q", diff, got, err, want)
		}
	}
	for diff, want := range map[string]string{
		"@@ -1,2 +1,2 @@\n-a\n+A\n c\n":                  "does not fit the starter at line 2",
		"@@ -1,3 +1,3 @@\n-a\n+A\n b\n":                  "read its diff",
		"@@ -1,3 +1,3 @@\n-a\n+A\n@@ -5 +5 @@\n-e\n+E\n": "read its diff",
		"@@ -2,0 +3 @@\n+x\n":                            "without context",
		"@@ -1 +1 @@\n-a\n+A\n b\n":                      "is longer than",
		"@@ -9 +9 @@\n-a\n+A\n":                          "does not fit the starter",
		"@@ one @@\n-a\n+A\n":                            "read its diff",
		"@@ -1,x +1 @@\n-a\n+A\n":                        "read its diff",
		"@@ -1 +1 @@\n\\ No newline\n":                   "read its diff",
	} {
		if got, err := patch([]byte(old), diff); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, error %v, want one with %q", diff, got, err, want)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	turn := Misconception{File: "x_test.go"}
	if _, err := turn.Apply(map[string][]byte{"x.go": nil}); err == nil || !strings.Contains(err.Error(), "x_test.go") {
		t.Errorf("error %v", err)
	}
}

// TestMisconceptionResultOf tests that the result has no part of a verdict that depends on random inputs.
func TestMisconceptionResultOf(t *testing.T) {
	one, sixtyFour := 1.0, 64.0
	v := &verdict.Verdict{
		Stage: verdict.StageBenchmark,
		Tests: verdict.Tests{Run: 5},
		Benchmarks: []verdict.Benchmark{{Name: "BenchmarkX", AllocsPerOp: 2, BytesPerOp: 111.7, TargetAllocs: &one,
			TargetBytes: &sixtyFour, NsPerOp: 81}, {Name: "BenchmarkXConfirm", Confirms: "BenchmarkX",
			AllocsPerOp: 0.47, BytesPerOp: 31, TargetAllocs: &one}},
		Allocations: []verdict.Allocation{{Benchmark: "BenchmarkX", File: "x.go", Line: 3, Code: "c", AllocsPerOp: 2,
			BytesPerOp: 111.7, Why: "it escapes"}, {Benchmark: "BenchmarkXConfirm", File: "x.go", Line: 4}},
	}
	o := MisconceptionResultOf(v)
	if want := (MisconceptionBenchmark{"BenchmarkX", "2", "1", "112", "64", "", ""}); len(o.Benchmarks) != 2 ||
		o.Benchmarks[0] != want || o.Benchmarks[1] != (MisconceptionBenchmark{Name: "BenchmarkXConfirm"}) {
		t.Errorf("benchmarks %+v, want %+v", o.Benchmarks, want)
	}
	if want := (MisconceptionLine{"x.go", 3, "c", "2", "112", "it escapes"}); len(o.Lines) != 1 || o.Lines[0] != want {
		t.Errorf("lines %+v, want %+v", o.Lines, want)
	}
	failing := func(output string) MisconceptionResult {
		return MisconceptionResultOf(
			&verdict.Verdict{Stage: verdict.StageTests, Tests: verdict.Tests{Run: 5, Failed: 2, Output: output}},
		)
	}
	first := failing("--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/the_end (0.00s)\n        x_test.go:1: no\n" +
		"--- FAIL: TestB (0.00s)\n")
	second := failing("--- FAIL: TestB (0.00s)\n--- FAIL: TestC (0.00s)\n")
	if got := encodeText(first.Failed) + first.Case; got != `["TestA","TestB"]TestA/the_end` {
		t.Errorf("failed %s", got)
	}
	both := first.Intersect(second)
	if got := encodeText(both.Failed) + both.Case; got != `["TestB"]` {
		t.Errorf("failed both times %s", got)
	}
	if got := encodeText(second.Union(first).Failed); got != `["TestB","TestC","TestA"]` {
		t.Errorf("failed in either run: %s", got)
	}
	if change := both.Difference(second); change != "" {
		t.Errorf("one more test fails: %s", change)
	}
	if change := first.Difference(second); !strings.HasPrefix(change, "it breaks the tests [\"TestB\"], written is") {
		t.Errorf("one test fails no more: %q", change)
	}
	if change := o.Difference(first); !strings.HasPrefix(change, "it fails in the stage tests, written is benchmark") {
		t.Errorf("another stage: %q", change)
	}
}
