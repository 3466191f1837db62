package advice

import (
	"slices"
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// practiced returns an exercise that practices growth.
func practiced() *exercise.Exercise {
	return &exercise.Exercise{ID: "exercise14", Manifest: exercise.Manifest{
		Techniques: []string{"growth"}, Edit: []string{"a.go"}, Imports: []string{"golang.org/x/text/width"},
	}}
}

// TestNext tests the next step by the stage that failed, and by where a check was stopped.
func TestNext(t *testing.T) {
	one, few, many := 1.0, 72.0, 4133.0
	together := verdict.Allocation{Line: 7, Reasons: []verdict.Reason{{
		Flow: []escape.Step{{File: "x.go", Line: 9, Message: "passed to f, which may keep it"}}}}}
	copied, also := together, together // copied is of the same value, in a function that was inlined
	also.Line = 8
	built := func(p verdict.Problem) verdict.Verdict {
		return verdict.Verdict{Stage: verdict.StageBuild, Errors: []verdict.Problem{p}}
	}
	measured := func(a ...verdict.Allocation) verdict.Verdict {
		return verdict.Verdict{Stage: verdict.StageBenchmark, Allocations: a}
	}
	missing := func(b verdict.Benchmark, a ...verdict.Allocation) verdict.Verdict {
		return verdict.Verdict{Stage: verdict.StageBenchmark, Benchmarks: []verdict.Benchmark{b}, Allocations: a}
	}
	for _, c := range []struct {
		name string
		v    verdict.Verdict
		want verdict.Advice
	}{
		{"a missing file",
			verdict.Verdict{Stage: verdict.StagePolicy, Errors: []verdict.Problem{{File: "a.go", Message: "it is missing"}}},
			verdict.Advice{Kind: verdict.AdviseFile, File: "a.go", Text: "correct a.go first, as described above."}},
		{"a goroutine",
			verdict.Verdict{Stage: verdict.StagePolicy, Errors: []verdict.Problem{{File: "a.go", Line: 9, Message: "go"}}},
			verdict.Advice{Kind: verdict.AdvisePolicy, File: "a.go", Line: 9,
				Text: "remove what the policy refuses on line 9; a solution does not need it."}},
		{"a build that reached a limit",
			built(verdict.Problem{File: "a.go", Message: "the build ran longer than 60s and was stopped", Stopped: true}),
			verdict.Advice{Kind: verdict.AdviseLimit, File: "a.go", Text: "give the compiler less to do: the build reached " +
				"the limit named above."}},
		{"a line that does not compile",
			built(verdict.Problem{File: "a.go", Line: 3, Message: "it takes long and was stopped"}),
			verdict.Advice{Kind: verdict.AdviseBuild, File: "a.go", Line: 3, Text: "correct line 3 of a.go."}},
		{"errors without a line", built(verdict.Problem{File: "a.go", Message: "the build failed"}),
			verdict.Advice{Kind: verdict.AdviseBuild, File: "a.go", Text: "correct the errors that the compiler reports."}},
		{"another signature", built(verdict.Problem{File: "a_test.go", Line: 3, Message: "too many arguments in call"}),
			verdict.Advice{Kind: verdict.AdviseSignature, File: "a_test.go", Line: 3, Text: "keep the names and parameters " +
				"that the starter has: the tests call them."}},
		{"an import that is not used", built(verdict.Problem{File: "a.go", Line: 5, Message: `"io" imported and not used`}),
			verdict.Advice{Kind: verdict.AdviseImports, File: "a.go", Line: 5,
				Text: "remove the import of `io` on line 5: the code does not use it any more."}},
		{"an import with a name", built(verdict.Problem{File: "a.go", Line: 5,
			Message: `"math/rand/v2" imported as rand and not used`}),
			verdict.Advice{Kind: verdict.AdviseImports, File: "a.go", Line: 5,
				Text: "remove the import of `math/rand/v2` on line 5: the code does not use it any more."}},
		{"an import that is missing", built(verdict.Problem{File: "a.go", Line: 12, Message: "undefined: utf8"}),
			verdict.Advice{Kind: verdict.AdviseImports, File: "a.go", Line: 12,
				Text: "import `unicode/utf8`, which line 12 uses."}},
		{"an import that this exercise allows", built(verdict.Problem{File: "a.go", Line: 12, Message: "undefined: width"}),
			verdict.Advice{Kind: verdict.AdviseImports, File: "a.go", Line: 12,
				Text: "import `golang.org/x/text/width`, which line 12 uses."}},
		{"a name that is no package", built(verdict.Problem{File: "a.go", Line: 12, Message: "undefined: fmt"}),
			verdict.Advice{Kind: verdict.AdviseBuild, File: "a.go", Line: 12, Text: "correct line 12 of a.go."}},
		{"tests that did not end", verdict.Verdict{Stage: verdict.StageTests,
			Tests: verdict.Tests{Run: 2, Failed: 2, Unfinished: true}},
			verdict.Advice{Kind: verdict.AdviseEndless, Text: "find the line of the code that does not end, or that ends the " +
				"program.", Command: "go test -timeout 10s ./exercises/exercise14"}},
		{"tests that fail", verdict.Verdict{Stage: verdict.StageTests, Tests: verdict.Tests{Run: 2, Failed: 2}},
			verdict.Advice{Kind: verdict.AdviseTests, Text: "make the tests pass again.",
				Command: "go test ./exercises/exercise14"}},
		{"a benchmark that did not finish", verdict.Verdict{Stage: verdict.StageBenchmark,
			Tests: verdict.Tests{Output: "panic"}},
			verdict.Advice{Kind: verdict.AdviseBenchmark, Text: "make the benchmark finish.",
				Command: "go test -timeout 10s -run '^$' -bench . -benchtime 1000x ./exercises/exercise14"}},
		{"memory for later operations", missing(verdict.Benchmark{Name: "BenchmarkA", Why: "it allocates ahead"}),
			verdict.Advice{Kind: verdict.AdviseAhead, Text: "do not allocate memory ahead for later operations: let all " +
				"operations reuse the same memory."}},
		{"bytes that stay in use", missing(verdict.Benchmark{Name: "BenchmarkA", AllocsPerOp: 1, TargetAllocs: &one,
			LiveBytesPerOp: &many, TargetLiveBytes: &few}),
			verdict.Advice{Kind: verdict.AdviseLive, Text: "live B/op must go down from 4133 to 72: look for a result that " +
				"is a part of something longer, which it keeps in memory as a whole."}},
		{"a kind of which much is known", measured(verdict.Allocation{File: "a.go", Line: 7, Kind: why.AppendGrew}),
			verdict.Advice{Kind: verdict.AdviseRemedy, File: "a.go", Line: 7,
				Text: "line 7: make the slice with the capacity that it will need."}},
		{"a kind whose remedies the exercise does not practice",
			measured(verdict.Allocation{File: "a.go", Line: 6, Kind: why.Callee},
				verdict.Allocation{File: "a.go", Line: 7, Kind: why.Conversion, Reasons: []verdict.Reason{{Line: 7}}}),
			verdict.Advice{Kind: verdict.AdviseReport, File: "a.go", Line: 7,
				Text: "read what the compiler says around line 7.", Command: "go build -gcflags=-m=2 ./exercises/exercise14"}},
		{"nothing that leads further", measured(verdict.Allocation{File: "a.go", Line: 7, Kind: why.Callee}),
			verdict.Advice{}},
		{"a line of a file that is not edited",
			measured(verdict.Allocation{File: "a_test.go", Line: 7, Kind: why.MapGrew}),
			verdict.Advice{Kind: verdict.AdviseRemedy, File: "a_test.go", Line: 7,
				Text: "line 7 of a_test.go: give make the number of entries."}},
		{"a kind of which little is known, before another",
			measured(verdict.Allocation{File: "a.go", Line: 7, Kind: why.Unexplained},
				verdict.Allocation{File: "a.go", Line: 8, Kind: why.MapGrew}),
			verdict.Advice{Kind: verdict.AdviseRemedy, File: "a.go", Line: 8,
				Text: "line 8: give make the number of entries."}},
		{"no line", measured(),
			verdict.Advice{Kind: verdict.AdviseElsewhere, Text: "no counted allocation was made by one of your lines, or by " +
				"a function that they call: look for a goroutine that your code starts."}},
		{"too many bytes", missing(
			verdict.Benchmark{Name: "BenchmarkA", AllocsPerOp: 1, TargetAllocs: &one, BytesPerOp: many, TargetBytes: &few},
			verdict.Allocation{Benchmark: "BenchmarkA", File: "a.go", Line: 7, BytesPerOp: 33},
			verdict.Allocation{Benchmark: "BenchmarkA", File: "a.go", Line: 8, BytesPerOp: 4100},
			verdict.Allocation{Benchmark: "BenchmarkB", File: "a.go", Line: 9, BytesPerOp: 9999}),
			verdict.Advice{Kind: verdict.AdviseBytes, File: "a.go", Line: 8, Text: "allocs/op meet their target, so the " +
				"objects must become smaller: line 8 makes 99 % of the bytes."}},
		{"too many bytes on no line", missing(
			verdict.Benchmark{Name: "BenchmarkA", AllocsPerOp: 1, TargetAllocs: &one, BytesPerOp: many, TargetBytes: &few}),
			verdict.Advice{Kind: verdict.AdviseBytes, Text: "allocs/op meet their target, so the objects must become " +
				"smaller: by 4061 B/op."}},
		{"flows that end together", measured(together, copied, also),
			verdict.Advice{Kind: verdict.AdviseEnd, File: "x.go", Line: 9, Text: "2 of these values get to the heap on " +
				"line 9: a change there helps all of them."}},
	} {
		got := Of(practiced(), &c.v, nil)
		want := []verdict.Advice{c.want}
		if c.want.Kind == "" {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
	}
}

// TestNextOfCallees tests the next step for lines that call functions of the standard library, by the technique that the
// exercise practices.
func TestNextOfCallees(t *testing.T) {
	for _, c := range []struct {
		technique string
		callees   []string // outermost first
		want      string   // "" for nothing
	}{
		{"pool", []string{"compress/gzip.(*Writer).Write", "compress/flate.NewWriter"},
			"keep the compressor or decompressor, for example in a sync.Pool, and call Reset before the next use."},
		{"pool", []string{"io.Copy", "compress/flate.NewReader"},
			"keep the compressor or decompressor, for example in a sync.Pool, and call Reset before the next use."},
		{"scratch", []string{"regexp.MustCompile", "regexp.compile"}, "compile the expression once, and not in each call."},
		{"value", []string{"regexp.(*Regexp).FindStringSubmatch"}, "use a method that returns positions instead of text."},
		{"value", []string{"regexp.MustCompile"}, ""},
		{"scratch", []string{"io.ReadAll"}, "read into a bytes.Buffer that is used again."},
		{"scratch", []string{"example.org/x.Load", "io.ReadAll"}, ""},
		{"size", []string{"strings.ToLower"}, "write the letters into an array, if their number is limited."},
		{"scratch", []string{"time.After", "time.NewTimer"}, "make one timer, and call Reset each time you wait."},
		{"pool", []string{"time.After"}, ""},
		{"append", []string{"strings.ToLower"},
			"look for a function that takes a buffer, such as an Append function."},
		{"scratch", []string{"encoding/json.Marshal"}, ""},
		{"scratch", nil, ""},
	} {
		e := practiced()
		e.Techniques = []string{c.technique}
		got := ""
		for _, a := range Of(e, &verdict.Verdict{Stage: verdict.StageBenchmark, Allocations: []verdict.Allocation{
			{File: "a.go", Line: 7, Kind: why.Callee, Callees: c.callees},
		}}, nil) {
			got = strings.TrimPrefix(a.Text, "line 7: ")
		}
		if got != c.want {
			t.Errorf("%s, %q: got %q, want %q", c.technique, c.callees, got, c.want)
		}
	}
}

// TestMistake tests when a likely mistake is recognized.
func TestMistake(t *testing.T) {
	code := func(text string) map[string][]byte { return map[string][]byte{"a.go": []byte(text), "b_test.go": {}} }
	known := func(name, text string, figures ...exercise.MistakeFigure) exercise.Mistake {
		return exercise.Mistake{Name: name, Title: "Title of " + name, Say: "Why?", Figures: figures,
			Code: exercise.Fingerprint(map[string][]byte{"a.go": []byte(text)})}
	}
	figure := func(allocs, bytes string) exercise.MistakeFigure {
		return exercise.MistakeFigure{Name: "B", Allocs: allocs, Bytes: bytes}
	}
	e := practiced()
	e.Figures = &exercise.Figures{Starter: []exercise.Figure{{Name: "B", AllocsPerOp: 2, BytesPerOp: 112}}}
	e.Mistakes = []exercise.Mistake{
		known("as-starter", "package a\nvar x = *y", figure("2", "112")),
		known("five", "package a\nvar x = five()", figure("5", "592")),
		known("broken", "package a\nvar x = broken()"),
		known("one", "package a\nvar x = 1", figure("7", "8")),
		known("two", "package a\nvar x = 2", figure("7", "8")),
	}
	measured := func(allocs, bytes float64) verdict.Verdict {
		return verdict.Verdict{Stage: verdict.StageBenchmark,
			Benchmarks: []verdict.Benchmark{{Name: "B", AllocsPerOp: allocs, BytesPerOp: bytes}}}
	}
	confirming := measured(5, 592)
	confirming.Benchmarks[0].Confirms = "A"
	failed := verdict.Verdict{Stage: verdict.StageTests}
	const other = "package a\nvar x = other()"
	for _, c := range []struct {
		name string
		v    verdict.Verdict
		text string
		want string
	}{
		{"its code", measured(2, 112), "package a\nvar x = *y", "as-starter"},
		{"its code, with comments and line breaks", failed, "// Package a.\npackage a\n\nvar x =\n  broken( /* no */ );\n",
			"broken"},
		{"the starter's figures", measured(2, 112), other, ""},
		{"its figures", measured(5, 592), other, "five"},
		{"nearly its figures", measured(5, 600), other, ""},
		{"the figures of two", measured(7, 8), other, ""},
		{"figures of random inputs", confirming, other, ""},
		{"its code, with figures of random inputs", confirming, "package a\nvar x = five()", "five"},
		{"tests that fail", failed, other, ""},
		{"no figures", verdict.Verdict{Stage: verdict.StageBenchmark}, other, ""},
		{"a pass", verdict.Verdict{Pass: true}, "package a\nvar x = five()", ""},
		{"no text", measured(1, 1), "", ""},
	} {
		if got := mistake(e, &c.v, code(c.text)); name(got) != c.want {
			t.Errorf("%s: got %q, want %q", c.name, name(got), c.want)
		}
	}
	got := Of(e, &failed, code("package a\nvar x = broken()"))
	want := verdict.Advice{Kind: verdict.AdviseMistake, File: "a.go", Text: "Title of broken. Why?", Mistake: "broken"}
	if len(got) != 2 || got[0] != want || got[1].Kind != verdict.AdviseTests {
		t.Errorf("got %+v, want %+v and the next step", got, want)
	}
}

func name(m *exercise.Mistake) string {
	if m == nil {
		return ""
	}
	return m.Name
}

// TestSealedMistakes proves that the exercises have likely mistakes, and that what is said about them contains no line
// of a solution.
func TestSealedMistakes(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range catalog {
		if len(e.Mistakes) == 0 {
			t.Errorf("%s has no likely mistakes: run \"go run ./tools/checkalloc dev misconceptions %[1]s\" and \"dev seal "+
				"%[1]s\"", e.ID)
		}
		starter := ""
		for _, text := range e.Starter() {
			starter += string(text)
		}
		for _, m := range e.Mistakes {
			for _, text := range e.Solution {
				for line := range strings.Lines(string(text)) {
					line = strings.TrimSpace(line)
					if len(line) >= 12 && !strings.HasPrefix(line, "//") && !strings.Contains(starter, line) &&
						strings.Contains(m.Say, line) {
						t.Errorf("%s, %s: what is said contains the solution's line %q", e.ID, m.Name, line)
					}
				}
			}
		}
	}
}
