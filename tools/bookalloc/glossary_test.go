package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onthestack/tools/bookalloc/expand"
)

// TestGlossary tests that the book links each entry of the glossary once, on the page that explains it or on an earlier
// one. The entry links to the page that explains it.
func TestGlossary(t *testing.T) {
	_, book, err := openBook()
	if err != nil {
		t.Fatal(err)
	}
	expanded, err := book.Expand()
	if err != nil {
		t.Fatal(err)
	}
	page := func(name string) int {
		return slices.IndexFunc(book.Pages, func(p expand.Page) bool { return p.Path == name })
	}
	glossary := page(expand.GlossaryFile)
	entries := regexp.MustCompile(`(?m)^\*\*(.+)\*\*$`).FindAllStringSubmatchIndex(book.Pages[glossary].Text, -1)
	if len(entries) < 20 {
		t.Fatalf("the glossary has %d entries", len(entries))
	}
	links := map[string][]int{} // the pages that link to an anchor of the glossary
	for i, text := range expanded {
		for _, m := range regexp.MustCompile(`\]\([./]*glossary\.html#([^)]+)\)`).FindAllStringSubmatch(text, -1) {
			links[m[1]] = append(links[m[1]], i)
		}
	}
	if len(links) != len(entries) {
		t.Errorf("the book links to %d entries of the glossary, which has %d", len(links), len(entries))
	}
	for i, at := range entries {
		text := book.Pages[glossary].Text
		name, explanation := text[at[2]:at[3]], text[at[1]:]
		if i+1 < len(entries) {
			explanation = text[at[1]:entries[i+1][0]]
		}
		from := links[strings.NewReplacer(" ", "-", "/", "", ",", "").Replace(strings.ToLower(name))]
		if len(from) != 1 {
			t.Errorf("%s: %d links from the book's prose; want one, at its first use", name, len(from))
			continue
		}
		for _, m := range regexp.MustCompile(`\]\(([^)#]+)`).FindAllStringSubmatch(explanation, -1) {
			if at := page(path.Clean(m[1])); at < from[0] {
				t.Errorf("%s: %s explains it, and the first use is later, on %s", name, m[1], book.Pages[from[0]].Path)
			}
		}
	}
}
