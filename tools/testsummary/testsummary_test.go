package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestGo runs the go command over a module whose tests pass, fail, skip, do not build and end their process.
func TestGo(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module onthestack\n\ngo 1.26\n",
		"good/good_test.go": `package good

import "testing"

func TestTable(t *testing.T) {
	for _, name := range []string{"a", "b/c", "/d"} {
		t.Run(name, func(t *testing.T) { t.Log("quiet") })
	}
}

func TestAlone(t *testing.T) {}

func TestSkipped(t *testing.T) { t.Skip("NOT TESTED: there is no moon") }
`,
		"bad/bad_test.go": `package bad

import "testing"

func TestBad(t *testing.T) {
	t.Run("one", func(t *testing.T) { t.Error("loud") })
	t.Run("other", func(t *testing.T) {})
}

func TestScript(t *testing.T) {
	t.Run("one", func(t *testing.T) { t.Log("\n> stdout 'x'\nFAIL: one.txtar:3: no match\n"); t.FailNow() })
}

func TestSilent(t *testing.T) { t.FailNow() }
`,
		"late/late_test.go": "package late\n\nimport (\"os\"; \"testing\")\n\nfunc TestGood(t *testing.T) {}\n\n" +
			"func TestMain(m *testing.M) { m.Run(); os.Exit(3) }\n",
		"broken/broken_test.go": "package broken\n\nvar x int = \"\"\n",
		"ended/ended_test.go": "package ended\n\nimport (\"os\"; \"testing\")\n\nfunc TestEnds(t *testing.T) { " +
			"println(\"last words\"); os.Exit(3) }\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	counted := filepath.Join(t.TempDir(), "counted")
	t.Setenv(variable, counted)
	for _, c := range []struct {
		name         string
		code         int
		line         string
		says, hushes []string
		failures     []string
	}{
		{"good", 0, "4 passed, 0 failed, 1 skipped", []string{"ok  \tonthestack/good"}, []string{"quiet", "PASS"},
			nil},
		{"bad", 1, "1 passed, 5 failed", []string{"loud", "FAIL\tonthestack/bad"}, nil,
			[]string{"bad TestBad/one", "bad_test.go:6: loud", "bad TestScript/one", "FAIL: one.txtar:3: no match",
				"bad TestSilent"}},
		{"broken", 1, "0 passed, 1 failed", []string{"broken_test.go:3:"}, nil,
			[]string{"broken", "it does not build"}},
		{"ended", 1, "0 passed, 1 failed", []string{"last words"}, nil,
			[]string{"ended", "its process ended during TestEnds"}},
		{"late", 1, "1 passed, 1 failed", nil, nil, []string{"late", "its process failed after the tests"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			os.Remove(counted)
			var out, stderr bytes.Buffer
			if code := run([]string{"go", "./" + c.name}, &out, &stderr); code != c.code || stderr.Len() > 0 {
				t.Errorf("exit code %d, want %d; stderr %q", code, c.code, &stderr)
			}
			got, err := readCounts(counted)
			if err != nil {
				t.Fatal(err)
			}
			if got.line() != c.line {
				t.Errorf("%q, want %q", got.line(), c.line)
			}
			for _, text := range c.says {
				if !strings.Contains(out.String(), text) {
					t.Errorf("it does not say %q:\n%s", text, &out)
				}
			}
			for _, text := range c.hushes {
				if strings.Contains(out.String(), text) {
					t.Errorf("it says %q:\n%s", text, &out)
				}
			}
			var failures []string
			for _, f := range got.Failures {
				failures = append(failures, append([]string{f.Name}, f.Lines...)...)
			}
			if !slices.Equal(failures, c.failures) {
				t.Errorf("the failures are %q", failures)
			}
			for _, s := range got.Skipped {
				if s != (skipped{"good TestSkipped", "good_test.go:13: NOT TESTED: there is no moon"}) {
					t.Errorf("skipped is %+v", s)
				}
			}
		})
	}
}

// TestParts makes targets, one of which fails and one of which reports counts twice.
func TestParts(t *testing.T) {
	t.Chdir(t.TempDir())
	makefile := `first:
	@echo '{"passed": 3, "packages": [{"name": "slow", "seconds": 2}, {"name": "quick", "seconds": 1.9}]}' >> $(TEST_COUNTS)
	@echo '{"passed": 1, "skipped": [{"name": "TestX", "reason": "no moon"}]}' >> $(TEST_COUNTS)
second:
	@echo "second is made"; exit 1
third:
	@echo '{"passed": 2}' >> $(TEST_COUNTS)
long:
	@echo "long begins"; while [ ! -e made ]; do sleep 0.01; done; echo "long ends"
short:
	@echo "short is made"; echo '{"passed": 4}' >> $(TEST_COUNTS); touch made
`
	if err := os.WriteFile("Makefile", []byte(makefile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Fatal(err) // it runs these tests
	}
	var out, stderr bytes.Buffer
	if code := run([]string{"parts", "-note", "A note.", "first", "second", "third"}, &out,
		&stderr); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if last := lines[len(lines)-1]; last != "6 passed, 0 failed, 1 skipped" {
		t.Errorf("the last line is %q", last)
	}
	for _, text := range []string{"second is made\n", "second: FAILED\n", " slow\n", "  TestX: no moon\n",
		"\nA note.\n", "total\n"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("it does not say %q:\n%s", text, &out)
		}
	}
	if strings.Contains(out.String(), "quick") {
		t.Errorf("a package that took a second is listed:\n%s", &out)
	}
	out.Reset()
	if code := run([]string{"parts", "first"}, &out, &stderr); code != exitOK {
		t.Errorf("exit code %d\n%s", code, &out)
	}
	// The first target ends only when the other one is made.
	var both syncBuffer
	code := run([]string{"parts", "long", "first", "-beside", "short", "third"}, &both, &stderr)
	if code != exitOK || !strings.Contains(both.text.String(), "short is made\n") ||
		!strings.HasSuffix(both.text.String(), "10 passed, 0 failed, 1 skipped\n") {
		t.Errorf("exit code %d\n%s", code, both.text.String())
	}
}

// A syncBuffer is for targets that are made at the same time.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func TestReadEvents(t *testing.T) {
	got, err := readEvents(strings.NewReader("not JSON\n{\"other\": 1}\n"), &bytes.Buffer{})
	if err != nil || got.line() != "0 passed, 0 failed" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"parts"}, {"other", "x"}} {
		var out, stderr bytes.Buffer
		if code := run(args, &out, &stderr); code != exitUsage || !strings.HasPrefix(stderr.String(),
			"testsummary runs the parts") {
			t.Errorf("%q: exit code %d, %s", args, code, &stderr)
		}
	}
}

// TestSummary tests that a failed test fails the summary, even if its target succeeded.
func TestSummary(t *testing.T) {
	for _, c := range []struct {
		parts []part
		ok    bool
	}{
		{[]part{{"a", time.Second, time.Second, true, counts{Passed: 1}}}, true},
		{[]part{{"a", time.Second, time.Second, true, counts{Failed: 1}}}, false},
		{[]part{{"a", time.Second, time.Second, true, counts{}}, {"b", time.Second, time.Second, false, counts{}}},
			false},
	} {
		s := summary{parts: c.parts}
		if s.ok() != c.ok {
			t.Errorf("%+v is ok: %v", c.parts, s.ok())
		}
	}
}

// TestListingsAreCached proves that the go command takes the results of listings that have not changed from the runs of
// another clone, with the arguments that make test passes to it: it links none of their tests again.
func TestListingsAreCached(t *testing.T) {
	make := exec.Command("make", "--no-print-directory", "-n", "test-go")
	make.Dir = filepath.Join("..", "..")
	recipe, err := make.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`testsummary go (.*) \$\(go list \./book/`).FindSubmatch(recipe)
	if found == nil {
		t.Fatalf("make test does not test the listings by themselves:\n%s", recipe)
	}
	unique := t.TempDir() // makes the program one that was never tested before
	for _, want := range []string{"ok  \tonthestack/book/a\t0.", "ok  \tonthestack/book/a\t(cached)"} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod":      "module onthestack\n\ngo 1.26\n",
			"book/a/a.go": "package a\n\nvar A = `" + unique + "`\n",
			"book/a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n" +
				"\tif A == t.Name() {\n\t\tt.Fail()\n\t}\n}\n",
		} {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		test := exec.Command("sh", "-c", "go test "+string(found[1])+" ./book/...")
		test.Dir, test.Env = dir, append(os.Environ(), "PWD="+dir)
		if out, err := test.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%v: %swant %s", err, out, want)
		}
	}
}
