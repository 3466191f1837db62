package site

import (
	"os"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/runner/room"
	"onthestack/tools/bookalloc/expand"
)

// TestQuestions tests that a room can be asked each question of the book, with its answer and its code.
func TestQuestions(t *testing.T) {
	book := workbook(t)
	var err error
	if book.Catalog, err = exercise.Sealed(); err != nil {
		t.Fatal(err)
	}
	list, files, err := questions(book)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, p := range book.Pages {
		asked += strings.Count(p.Text, "\n{{#predict ") + strings.Count(p.Text, "\n{{#question ")
	}
	listed := map[string]bool{}
	for _, c := range list {
		for _, l := range c.Questions {
			q := files[l.ID]
			figure := q.Unit != "" && q.Now != nil && q.Now.Figure <= room.MaxAnswer && len(q.Choices) == 0
			choice := q.Unit == "" && q.Right < len(q.Choices) && q.Now == nil
			if q.ID != l.ID || listed[l.ID] || q.Ask == "" || q.Page == "" || l.Choices != len(q.Choices) ||
				!room.ValidQuestion(q.ID, len(q.Choices)) || figure == choice || figure && len(q.Code) == 0 {
				t.Errorf("a room cannot be asked %+v", q)
			}
			if at := strings.TrimSuffix(l.ID, "_bytes"); !strings.HasSuffix(q.Href, "#"+at) {
				t.Errorf("%s is at %s", l.ID, q.Href)
			}
			listed[l.ID] = true
		}
	}
	if len(listed) != len(files) || len(listed) < asked {
		t.Errorf("%d questions are listed, there are %d, and the pages ask %d", len(listed), len(files), asked)
	}
	code := files["predict-memory-profiling-interface_bytes"].Code
	if !slices.ContainsFunc(code, func(c expand.AskedCode) bool { return strings.Contains(c.Text, "func Benchmark") }) {
		t.Errorf("the first prediction of the plans has the code %v", code)
	}
}

// TestPlannedQuestions tests that the book has the questions that the plans name in their front matter.
func TestPlannedQuestions(t *testing.T) {
	book := workbook(t)
	var err error
	if book.Catalog, err = exercise.Sealed(); err != nil {
		t.Fatal(err)
	}
	_, files, err := questions(book)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := expand.ReadPages(os.DirFS("../../../site/content/instructors"))
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, p := range texts {
		matter, _, _ := strings.Cut(strings.TrimPrefix(p.Text, "---\n"), "\n---\n")
		_, list, _ := strings.Cut(matter, "\nquestions:")
		for line := range strings.Lines(list) {
			id, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
			if !ok {
				continue
			}
			named++
			if _, ok := files[id]; !ok {
				t.Errorf("%s names %q, which is no question of the book", p.Path, id)
			}
		}
	}
	if named < 8 {
		t.Errorf("the plans name %d questions", named)
	}
}
