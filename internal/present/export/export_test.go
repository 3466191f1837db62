package export

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/verdict"
)

var update = flag.Bool("update", false, "rewrite the documents in testdata")

func zero() *float64 { return new(float64) }

// outcomes are one result of each kind.
func outcomes() map[string]Result {
	passed := verdict.Benchmark{Name: "BenchmarkSum", N: 1000, TargetAllocs: zero(), Pass: true}
	slow := passed
	slow.AllocsPerOp, slow.BytesPerOp, slow.Pass = 4, 26, false
	all := map[string]Result{
		"passed": {Verdict: &verdict.Verdict{Pass: true, Tests: verdict.Tests{Run: 3},
			Benchmarks: []verdict.Benchmark{passed}}},
		"policy": {Verdict: &verdict.Verdict{Stage: verdict.StagePolicy,
			Errors: []verdict.Problem{{File: "sum.go", Line: 3, Col: 5, Message: "a variable of the package"}}}},
		"build": {Verdict: &verdict.Verdict{Stage: verdict.StageBuild,
			Errors: []verdict.Problem{{File: "sum.go", Line: 7, Col: 2, Message: `cannot use "<a>" as int`}}}},
		"tests": {Verdict: &verdict.Verdict{Stage: verdict.StageTests,
			Tests: verdict.Tests{Run: 3, Failed: 1,
				Output: "--- FAIL: TestDigits\n    sum_test.go:9: got 1 & <2>, want \"3\"\n"}}},
		"race": {Verdict: &verdict.Verdict{Stage: verdict.StageTests,
			Tests: verdict.Tests{Run: 3, Failed: 1, Output: "DATA RACE", Race: verdict.Race{State: verdict.RaceFailed}}}},
		"ended": {Verdict: &verdict.Verdict{Stage: verdict.StageBenchmark,
			Tests: verdict.Tests{Run: 3, Output: "panic: no"}}},
		"allocs": {Verdict: &verdict.Verdict{Stage: verdict.StageBenchmark,
			Tests:      verdict.Tests{Run: 3, Race: verdict.Race{State: verdict.RaceNotRun, Why: "the race detector needs a C compiler"}},
			Benchmarks: []verdict.Benchmark{slow},
			Allocations: []verdict.Allocation{{Benchmark: "BenchmarkSum", File: "sum.go", Line: 10, AllocsPerOp: 4,
				BytesPerOp: 26, Why: "strconv.Itoa makes a string"}},
			SetAside: []string{"extra.go"}}},
		"missing": {Missing: "nothing was handed in"},
		"error":   {Err: errors.New("run the tests of exercises/x: no space left on device")},
	}
	for name, r := range all {
		r.Exercise, r.Title, r.Points, r.Time = "exercise-"+name, "Digits & sums", 2, 1500*time.Millisecond
		if r.Verdict != nil {
			r.Verdict.Go, r.Verdict.Engine = "go1.26.8", "native"
		}
		all[name] = r
	}
	return all
}

func some(names ...string) []Result {
	all := outcomes()
	var results []Result
	for _, name := range names {
		results = append(results, all[name])
	}
	return results
}

// submission is a submission as Classroom 50's runner describes it.
func submission() *Submission {
	return &Submission{
		Classroom: "go-2026", Assignment: "workbook", Type: "individual", Owner: "alice",
		Tag:     "submit/2026-11-22T14-32-05Z-a1b2c3d",
		Commit:  "https://github.com/school/go-2026-workbook-alice/commit/a1b2c3d",
		Release: "https://github.com/school/go-2026-workbook-alice/releases/tag/submit%2F2026-11-22T14-32-05Z-a1b2c3d",
		Review:  "https://github.com/school/go-2026-workbook-alice/compare/0000000...a1b2c3d",
		Time:    time.Date(2026, 11, 22, 15, 32, 5, 0, time.FixedZone("CET", 3600)),
	}
}

// checkable are the names of the outcomes with a verdict, in a fixed order.
var checkable = []string{"passed", "policy", "build", "tests", "race", "ended", "allocs"}

func write(t testing.TB, format string, results []Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, results, submission()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestGolden compares every kind of outcome in every format with the documents in testdata, and checks it against the
// schema.
func TestGolden(t *testing.T) {
	for _, format := range Formats() {
		for name, outcomes := range map[string][]string{
			"all":     checkable,
			"passed":  {"passed"},
			"failed":  {"passed", "allocs"},
			"missing": {"passed", "missing"},
			"error":   {"passed", "allocs", "error"},
		} {
			if name == "error" && !TakesErrors(format) {
				continue
			}
			t.Run(format+"/"+name, func(t *testing.T) {
				doc := write(t, format, some(outcomes...))
				decode(t, format, doc)
				golden := filepath.Join("testdata", format+"-"+name+".golden")
				if *update {
					if err := os.WriteFile(golden, doc, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(doc, want) {
					t.Errorf("got\n%s\nwant\n%s\ngo test ./internal/present/export -update rewrites it", doc, want)
				}
			})
		}
	}
}

// TestLive: a target for live bytes is beside the others.
func TestLive(t *testing.T) {
	live, target := 4133.0, 72.0
	b := verdict.Benchmark{Name: "BenchmarkA", LiveBytesPerOp: &live, TargetLiveBytes: &target}
	if got, want := figures(b), "BenchmarkA: 0 allocs/op, 0 B/op, 4133 live B/op (target 72)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDecision proves the status and the points of each outcome, alone and together with other outcomes.
func TestDecision(t *testing.T) {
	want := map[string]map[string]string{
		JUnit: {"passed": "passed", "policy": "failure policy", "build": "failure build", "tests": "failure tests",
			"race": "failure tests", "ended": "failure benchmark", "allocs": "failure benchmark",
			"error": "error check"},
		Gradescope: {"passed": "passed 2/2", "policy": "failed 0/2", "build": "failed 0/2", "tests": "failed 0/2",
			"race": "failed 0/2", "ended": "failed 0/2", "allocs": "failed 0/2"},
		Classroom50: {"passed": "true 2/2", "policy": "false 0/2", "build": "false 0/2", "tests": "false 0/2",
			"race": "false 0/2", "ended": "false 0/2", "allocs": "false 0/2"},
		Exercism: {"passed": "pass", "policy": "error", "build": "error", "tests": "fail", "race": "fail",
			"ended": "fail", "allocs": "fail"},
	}
	whole := map[string]map[string]string{ // of a passed exercise and this one
		JUnit:       {"passed": "2 0 0", "allocs": "2 1 0", "build": "2 1 0", "error": "2 0 1"},
		Gradescope:  {"passed": "4", "allocs": "2", "build": "2"},
		Classroom50: {"passed": "4/4", "allocs": "2/4", "build": "2/4"},
		Exercism:    {"passed": "pass", "allocs": "fail", "build": "error"},
	}
	for _, format := range Formats() {
		for name, status := range want[format] {
			if d := decode(t, format, write(t, format, some(name))); d.tests[0] != status {
				t.Errorf("%s: %s is %q, want %q", format, name, d.tests[0], status)
			}
		}
		for name, status := range whole[format] {
			results := some("passed", name)
			results[0].Exercise = "exercise-other"
			d := decode(t, format, write(t, format, results))
			if d.whole != status || !slices.Equal(d.tests, []string{want[format]["passed"], want[format][name]}) {
				t.Errorf("%s: passed and %s are %q %q, want %q", format, name, d.whole, d.tests, status)
			}
		}
	}
	// An error outweighs a failure, whichever comes first.
	for _, names := range [][]string{{"allocs", "build"}, {"build", "allocs"}} {
		if d := decode(t, Exercism, write(t, Exercism, some(names...))); d.whole != "error" {
			t.Errorf("%v: %s", names, d.whole)
		}
	}
}

// TestNoDocument: nothing is written if the format cannot represent a check that could not be made.
func TestNoDocument(t *testing.T) {
	for _, format := range Formats() {
		var b bytes.Buffer
		err := Write(&b, format, some("passed", "error"), submission())
		if TakesErrors(format) {
			if err != nil {
				t.Errorf("%s: %v", format, err)
			}
			continue
		}
		if err == nil || b.Len() > 0 || !strings.Contains(err.Error(), "exercise-error") ||
			!strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s: %v, and %d bytes", format, err, b.Len())
		}
	}
	var b bytes.Buffer
	if err := Write(&b, "csv", some("passed"), nil); err == nil || b.Len() > 0 {
		t.Errorf("csv: %v, and %d bytes", err, b.Len())
	}
	if err := Write(&b, JUnit, []Result{{Exercise: "exercise6"}}, nil); err == nil || b.Len() > 0 {
		t.Errorf("no verdict and no error: %v, and %d bytes", err, b.Len())
	}
	full := errors.New("no space")
	if err := Write(failing{full}, JUnit, some("passed"), nil); !errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestSubmissionFrom covers the variables that Classroom 50's runner sets, the variables that it may leave out, and
// runs outside of that runner.
func TestSubmissionFrom(t *testing.T) {
	all := map[string]string{"CLASSROOM": "go-2026", "ASSIGNMENT": "workbook",
		"SUBMISSION_TAG": "submit/2026-11-22T14-32-05Z-a1b2c3d",
		"COMMIT_URL":     "c", "RELEASE_URL": "r", "REVIEW_URL": "d", "OWNER": "alice", "ASSIGNMENT_TYPE": "group"}
	for _, test := range []struct {
		without, tag, want string // an error; "" for none
	}{
		{"", "", ""}, {"OWNER", "", ""}, {"ASSIGNMENT_TYPE", "", ""}, {"REVIEW_URL", "", ""},
		{"CLASSROOM", "", "its runner sets CLASSROOM, missing here"}, {"ASSIGNMENT", "", "ASSIGNMENT"},
		{"SUBMISSION_TAG", "", "SUBMISSION_TAG"},
		{"COMMIT_URL", "", "COMMIT_URL"}, {"RELEASE_URL", "", "RELEASE_URL"}, {"", "v1.0.0", "begin with submit/"},
	} {
		s, err := SubmissionFrom(func(name string) string {
			switch {
			case name == test.without:
				return ""
			case name == "SUBMISSION_TAG" && test.tag != "":
				return test.tag
			}
			return all[name]
		}, time.Now())
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("without %q: %v, want %q", test.without, err, test.want)
		}
		if err != nil {
			continue
		}
		var b bytes.Buffer
		if err := Write(&b, Classroom50, some("passed"), s); err != nil {
			t.Error(err)
		}
		if review := map[bool]string{true: "c", false: "d"}[test.without == "REVIEW_URL"]; s.Review != review {
			t.Errorf("review is %q, want %q", s.Review, review)
		}
		if test.without == "" || test.without == "REVIEW_URL" {
			decode(t, Classroom50, b.Bytes())
		} else if strings.Contains(b.String(), "\""+strings.ToLower(test.without)+"\"") { // the runner sets it
			t.Errorf("without %s:\n%s", test.without, &b)
		}
	}
	if err := Write(&bytes.Buffer{}, Classroom50, some("passed"), nil); err == nil {
		t.Error("no submission, and no error")
	}
}

// TestUnraced: every format says that an exercise about goroutines was tested without the race detector, also where it
// passed.
func TestUnraced(t *testing.T) {
	for engine, note := range map[string]string{"wasm": "the sandbox has no race detector",
		"native": "the race detector needs a C compiler"} {
		v := *some("passed")[0].Verdict
		v.Engine, v.Provisional = engine, "a data race may have gone unnoticed"
		v.Tests.Race = verdict.Race{State: verdict.RaceNotRun, Why: note}
		for _, format := range Formats() {
			r := some("passed")
			raced := write(t, format, r)
			r[0].Verdict = &v
			doc := write(t, format, r)
			if !strings.Contains(string(doc), "the tests did not run with -race: ") ||
				strings.Contains(string(raced), "-race") {
				t.Errorf("%s, %s:\n%s\nand raced\n%s", format, engine, doc, raced)
			}
			if !strings.Contains(string(doc), "provisional") || strings.Contains(string(raced), "provisional") {
				t.Errorf("%s, %s: the pass is provisional:\n%s\nand raced\n%s", format, engine, doc, raced)
			}
			if engine == "wasm" && !strings.Contains(string(doc), note) {
				t.Errorf("%s does not say that %s:\n%s", format, note, doc)
			}
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		points, n int
		want      []int
	}{{10, 3, []int{4, 3, 3}}, {3, 3, []int{1, 1, 1}}, {7, 1, []int{7}},
		{100, 8, []int{13, 13, 13, 13, 12, 12, 12, 12}}} {
		if got := Split(c.points, c.n); !slices.Equal(got, c.want) {
			t.Errorf("Split(%d, %d) = %v, want %v", c.points, c.n, got, c.want)
		}
	}
	for points := 1; points < 60; points++ {
		for n := 1; n <= points; n++ {
			sum := 0
			for _, p := range Split(points, n) {
				sum += p
			}
			if sum != points {
				t.Fatalf("Split(%d, %d) sums to %d", points, n, sum)
			}
		}
	}
}

// TestBounds: a hundred exercises that print without end make a document of bounded size, also where every character is
// escaped; one exercise keeps its 10 KiB.
func TestBounds(t *testing.T) {
	for _, endless := range []string{"<", "\"", ":", "\U0001f600", "\x00"} {
		printed := strings.Repeat(endless, 1<<17)
		for _, format := range Formats() {
			var results []Result
			for i := range 100 {
				r := Result{Exercise: fmt.Sprintf("exercise%d", i), Title: "Digits", Points: 1,
					Verdict: &verdict.Verdict{
						Stage: verdict.StageTests, Tests: verdict.Tests{Run: 1, Failed: 1, Output: printed},
					}}
				if i%2 == 1 {
					r.Verdict = &verdict.Verdict{Stage: verdict.StageBuild,
						Errors: []verdict.Problem{{File: "sum.go", Message: printed}}}
				}
				if TakesErrors(format) && i%10 == 0 {
					r.Verdict, r.Err = nil, errors.New(printed)
				}
				results = append(results, r)
			}
			doc := write(t, format, results)
			if len(doc) > 1<<20 {
				t.Errorf("%s, %q without end: %d bytes", format, endless, len(doc))
			}
			if d := decode(t, format, doc); len(d.tests) != 100 {
				t.Errorf("%s: %d tests", format, len(d.tests))
			}
		}
	}
	r := some("tests")
	r[0].Verdict.Tests.Output = strings.Repeat("x", 1<<20)
	for format, want := range map[string]int{JUnit: maxText, Gradescope: maxText, Exercism: exercismOutput} {
		doc := write(t, format, r)
		if n := bytes.Count(doc, []byte("x")); n < want-100 || n > want+10 {
			t.Errorf("%s keeps %d bytes of the output, want %d", format, n, want)
		}
	}
	// Results that do not fit at all are an error. They are not cut.
	many := make([]Result, 20_000)
	for i := range many {
		many[i] = some("passed")[0]
	}
	var b bytes.Buffer
	if err := Write(&b, JUnit, many, nil); !errors.Is(err, errTooLarge) || b.Len() > 0 {
		t.Errorf("20000 exercises: %v", err)
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"plain\ttext\n", 99, "plain\ttext"},
		{"a\r\nb\rc", 99, "a\nb\nc"},
		{"a\x00b\x07c\u009bd\x7f", 99, "abcd"},
		{"\x1b[31mred\x1b[0m \x1b]0;title\x07on", 99, "red on"},
		{"\xff\xfe", 99, "\ufffd\ufffd"},
		{"\ufffe\uffffx", 99, "x"},
		{"::error::no", 99, ": :error: :no"},
		{"::::", 99, ": : : :"},
		{":\x00:set-output", 99, ": :set-output"},
		{"##[set-output name=x;]1 ##vso[", 99, "# #[set-output name=x;]1 # #vso["},
		{"[[ATTACHMENT|/etc/passwd]] [[1 2] [3]]", 99, "[ [ATTACHMENT|/etc/passwd]] [[1 2] [3]]"},
		{"[\x00[attachment|x]]", 99, "[ [attachment|x]]"},
		{"\u202eabc\u2066", 99, "abc"},
		{"abcdefgh", 8, "abcdefgh"},
		{"abcdefghi", 8, "abcde..."},
		{"aé€😀xyz", 8, "aé..."},
		{"ééééé", 8, "éé..."},
		{strings.Repeat("\x00", 99), 8, "..."},
		{"abcdefghi", 0, ""},
		{"abcdefghi", 2, ""},
	} {
		got := clean(c.text, c.limit, "...")
		if got != c.want || len(got) > c.limit {
			t.Errorf("clean(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}
