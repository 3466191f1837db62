package terminal

import (
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/present"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// TestNext tests the next step after checks that were stopped, which depends on where they were stopped.
func TestNext(t *testing.T) {
	stopped := []verdict.Problem{
		{File: "a.go", Message: "the build ran longer than 60s and was stopped", Stopped: true},
	}
	one, few, many := 1.0, 72.0, 4133.0
	together := verdict.Allocation{Line: 7, Reasons: []verdict.Reason{{
		Flow: []escape.Step{{File: "x.go", Line: 9, Message: "passed to f, which may keep it"}}}}}
	copied, also := together, together // copied is of the same value, in a function that was inlined
	also.Line = 8
	for _, c := range []struct {
		name string
		v    verdict.Verdict
		want string
	}{
		{"a build that reached a limit", verdict.Verdict{Stage: verdict.StageBuild, Errors: stopped},
			"give the compiler less to do"},
		{"a line that does not compile", verdict.Verdict{Stage: verdict.StageBuild,
			Errors: []verdict.Problem{{File: "a.go", Line: 3, Message: "it takes long and was stopped"}}},
			"correct line 3 of a.go"},
		{"tests that did not end", verdict.Verdict{Stage: verdict.StageTests,
			Tests: verdict.Tests{Run: 2, Failed: 2, Unfinished: true}}, "find the code that does not end"},
		{"tests that fail", verdict.Verdict{Stage: verdict.StageTests, Tests: verdict.Tests{Run: 2, Failed: 2}},
			"make the tests pass again"},
		{"bytes that stay in use", verdict.Verdict{Stage: verdict.StageBenchmark, Benchmarks: []verdict.Benchmark{
			{Name: "BenchmarkA", AllocsPerOp: 1, TargetAllocs: &one, LiveBytesPerOp: &many, TargetLiveBytes: &few}}},
			"live B/op must go down from 4133 to 72: look for a result"},
		{"a kind of which much is known", verdict.Verdict{Stage: verdict.StageBenchmark,
			Allocations: []verdict.Allocation{{
				Line: 7, Kind: why.AppendGrew, Why: "the array that append grows moves to the heap"}}},
			"line 7: make the slice with the capacity that it will need."},
		{"a kind whose remedies the exercise does not practice", verdict.Verdict{Stage: verdict.StageBenchmark,
			Exercise: "exercise14", Allocations: []verdict.Allocation{{Line: 7, Kind: why.Conversion}}},
			"read what the compiler says around line 7"},
		{"a kind of which little is known", verdict.Verdict{Stage: verdict.StageBenchmark, Exercise: "exercise14",
			Allocations: []verdict.Allocation{{Line: 7, Kind: why.Unexplained}}},
			"read what the compiler says around line 7: go build -gcflags=-m=2 ./exercises/exercise14"},
		{"a kind of which little is known, before another", verdict.Verdict{Stage: verdict.StageBenchmark,
			Allocations: []verdict.Allocation{{Line: 7, Kind: why.Unexplained}, {Line: 8, Kind: why.MapGrew}}},
			"line 8: give make the number of entries"},
		{"no line", verdict.Verdict{Stage: verdict.StageBenchmark},
			"no counted allocation was made by one of your lines"},
		{"too many bytes", verdict.Verdict{Stage: verdict.StageBenchmark, Benchmarks: []verdict.Benchmark{
			{Name: "BenchmarkA", AllocsPerOp: 1, TargetAllocs: &one, BytesPerOp: many, TargetBytes: &few}},
			Allocations: []verdict.Allocation{{Benchmark: "BenchmarkA", Line: 7, BytesPerOp: 33},
				{Benchmark: "BenchmarkA", Line: 8, BytesPerOp: 4100},
				{Benchmark: "BenchmarkB", Line: 9, BytesPerOp: 9999}}},
			"allocs/op meet their target, so the objects must become smaller: line 8 makes 99 % of the bytes."},
		{"too many bytes on no line", verdict.Verdict{Stage: verdict.StageBenchmark, Benchmarks: []verdict.Benchmark{
			{Name: "BenchmarkA", AllocsPerOp: 1, TargetAllocs: &one, BytesPerOp: many, TargetBytes: &few}}},
			"allocs/op meet their target, so the objects must become smaller: by 4061 B/op."},
		{"flows that end together", verdict.Verdict{Stage: verdict.StageBenchmark,
			Allocations: []verdict.Allocation{together, copied, also}}, "2 of the values above get to the heap on line 9"},
	} {
		got := present.Wrap(next(&c.v, []string{"growth"}), 200)
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
