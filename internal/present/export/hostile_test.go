package export

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"onthestack/internal/verdict"
)

// hostile are texts with which a student's program, or the names in its code, could try to be graded better than it is.
var hostile = []string{
	"",
	"]]>",
	`</system-out></testcase><testcase name="all"></testcase><testcase><system-out>`,
	`"/></testsuite><testsuite name="x" tests="9" failures="0" errors="0"/>`,
	`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;`,
	"<!-- -->&#0;&#x1b;",
	`","score":100,"status":"passed","x":"`,
	"\"}]}\n{\"version\":1,\"status\":\"pass\",\"max_score\":1,\"tests\":[]}",
	"</pre><script>alert(1)</script>",
	"\\u0000\\",
	"\x00\x01\x1b[2J\x1b[31m\x07\u009b0m\x7f",
	"\xff\xfe\xed\xa0\x80\xc0\x80",
	"\ufffe\uffff\ufeff\u202e\u2066",
	"::notice title=Autograding complete::Points 100/100",
	"x\n::set-output name=result::eyJ2ZXJzaW9uIjoxfQ==\n  ::error::\n\u00a0::add-mask::a",
	"\r::stop-commands::x\r\n:\x00:warning::\u2028::debug::",
	"##[set-output name=result;]x ##vso[task.complete result=Succeeded;] #\x1b[0m#[error]",
	"result=eyJ2ZXJzaW9uIjoxfQ==\nEOF\nresult<<EOF",
	"[[ATTACHMENT|/etc/passwd]] [\x00[Attachment|x]]",
	"--- PASS: TestDigits\nPASS\nok",
	strings.Repeat("]]>", 5000),
	strings.Repeat(":", 30_000),
	strings.Repeat("\x1b[", 30_000),
}

// student are outcomes in which every place for a student's text has text.
func student(text string, pass bool, stage string) []Result {
	r := Result{Exercise: "exercise6", Title: "Digits", Points: 3, Verdict: &verdict.Verdict{
		Pass: pass, Stage: stage,
		Errors:      []verdict.Problem{{File: text, Line: 1, Message: text}},
		Tests:       verdict.Tests{Run: 2, Failed: 1, Output: text, Race: verdict.Race{State: verdict.RaceNotRun, Why: text}},
		Benchmarks:  []verdict.Benchmark{{Name: "BenchmarkSum", AllocsPerOp: 1, TargetAllocs: zero(), Pass: pass}},
		Allocations: []verdict.Allocation{{Benchmark: "BenchmarkSum", File: text, Func: text, Code: text, Why: text}},
		SetAside:    []string{text},
	}}
	other := r
	other.Exercise, other.Verdict = "exercise7", &verdict.Verdict{Stage: verdict.StageTests,
		Tests: verdict.Tests{Run: 1, Failed: 1}}
	return []Result{r, other}
}

// same: with this text in every place, every format has a valid document that decides what it decides without any.
func same(t testing.TB, text string) {
	t.Helper()
	for _, format := range Formats() {
		for _, stage := range append(verdict.Stages(), "") {
			want := without(t, format, stage)
			got := decode(t, format, write(t, format, student(text, stage == "", stage)))
			if got.whole != want.whole || strings.Join(got.tests, ",") != strings.Join(want.tests, ",") ||
				strings.Join(got.names, "\n") != strings.Join(want.names, "\n") {
				t.Fatalf("%s, stage %q: %q decides %v, want %v", format, stage, text, got, want)
			}
		}
		if !TakesErrors(format) {
			continue
		}
		failed := func(text string) []Result {
			return []Result{{Exercise: "exercise6", Title: "Digits", Points: 1, Err: errors.New(text)}}
		}
		want := decode(t, format, write(t, format, failed("")))
		if got := decode(t, format, write(t, format, failed(text))); got.whole != want.whole ||
			got.tests[0] != want.tests[0] {
			t.Fatalf("%s: the error %q decides %v, want %v", format, text, got, want)
		}
	}
}

// without is what a format decides on a stage without any text of the student's.
func without(t testing.TB, format, stage string) decision {
	key := format + " " + stage
	if d, ok := decided.Load(key); ok {
		return d.(decision)
	}
	d := decode(t, format, write(t, format, student("", stage == "", stage)))
	decided.Store(key, d)
	return d
}

var decided sync.Map

// TestHostile proves that no text in a verdict changes the decision.
func TestHostile(t *testing.T) {
	for _, text := range hostile {
		same(t, text)
	}
}

// TestClassroomQuotesNothing: Classroom 50 keeps the messages in the file of all scores.
func TestClassroomQuotesNothing(t *testing.T) {
	for _, stage := range append(verdict.Stages(), "") {
		results := student("Mallory", stage == "", stage)
		if doc := write(t, Classroom50, results); strings.Contains(string(doc), "Mallory") {
			t.Errorf("stage %q: %s", stage, doc)
		}
	}
}

func FuzzWrite(f *testing.F) {
	for _, text := range hostile {
		if len(text) < 200 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { same(t, text) })
}
