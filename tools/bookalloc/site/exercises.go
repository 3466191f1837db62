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
	Number int    `json:"number"` // the number in its ID
	Place  int    `json:"place"`  // from 1, in the order in which the workbook offers the exercises
	Book   string `json:"book"`   // where the book shows it
	Lead   string `json:"lead"`   // first sentence of the task, with inline code; Teaches would give the solution away
	Goals  []Goal `json:"goals"`
	Block  string `json:"block"` // Markdown of the exercise as the book shows it
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
		all = append(all, Exercise{
			Summary: e.Summary(), Number: e.Number(), Place: i + 1, Book: href(page) + "#" + e.ID, Goals: goals,
			Lead: firstSentence(e.Task),
		})
		blocks = append(blocks, expand.Page{Path: e.Dir(), Text: fmt.Sprintf("{{#exercise %s}}\n", e.ID)})
	}
	expanded, err := book.Aside(blocks)
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
		goal := func(from, to float64, format func(float64) string, unit string) {
			all = append(all, Goal{b.Name, format(from), format(to), unit, from <= to})
		}
		goal(starter.AllocsPerOp, b.Allocs, verdict.FormatCount, verdict.AllocsUnit(verdict.FormatCount(b.Allocs)))
		if b.Bytes != nil {
			goal(starter.BytesPerOp, *b.Bytes, verdict.FormatBytes, "B/op")
		}
		if b.Live != nil && starter.LiveBytesPerOp != nil {
			goal(*starter.LiveBytesPerOp, *b.Live, verdict.FormatBytes, "live B/op")
		}
	}
	return all, nil
}
