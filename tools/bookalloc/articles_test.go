package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"onthestack/internal/bookdata"
)

// TestArticles tests that the history has these figures of the articles on the articles' releases. That a listing's own
// benchmark reproduces its article is proved with the history.
func TestArticles(t *testing.T) {
	book := os.DirFS("../../book")
	h, err := bookdata.ReadHistory(book)
	if err != nil {
		t.Fatal(err)
	}
	names, err := bookdata.FindListings(book)
	if err != nil {
		t.Fatal(err)
	}
	manifests := map[string]*bookdata.Manifest{}
	for _, name := range names {
		m, err := bookdata.ReadManifest(book, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range h.Prove(name, m) {
			t.Error(err)
		}
		manifests[name] = m
	}
	for _, want := range []struct {
		chapter, release string
		allocs, bytes    float64
	}{
		{"memory-profiling", "go1.8", 2, 117},
		{"memory-profiling", "go1.8", 1, 5},
		{"memory-profiling", "go1.8", 0, 0},
		{"sorting-and-size-classes", "go1.15", 1, 32},
		{"sorting-and-size-classes", "go1.16", 1, 24},
		{"heap-optimization", "go1.10", 1, 32},
		{"heap-optimization", "go1.10", 0, 0},
		{"buffer-bootstrap", "go1.11", 1, 112},  // empty
		{"buffer-bootstrap", "go1.11", 2, 117},  // five bytes
		{"buffer-bootstrap", "go1.11", 2, 176},  // sixty-four
		{"buffer-bootstrap", "go1.11", 3, 2160}, // 1024: "2.16kB"
		{"buffer-bootstrap", "go1.12", 0, 0},
		{"buffer-bootstrap", "go1.12", 1, 5},
		{"buffer-bootstrap", "go1.12", 1, 64},
		{"buffer-bootstrap", "go1.12", 2, 2176}, // "2.18kB"
		{"interpolation", "go1.4", 15, 1144},
		{"interpolation", "go1.4", 6, 560},
		{"interpolation", "go1.4", 3, 496},
		{"interpolation", "go1.4", 2, 448},
		{"interpolation", "go1.4", 1, 160},
	} {
		found := false
		for name, m := range manifests {
			found = found ||
				strings.HasPrefix(name, want.chapter+"/") && slices.ContainsFunc(m.Articles,
					func(a bookdata.Article) bool {
						return a.Release == want.release && a.Allocs == want.allocs && a.Bytes != nil &&
							*a.Bytes == want.bytes
					})
		}
		if !found {
			t.Errorf("no listing of %s reproduces %v allocs/op and %v B/op on %s", want.chapter, want.allocs,
				want.bytes, want.release)
		}
	}
}

// TestArticleSteps tests that each row of articles.md links to a page that has the step: one of the pages has the words
// that articles.toml gives for the row.
func TestArticleSteps(t *testing.T) {
	_, book, err := openBook()
	if err != nil {
		t.Fatal(err)
	}
	expanded, err := book.Expand()
	if err != nil {
		t.Fatal(err)
	}
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	pages := map[string]string{}
	for i, p := range book.Pages {
		pages[p.Path] = oneLine(p.Text + "\n" + expanded[i])
	}
	words := map[string]map[string]string{} // by an article's heading, and by words of a row
	if _, err := toml.DecodeFS(book.Files, "articles.toml", &words); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../book/articles.md")
	if err != nil {
		t.Fatal(err)
	}
	article := ""
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			article = strings.TrimSpace(heading)
		}
		row, isRow := strings.CutPrefix(line, "| ")
		step, here, _ := strings.Cut(row, " | ")
		links := regexp.MustCompile(`\]\(([^)#:]+\.md)`).FindAllStringSubmatch(here, -1)
		if !isRow || len(links) == 0 {
			continue
		}
		found := 0
		for part, want := range words[article] {
			if !strings.Contains(step, part) {
				continue
			}
			found++
			delete(words[article], part)
			if !slices.ContainsFunc(links, func(l []string) bool { return strings.Contains(pages[l[1]], oneLine(want)) }) {
				t.Errorf("%s: %s\nno page that the row links to has %q", article, step, want)
			}
		}
		if found != 1 {
			t.Errorf("%s: %s\narticles.toml has words for this row %d times, want once", article, step, found)
		}
	}
	for article, left := range words {
		for part := range left {
			t.Errorf("%s: articles.toml has %q, which is in no row that links to a page", article, part)
		}
	}
}
