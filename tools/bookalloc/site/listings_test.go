package site

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/bookdata"
	"onthestack/tools/bookalloc/expand"
)

// workbook returns this repository's book, with its pages sorted by name.
func workbook(t *testing.T) *expand.Book {
	t.Helper()
	book := &expand.Book{Dir: "book", Files: os.DirFS("../../../book")}
	err := fs.WalkDir(book.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" || name == "SUMMARY.md" {
			return err
		}
		text, err := fs.ReadFile(book.Files, name)
		book.Pages = append(book.Pages, expand.Page{Path: name, Text: string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// TestWorkbook tests that the site's data about each listing equals the measurements.
func TestWorkbook(t *testing.T) {
	book := workbook(t)
	measured, err := bookdata.ReadHistory(book.Files)
	if err != nil {
		t.Fatal(err)
	}
	h, err := listings(book)
	if err != nil {
		t.Fatal(err)
	}
	chapters, err := chapters(book)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Listings) != len(measured.Listings) || len(h.Releases) != len(measured.Releases) {
		t.Errorf("%d listings, %d releases; %d and %d were measured", len(h.Listings), len(h.Releases),
			len(measured.Listings), len(measured.Releases))
	}
	mirrored := map[string]bool{}
	for _, c := range chapters {
		mirrored[c.ID] = c.Article != nil
	}
	paths := map[string]bool{}
	for _, l := range h.Listings {
		figures := 0
		for _, b := range l.Benchmarks {
			for _, f := range b.Figures {
				want, _, err := measured.Figure(l.Name, f.Release, b.Name)
				if err != nil || f.Allocs != want.AllocsPerOp || f.Bytes != want.BytesPerOp ||
					f.Go != measured.Releases[f.Release] {
					t.Errorf("%s, %s on %s: got %+v, measured %+v, %v", l.Name, b.Name, f.Release, f, want, err)
				}
				figures++
			}
			if len(b.Articles) > 0 && !mirrored[l.Chapter] {
				t.Errorf("%s: an article's figure, but its chapter follows no article", l.Name)
			}
		}
		for _, m := range measured.Listings[l.Name] {
			figures -= len(m.Benchmarks)
		}
		if figures != 0 {
			t.Errorf("%s: %d more figures than were measured", l.Name, figures)
		}
		if paths[l.Path] {
			t.Errorf("two pages are at %s", l.Path)
		}
		paths[l.Path] = true
		if _, ok := mirrored[l.Chapter]; !ok {
			t.Errorf("%s: no chapter %s", l.Name, l.Chapter)
		}
		if l.Book == "" || l.BookTitle == "" {
			t.Errorf("%s: no page of the book shows it", l.Name)
		}
		for _, c := range l.Changes {
			if c.Why == "" || c.Link == "" || c.LinkText == "" {
				t.Errorf("%s: the change on %s is not explained: %+v", l.Name, c.Release, c)
			}
		}
		checkSource(t, l)
	}
}

// checkSource tests that a listing's page shows the measured source and a sentence that describes it.
func checkSource(t *testing.T, l Listing) {
	t.Helper()
	if !strings.HasSuffix(l.Synopsis, ".") || strings.Contains(l.Synopsis, "\n") {
		t.Errorf("%s: %q is no sentence", l.Name, l.Synopsis)
	}
	n := len(l.Files)
	if i := slices.IndexFunc(l.Files, func(f bookdata.GoText) bool { return f.Bench }); i < 1 || i != n-1 {
		t.Errorf("%s: its benchmarks are file %d of %d", l.Name, i+1, n)
	}
	for _, f := range l.Files {
		for _, b := range l.Benchmarks {
			if f.Bench && !strings.Contains(f.Text, "func "+b.Name+"(") {
				t.Errorf("%s/%s has no %s", l.Name, f.Name, b.Name)
			}
		}
		if strings.Contains(f.Text, "ANCHOR") {
			t.Errorf("%s/%s: an anchor is left", l.Name, f.Name)
		}
	}
}

func TestDates(t *testing.T) {
	h, err := bookdata.ReadHistory(os.DirFS("../../../book"))
	if err != nil {
		t.Fatal(err)
	}
	var before time.Time
	for _, release := range h.Names() {
		date, err := time.Parse(time.DateOnly, dates[release])
		if err != nil || !date.After(before) {
			t.Errorf("%s: its date %q does not follow %s: see listings.go", release, dates[release],
				before.Format(time.DateOnly))
		}
		before = date
	}
}
