package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"onthestack/internal/bookdata"
	"onthestack/tools/bookalloc/expand"
)

const summaryFile = "SUMMARY.md"

// openBook finds the repository around the current folder, and the book in it with all of its pages.
func openBook() (root string, book *expand.Book, err error) {
	if root, err = bookdata.FindRepository(); err != nil {
		return "", nil, err
	}
	var config struct {
		Book struct {
			Src string `toml:"src"`
		} `toml:"book"`
	}
	config.Book.Src = "src"
	if _, err := toml.DecodeFile(filepath.Join(root, bookdata.ConfigFile), &config); err != nil {
		return "", nil, fmt.Errorf("%s: %w", bookdata.ConfigFile, err)
	}
	if book, err = newBook(root, config.Book.Src); err != nil {
		return "", nil, err
	}
	return root, book, readPages(book)
}

// readPages reads the pages in the order of SUMMARY.md; pages that it does not list come last.
func readPages(book *expand.Book) error {
	pages, err := expand.ReadPages(book.Files)
	if err != nil {
		return err
	}
	book.Pages = slices.DeleteFunc(pages, func(p expand.Page) bool { return p.Path == summaryFile })
	links, err := summary(book)
	if err != nil {
		return err
	}
	order := map[string]int{}
	for i, link := range links {
		order[link.name] = i - len(links)
	}
	slices.SortStableFunc(book.Pages, func(a, b expand.Page) int { return order[a.Path] - order[b.Path] })
	return nil
}

// A summaryPage is a page that SUMMARY.md lists.
type summaryPage struct {
	name string // in the book's folder; "" for a draft
	line int    // of SUMMARY.md, from 1
}

var summaryLink = regexp.MustCompile(`\]\((.*?)\)`)

// summary returns the pages that SUMMARY.md lists.
func summary(book *expand.Book) (pages []summaryPage, err error) {
	text, err := fs.ReadFile(book.Files, summaryFile)
	for i, line := range strings.Split(string(text), "\n") {
		for _, link := range summaryLink.FindAllStringSubmatch(line, -1) {
			name, err := url.PathUnescape(link[1])
			if err == nil && name != "" {
				name = path.Clean(name)
			}
			pages = append(pages, summaryPage{name, i + 1})
		}
	}
	return pages, err
}

// checkSummary reports an error unless SUMMARY.md lists every page once, and nothing else. mdBook would leave out a
// page that it does not list.
func checkSummary(book *expand.Book) error {
	links, err := summary(book)
	if err != nil {
		return err
	}
	var problems []error
	listed := map[string]bool{}
	for _, link := range links {
		name, at := link.name, fmt.Sprintf("%s/%s:%d", book.Dir, summaryFile, link.line)
		switch {
		case name == "": // a draft
			continue
		case listed[name]:
			problems = append(problems, fmt.Errorf("%s: %s is listed twice", at, name))
		case !slices.ContainsFunc(book.Pages, func(p expand.Page) bool { return p.Path == name }):
			problems = append(problems, fmt.Errorf("%s: no page %s/%s: write it, or remove the line", at, book.Dir,
				name))
		}
		listed[name] = true
	}
	for _, p := range book.Pages {
		if !listed[p.Path] {
			problems = append(problems, fmt.Errorf("%s/%s: not in %s: add it, or remove the page", book.Dir,
				p.Path, summaryFile))
		}
	}
	return errors.Join(problems...)
}
