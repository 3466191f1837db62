package site

import (
	"reflect"
	"strings"
	"testing"

	"onthestack/internal/exercise"
)

func TestGoals(t *testing.T) {
	bytes := 64.0
	e := &exercise.Exercise{ID: "exercise1"}
	e.Benchmarks = []exercise.Benchmark{{Name: "BenchmarkA", Allocs: 1, Bytes: &bytes}, {Name: "BenchmarkB",
		Allocs: 0.5}}
	e.Figures = &exercise.Figures{Starter: []exercise.Figure{{Name: "BenchmarkB", AllocsPerOp: 2.25},
		{Name: "BenchmarkA", AllocsPerOp: 1, BytesPerOp: 79.6}}}
	got, err := goals(e)
	want := []Goal{
		{"BenchmarkA", "1", "1", "alloc/op", true},
		{"BenchmarkA", "80", "64", "B/op", false},
		{"BenchmarkB", "2.3", "0.5", "allocs/op", false},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestGoalsUnmeasured(t *testing.T) {
	e := &exercise.Exercise{ID: "exercise9"}
	e.Benchmarks = []exercise.Benchmark{{Name: "BenchmarkA"}}
	for _, figures := range []*exercise.Figures{nil, {Starter: []exercise.Figure{{Name: "BenchmarkB"}}}} {
		e.Figures = figures
		if _, err := goals(e); err == nil || !strings.Contains(err.Error(), "dev seal exercise9") {
			t.Errorf("error %v", err)
		}
	}
}
