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
	test, _ := makeTest(t)
	for _, c := range []struct {
		name            string
		passed, failed  int
		says, hushes    []string
		failures, skips []string
	}{
		{"good", 5, 0, []string{"ok  \tonthestack/good"}, []string{"quiet", "PASS"}, nil,
			[]string{"good TestSkipped", "good_test.go:13: NOT TESTED: there is no moon"}},
		{"bad", 1, 5, []string{"loud", "FAIL\tonthestack/bad"}, nil,
			[]string{"bad TestBad/one", "bad_test.go:6: loud", "bad TestBad", "bad TestScript/one",
				"FAIL: one.txtar:3: no match", "bad TestScript", "bad TestSilent"}, nil},
		{"broken", 0, 1, []string{"broken_test.go:3:"}, nil,
			[]string{"broken TestMain", "FAIL\tonthestack/broken [build failed]"}, nil},
		{"ended", 0, 1, []string{"last words"}, nil, []string{"ended TestEnds"}, nil},
		{"late", 1, 1, nil, nil, []string{"late TestMain", "FAIL\tonthestack/late\t*"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			results := t.TempDir()
			out, err := test(dir, results, "./"+c.name)
			if (err != nil) != (c.failed > 0) {
				t.Errorf("%v\n%s", err, out)
			}
			got, err := readResults(results)
			if err != nil {
				t.Fatal(err)
			}
			if got.passed != c.passed || len(got.failed) != c.failed {
				t.Errorf("%d passed, %d failed", got.passed, len(got.failed))
			}
			for _, text := range c.says {
				if !strings.Contains(out, text) {
					t.Errorf("it does not say %q:\n%s", text, out)
				}
			}
			for _, text := range c.hushes {
				if strings.Contains(out, text) {
					t.Errorf("it says %q:\n%s", text, out)
				}
			}
			for _, kind := range []struct {
				got  []outcome
				want []string
			}{{got.failed, c.failures}, {got.skipped, c.skips}} {
				var lines []string
				for _, o := range kind.got {
					lines = append(append(lines, o.name), o.why...)
				}
				if !slices.EqualFunc(lines, kind.want, matches) {
					t.Errorf("got %q, want %q", lines, kind.want)
				}
			}
		})
	}
}

// matches reports whether a line equals want, or begins with it if that ends in a star.
func matches(line, want string) bool {
	begin, open := strings.CutSuffix(want, "*")
	return line == want || open && strings.HasPrefix(line, begin)
}

// makeTest returns a function that tests packages with the command of make test, in another module, and returns the
// output. The other result are the arguments of go test that make test has for the listings.
func makeTest(t *testing.T) (test func(dir, results string, args ...string) (string, error), listings string) {
	t.Helper()
	make := exec.Command("make", "--no-print-directory", "-n", "test-go", variable+"=.")
	make.Dir = filepath.Join("..", "..")
	recipe, err := make.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`go tool gotestsum (.*) -- (.*) \$listings`).FindSubmatch(
		regexp.MustCompile(`\\\n\s*`).ReplaceAll(recipe, nil))
	if found == nil {
		t.Fatalf("make test does not test the listings by themselves:\n%s", recipe)
	}
	gotestsum, err := exec.Command("go", "tool", "-n", "gotestsum").Output() // of this module
	if err != nil {
		t.Fatal(err)
	}
	return func(dir, results string, args ...string) (string, error) {
		flags := strings.ReplaceAll(string(found[1]), "./go-XXXXXX", filepath.Join(results, "go-XXXXXX"))
		cmd := exec.Command("sh", "-c", strings.TrimSpace(string(gotestsum))+" "+flags+" -- "+strings.Join(args, " "))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PWD="+dir)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}, string(found[2])
}

// TestParts makes targets, one of which fails and one of which reports counts twice.
func TestParts(t *testing.T) {
	t.Chdir(t.TempDir())
	makefile := `first:
	@echo '<testsuites time="9"><testsuite name="onthestack/slow" time="2"><testcase name="TestA" time="1"/>\
	<testcase name="TestB" time="1.9"/><testcase name="TestC/d" time="2"/><testcase name="TestC" time="2"/>\
	</testsuite></testsuites>' > $(TEST_RESULTS)/a
	@printf '<testsuites><testsuite name="a" time="3"><testcase name="a box" time="2.5"/></testsuite>\
	<testcase name="a moon"><skipped message="no moon"/></testcase><testcase name="a star" classname="test">\
	<failure message="\033[31m1 !== 2\n\nat a.ts"/></testcase></testsuites>' > $(TEST_RESULTS)/b
second:
	@echo "second is made"; exit 1
third:
	@echo '<testsuites><testcase name="x"/><testcase name="y"/></testsuites>' > $(TEST_RESULTS)/a
long:
	@echo "long begins"; while [ ! -e made ]; do sleep 0.01; done; echo "long ends"
short:
	@echo "short is made"; echo '<testsuites><testcase name="z"/></testsuites>' > $(TEST_RESULTS)/a; touch made
`
	if err := os.WriteFile("Makefile", []byte(makefile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Fatal(err) // it runs these tests
	}
	var out, stderr bytes.Buffer
	if code := run([]string{"-note", "A note.", "first", "second", "third"}, &out, &stderr); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if last := lines[len(lines)-1]; last != "7 passed, 1 failed, 1 skipped" {
		t.Errorf("the last line is %q", last)
	}
	for _, text := range []string{"second is made\n", "second: FAILED\n", " slow\n", " slow TestC\n", " web a box\n",
		"  web a moon: no moon\n", "  web a star\n    [31m1 !== 2\n    at a.ts\n", "\nA note.\n", "total\n"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("it does not say %q:\n%s", text, &out)
		}
	}
	for _, text := range []string{"TestA", "TestB", "TestC/d"} {
		if strings.Contains(out.String(), text) {
			t.Errorf("%s is listed:\n%s", text, &out)
		}
	}
	out.Reset()
	if code := run([]string{"third"}, &out, &stderr); code != exitOK {
		t.Errorf("exit code %d\n%s", code, &out)
	}
	// The first target ends only when the other one is made.
	var both syncBuffer
	code := run([]string{"long", "third", "-beside", "short"}, &both, &stderr)
	if code != exitOK || !strings.Contains(both.text.String(), "short is made\n") ||
		!strings.HasSuffix(both.text.String(), "\n3 passed, 0 failed\n") {
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

// TestReadResults tests that results which cannot be read are an error, and not no tests.
func TestReadResults(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cut"), []byte("<testsuites><testcase"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readResults(dir); err == nil || !strings.HasPrefix(err.Error(), "cut is not JUnit XML: ") {
		t.Error(err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"-beside", "x"}} {
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
		{[]part{{"a", time.Second, time.Second, true, counts{passed: 1}}}, true},
		{[]part{{"a", time.Second, time.Second, true, counts{failed: []outcome{{name: "x"}}}}}, false},
		{[]part{{"a", time.Second, time.Second, true, counts{}}, {"b", time.Second, time.Second, false, counts{}}},
			false},
	} {
		s := summary{parts: c.parts}
		if s.ok() != c.ok {
			t.Errorf("%+v is ok: %v", c.parts, s.ok())
		}
	}
}

// TestClonesShareResults proves that the go command takes the results of packages that have not changed from the runs
// of another clone, with the arguments that make test passes to it: it links none of their tests again.
func TestClonesShareResults(t *testing.T) {
	test, flags := makeTest(t)
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
		if out, err := test(dir, t.TempDir(), flags, "./book/..."); err != nil || !strings.HasPrefix(out, want) {
			t.Errorf("%v: %swant %s", err, out, want)
		}
	}
}
