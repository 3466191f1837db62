package site

import (
	"bytes"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
	"onthestack/tools/bookalloc/expand"
)

// TestMistakes tests that each likely mistake has the files that an editor needs: the files that a solver edits, one of
// them with the change.
func TestMistakes(t *testing.T) {
	book := workbook(t)
	var err error
	if book.Catalog, err = exercise.Sealed(); err != nil {
		t.Fatal(err)
	}
	got, err := mistakes(book)
	if err != nil {
		t.Fatal(err)
	}
	measured, err := bookdata.ReadMeasuredMisconceptions(book.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range book.Catalog {
		want := measured.Exercises[e.ID]
		if len(want) == 0 || len(got[e.ID]) != len(want) {
			t.Errorf("%s has %d mistakes, %d are measured", e.ID, len(got[e.ID]), len(want))
			continue
		}
		for i, m := range got[e.ID] {
			if m.Name != want[i].Name || m.Title != want[i].Title {
				t.Errorf("%s: mistake %d is %s, %q, want %s, %q", e.ID, i, m.Name, m.Title, want[i].Name, want[i].Title)
			}
			var changed []string
			for name, starter := range e.Starter() {
				if !bytes.Equal(starter, []byte(m.Files[name])) {
					changed = append(changed, name)
				}
			}
			if len(m.Files) != len(e.Starter()) || !slices.Equal(changed, []string{want[i].File}) {
				t.Errorf("%s, %s: of %d files %q are changed, want %s", e.ID, m.Name, len(m.Files), changed,
					want[i].File)
			}
		}
	}
}

func TestPrograms(t *testing.T) {
	book := workbook(t)
	book.Pages = []expand.Page{
		{Path: "introduction.md", Text: "# Introduction\n\n{{#run memory-profiling/listings/demo/main.go}}\n"},
		{Path: "interpolation/README.md", Text: "# Interpolation\n"},
		{Path: "memory-profiling/README.md", Text: "# Memory profiling\n"},
		{Path: "memory-profiling/program.md", Text: "# The program\n\n" +
			"{{#run memory-profiling/listings/demo/main.go:main}}\n\n{{#run memory-profiling/listings/sizes/" +
			"main.go}}\n"},
		{Path: "memory-profiling/gains.md", Text: "# Gains\n"},
	}
	all, err := programs(book)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].Chapter != "Memory profiling" || len(all[0].Programs) != 1 ||
		all[0].Programs[0].Title != "The program" {
		t.Fatalf("got %+v, want one program of one chapter", all)
	}
	text := all[0].Programs[0].Text
	file, err := parser.ParseFile(token.NewFileSet(), "main.go", text, 0)
	if err != nil || file.Name.Name != "main" || file.Scope.Lookup("main") == nil ||
		bytes.Contains([]byte(text), []byte("ANCHOR")) {
		t.Errorf("the program is\n%s\n%v", text, err)
	}
	book.Pages[3].Text = "# The program\n\n{{#run memory-profiling/listings/interface/stream.go}}\n"
	if _, err := programs(book); err == nil {
		t.Error("a listing that cannot be run causes no error")
	}
}
