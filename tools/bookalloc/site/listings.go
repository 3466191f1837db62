package site

import (
	"errors"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/tools/bookalloc/expand"
)

// A History has the figures of listings on releases of Go.
type History struct {
	Releases []Release      `json:"releases"` // oldest first
	Shades   []expand.Shade `json:"shades"`
	Platform string         `json:"platform"` // "linux/amd64"
	Listings []Listing      `json:"listings"` // in the book's order
}

// A Release is a release of Go by its minor version.
type Release struct {
	Name   string `json:"name"`   // "go1.8"
	Number string `json:"number"` // "1.8"
	Date   string `json:"date"`   // when it came out, "2017-02-16"; "" for unknown
	Patch  string `json:"patch"`  // the patch release that was measured, "go1.8.7"
}

// A Listing is a listing of the book with its source and its figures.
type Listing struct {
	Name       string            `json:"name"` // its folder in the book's
	Path       string            `json:"path"` // of its page on the site: "memory-profiling/fixed"
	Title      string            `json:"title"`
	Synopsis   string            `json:"synopsis"` // the first sentence of its package comment
	Chapter    string            `json:"chapter"`  // the chapter's folder
	Book       string            `json:"book"`     // URL of the page that shows it; "" for none
	BookTitle  string            `json:"book_title"`
	Since      string            `json:"since"` // the first release that can build it; "" for any
	SinceWhy   string            `json:"since_why"`
	Platform   string            `json:"platform"`
	Benchmarks []Benchmark       `json:"benchmarks"`
	Changes    []expand.Change   `json:"changes"`
	Files      []bookdata.GoText `json:"files"` // the benchmarks last
}

func listings(book *expand.Book) (*History, error) {
	listed, measured, err := book.Listed()
	if err != nil {
		return nil, err
	}
	titles := map[string]string{}
	for _, p := range book.Pages {
		titles[p.Path] = expand.Parse(p.Text).Title()
	}
	h := &History{Releases: releases(measured), Shades: expand.Shades}
	platforms := map[string]bool{}
	var problems []error
	for _, l := range listed {
		one := Listing{
			Name: l.Name, Path: l.Chapter + "/" + path.Base(l.Name), Title: l.Manifest.Title, Chapter: l.Chapter,
			Since: l.Manifest.Since, SinceWhy: expand.Prose(l.Manifest.SinceWhy),
			Changes: expand.Changes(measured, l.Name, l.Manifest),
		}
		if l.Page != "" {
			one.Book, one.BookTitle = href(l.Page), titles[l.Page]
		}
		one.Benchmarks, one.Platform, err = benchmarks(measured, l.Name, l.Manifest, h.Releases)
		problems = append(problems, err)
		part, err := bookdata.ReadMeasuredPart(book.Files, l.Name)
		problems = append(problems, err)
		one.Files, err = part.GoTexts()
		problems = append(problems, err)
		one.Synopsis, err = synopsis(l.Name, one.Files)
		problems = append(problems, err)
		platforms[one.Platform] = true
		h.Listings = append(h.Listings, one)
	}
	h.Platform = strings.Join(slices.Sorted(maps.Keys(platforms)), ", ")
	return h, errors.Join(problems...)
}

// releases returns all releases of the history.
func releases(h *bookdata.History) (all []Release) {
	for _, name := range h.Names() {
		all = append(all, Release{Name: name, Number: strings.TrimPrefix(name, "go"), Date: dates[name],
			Patch: h.Releases[name]})
	}
	return all
}

// synopsis returns the first sentence of a listing's package comment.
func synopsis(name string, files []bookdata.GoText) (string, error) {
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), path.Join(name, f.Name), f.Text,
			parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", err
		}
		if text := strings.TrimSpace(parsed.Doc.Text()); text != "" {
			return new(doc.Package).Synopsis(text), nil
		}
	}
	return "", fmt.Errorf("%s has no package comment: say in one sentence what it does", name)
}

// dates are the days on which the minor releases of Go came out, for the feed. They are from
// https://go.dev/doc/devel/release; a test fails while a measured release lacks one.
var dates = map[string]string{
	"go1.4": "2014-12-10", "go1.5": "2015-08-19", "go1.6": "2016-02-17", "go1.7": "2016-08-15",
	"go1.8": "2017-02-16", "go1.9": "2017-08-24", "go1.10": "2018-02-16", "go1.11": "2018-08-24",
	"go1.12": "2019-02-25", "go1.13": "2019-09-03", "go1.14": "2020-02-25", "go1.15": "2020-08-11",
	"go1.16": "2021-02-16", "go1.17": "2021-08-16", "go1.18": "2022-03-15", "go1.19": "2022-08-02",
	"go1.20": "2023-02-01", "go1.21": "2023-08-08", "go1.22": "2024-02-06", "go1.23": "2024-08-13",
	"go1.24": "2025-02-11", "go1.25": "2025-08-12", "go1.26": "2026-02-10", "go1.27": "2026-08-19",
}
