package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"

	"onthestack/internal/bookdata"
	"onthestack/tools/bookalloc/expand"
)

const summaryFile = "SUMMARY.md"

// findBook finds the repository around the current folder, and the book's folder in it, slash-separated.
func findBook() (root, book string, err error) {
	if root, err = bookdata.FindRepository(); err != nil {
		return "", "", err
	}
	var config struct {
		Book struct {
			Src string `toml:"src"`
		} `toml:"book"`
	}
	config.Book.Src = "src"
	if _, err := toml.DecodeFile(filepath.Join(root, bookdata.ConfigFile), &config); err != nil {
		return "", "", fmt.Errorf("%s: %w", bookdata.ConfigFile, err)
	}
	return root, filepath.ToSlash(config.Book.Src), nil
}

// openBook finds the book around the current folder and reads all of its pages.
func openBook() (root string, book *expand.Book, err error) {
	root, src, err := findBook()
	if err != nil {
		return "", nil, err
	}
	if book, err = newBook(root, src); err != nil {
		return "", nil, err
	}
	if err = readPages(book); err != nil {
		return "", nil, err
	}
	return root, book, nil
}

// readPages reads the pages in the order of SUMMARY.md; pages that it does not list come last.
func readPages(book *expand.Book) error {
	err := fs.WalkDir(book.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" || name == summaryFile {
			return err
		}
		text, err := fs.ReadFile(book.Files, name)
		book.Pages = append(book.Pages, expand.Page{Path: name, Text: string(text)})
		return err
	})
	if err != nil {
		return err
	}
	links, err := summary(book)
	if err != nil {
		return err
	}
	order := map[string]int{}
	for i, link := range links {
		order[link.Destination] = i - len(links)
	}
	slices.SortStableFunc(book.Pages, func(a, b expand.Page) int { return order[a.Path] - order[b.Path] })
	return nil
}

// summary returns the links of SUMMARY.md, whose destinations are names in the book's folder. A draft chapter has the
// destination "".
func summary(book *expand.Book) ([]expand.Link, error) {
	text, err := fs.ReadFile(book.Files, summaryFile)
	if err != nil {
		return nil, err
	}
	links := expand.Parse(string(text)).Links()
	for i, link := range links {
		if name, err := url.PathUnescape(link.Destination); err == nil && name != "" {
			links[i].Destination = path.Clean(name)
		}
	}
	return links, nil
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
		name := link.Destination
		if name == "" { // a draft
			continue
		}
		at := fmt.Sprintf("%s/%s:%d", book.Dir, summaryFile, link.Line)
		switch {
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
