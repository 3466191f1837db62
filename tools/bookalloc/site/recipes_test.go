package site

import (
	"reflect"
	"strings"
	"testing"

	"onthestack/internal/bookdata"
	"onthestack/tools/bookalloc/expand"
)

// TestRecipes tests that the index has every recipe of the book, with what was measured on the newest release.
func TestRecipes(t *testing.T) {
	book := workbook(t)
	got, err := recipes(book)
	if err != nil {
		t.Fatal(err)
	}
	found, err := book.Recipes()
	if err != nil || len(found) == 0 || len(got) != len(found) {
		t.Fatalf("%d recipes in the index, %d in the book, error %v", len(got), len(found), err)
	}
	h, err := bookdata.ReadHistory(book.Files)
	if err != nil {
		t.Fatal(err)
	}
	names := h.Names()
	newest := strings.TrimPrefix(names[len(names)-1], "go")
	seen := map[string]bool{}
	for _, r := range got {
		if r.Title == "" || r.Lead == "" || len(r.Terms) == 0 || seen[r.Href] || !strings.HasPrefix(r.Href, "/book/") {
			t.Errorf("incomplete, or listed twice: %+v", r)
		}
		seen[r.Href] = true
		if f := r.Figures[0]; f.Number != newest || f.Before == "" || f.After == "" {
			t.Errorf("%s: got %+v, want figures on Go %s", r.Title, f, newest)
		}
	}
}

// TestRecipeFigures tests recipes whose programs not every release can build.
func TestRecipeFigures(t *testing.T) {
	measured := func(allocs float64) bookdata.Measurement {
		return bookdata.Measurement{Benchmarks: []bookdata.Benchmark{{Name: "BenchmarkX", AllocsPerOp: allocs}}}
	}
	h := &bookdata.History{
		Releases: map[string]string{"go1.9": "go1.9.7", "go1.10": "go1.10.8", "go1.11": "go1.11.13"},
		Listings: map[string]map[string]bookdata.Measurement{
			"old": {"go1.10": measured(3), "go1.11": measured(2.5)},
			"new": {"go1.11": measured(0)},
		},
	}
	old := expand.RecipeBenchmark{Listing: "old", Benchmark: "BenchmarkX"}
	got, err := recipeFigures(h, expand.Recipe{Before: old, After: expand.RecipeBenchmark{Listing: "new"}})
	want := []RecipeFigure{{"1.11", "2.5", "0"}, {"1.10", "3", ""}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	old.Benchmark = "BenchmarkY"
	if _, err := recipeFigures(h, expand.Recipe{Before: old, After: old}); err == nil {
		t.Error("no error for a benchmark that is not measured")
	}
}
