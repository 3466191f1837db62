package expand

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

// A steadyListing is a listing whose figures are the same on every release that can build it.
type steadyListing struct {
	Listed
	From    string // the oldest of these releases, "go1.4"
	Figures string // HTML
}

// steady is what its template shows in place of a grid in which nothing changes.
type steady struct {
	Listings []steadyListing
	Alike    bool // whether From is the same release for all of them
}

// steadyRows returns the listings if the figures of each are the same on every release that can build it, and otherwise
// nil.
func steadyRows(h *bookdata.History, listings []Listed) *steady {
	all := steady{Alike: true}
	for _, l := range listings {
		on := slices.DeleteFunc(h.Names(), func(release string) bool { return !l.Manifest.On(release) })
		if len(on) < 2 || len(on) != len(h.Listings[l.Name]) || len(h.Changes(l.Name)) > 0 {
			return nil
		}
		all.Listings = append(all.Listings, steadyListing{l, on[0], steadyFigures(h, l.Name, on)})
		all.Alike = all.Alike && on[0] == all.Listings[0].From
	}
	return &all
}

// steadyFigures returns a listing's figures as HTML: "1 alloc/op, 32 B/op". It names the benchmarks unless their
// figures are alike.
func steadyFigures(h *bookdata.History, listing string, on []string) string {
	oldest, newest := h.Listings[listing][on[0]], h.Listings[listing][on[len(on)-1]]
	var texts []string
	which := map[string][]string{} // the benchmarks by their figures
	for _, b := range newest.Benchmarks {
		text := verdict.FormatFigures(b.AllocsPerOp, b.BytesPerOp)
		if which[text] == nil {
			texts = append(texts, text)
		}
		which[text] = append(which[text], "<b>"+html.EscapeString(bookdata.BenchmarkWords(b.Name))+"</b>")
	}
	var parts []string
	for _, text := range texts {
		part := figure{text, fmt.Sprintf("%s to %s %s", oldest.Go, newest.Go, newest.Platform)}.span()
		if len(texts) > 1 {
			part = strings.Join(which[text], ", ") + " " + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}
