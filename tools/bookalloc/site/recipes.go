package site

import (
	"errors"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
	"onthestack/tools/bookalloc/expand"
)

// A Recipe is a recipe of the book, as the index lists it.
type Recipe struct {
	Title   string         `json:"title"`
	Lead    string         `json:"lead"` // HTML
	Terms   []string       `json:"terms"`
	Href    string         `json:"href"`
	Figures []RecipeFigure `json:"figures"` // newest release first
}

// A RecipeFigure has the allocs/op of a recipe's two programs on a release of Go.
type RecipeFigure struct {
	Number string `json:"number"` // of the release: "1.27"
	Before string `json:"before"` // "" if the release cannot build the program
	After  string `json:"after"`
}

func recipes(book *expand.Book) ([]Recipe, error) {
	found, err := book.Recipes()
	if err != nil {
		return nil, err
	}
	history, err := bookdata.ReadHistory(book.Files)
	if err != nil {
		return nil, err
	}
	all := []Recipe{}
	var problems []error
	for _, r := range found {
		figures, err := recipeFigures(history, r)
		problems = append(problems, err)
		all = append(all, Recipe{Title: r.Title, Lead: expand.Prose(r.Lead), Terms: r.Terms, Href: href(r.Page),
			Figures: figures})
	}
	return all, errors.Join(problems...)
}

// recipeFigures returns the figures of a recipe on each release that can build one of its programs.
func recipeFigures(h *bookdata.History, r expand.Recipe) (all []RecipeFigure, err error) {
	var problems []error
	on := func(release string, b expand.RecipeBenchmark) string {
		if _, ok := h.Listings[b.Listing][release]; !ok {
			return ""
		}
		figure, _, err := h.Figure(b.Listing, release, b.Benchmark)
		problems = append(problems, err)
		return verdict.FormatCount(figure.AllocsPerOp)
	}
	for _, release := range slices.Backward(h.Names()) {
		f := RecipeFigure{strings.TrimPrefix(release, "go"), on(release, r.Before), on(release, r.After)}
		if f.Before != "" || f.After != "" {
			all = append(all, f)
		}
	}
	return all, errors.Join(problems...)
}
