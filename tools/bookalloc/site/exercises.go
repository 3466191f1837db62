package site

import (
	"fmt"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/tools/bookalloc/expand"
)

// An Exercise is an exercise with its page.
type Exercise struct {
	exercise.Summary
	Number int      `json:"number"` // the number in its ID
	Place  int      `json:"place"`  // from 1, in the order in which the workbook offers the exercises
	Book   string   `json:"book"`   // where the book shows it
	Lead   string   `json:"lead"`   // first sentence of the task, with inline code; Teaches would give the solution away
	Goals  []Goal   `json:"goals"`
	Hints  []string `json:"hint_texts"`
	Block  string   `json:"block"` // Markdown of the exercise as the book shows it
}

// A Goal is a benchmark's figure with the starter and its target, formatted for a reader.
type Goal struct {
	Benchmark string `json:"benchmark"`
	From      string `json:"from"`
	To        string `json:"to"`      // at most
	Unit      string `json:"unit"`    // "allocs/op" or "B/op"
	Reached   bool   `json:"reached"` // the starter meets the target already
}

func exercises(book *expand.Book) ([]Exercise, error) {
	var all []Exercise
	var blocks []expand.Page
	for i, e := range book.Catalog {
		page, err := book.ExercisePage(e.ID)
		if err != nil {
			return nil, err
		}
		goals, err := goals(e)
		if err != nil {
			return nil, err
		}
		x := Exercise{
			Summary: e.Summary(), Number: e.Number(), Place: i + 1, Book: href(page) + "#" + e.ID, Goals: goals,
			Lead: firstSentence(e.Task),
		}
		for _, h := range e.Hints {
			x.Hints = append(x.Hints, h.Text)
		}
		all = append(all, x)
		blocks = append(blocks, expand.Page{Path: e.Dir(), Text: fmt.Sprintf("{{#exercise %s}}\n", e.ID)})
	}
	expanded, err := book.Aside(Links, blocks)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Block = expanded[i]
	}
	return all, nil
}

// firstSentence returns the first sentence of a text on one line. A text without a full stop is one sentence.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if first, _, more := strings.Cut(text, ". "); more {
		return first + "."
	}
	return text
}

func goals(e *exercise.Exercise) (all []Goal, err error) {
	for _, b := range e.Benchmarks {
		starter, ok := e.StarterFigure(b.Name)
		if !ok {
			return nil, fmt.Errorf("%s: the starter's %s has not been measured: go run ./tools/checkalloc dev seal %s",
				e.ID, b.Name, e.ID)
		}
		allocs := Goal{b.Name, verdict.FormatCount(starter.AllocsPerOp), verdict.FormatCount(b.Allocs), "allocs/op",
			starter.AllocsPerOp <= b.Allocs}
		if allocs.To == "1" {
			allocs.Unit = "alloc/op"
		}
		all = append(all, allocs)
		if b.Bytes != nil {
			all = append(all, Goal{b.Name, verdict.FormatBytes(starter.BytesPerOp), verdict.FormatBytes(*b.Bytes),
				"B/op",
				starter.BytesPerOp <= *b.Bytes})
		}
		if b.Live != nil && starter.LiveBytesPerOp != nil {
			all = append(all, Goal{b.Name, verdict.FormatBytes(*starter.LiveBytesPerOp), verdict.FormatBytes(*b.Live),
				"live B/op", *starter.LiveBytesPerOp <= *b.Live})
		}
	}
	return all, nil
}
