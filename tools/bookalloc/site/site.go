// Package site writes the data from which Hugo builds the pages around the book: the site's texts, with directives
// expanded, and the chapters, exercises and listings as data.
package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/tools/bookalloc/expand"
)

// frontPage is the page that readers see before they have opened the book.
const frontPage = "_index.md"

// Write writes content/, data/ and static/ into the folder to, and removes what was there before. texts has the .md
// files of the site's content.
func Write(book *expand.Book, texts fs.FS, to string) error {
	pages, err := expand.ReadPages(texts)
	if err != nil {
		return err
	}
	for _, p := range pages {
		if p.Path == frontPage {
			if err := book.GivesAway(p); err != nil {
				return err
			}
		}
	}
	expanded, err := book.Aside(pages)
	if err != nil {
		return err
	}
	data := map[string]any{"levels": exercise.Levels, "techniques": exercise.Techniques}
	for name, make := range map[string]func(*expand.Book) (any, error){
		"chapters": wrap(chapters), "exercises": wrap(exercises), "listings": wrap(listings),
		"pages": wrap(bookPages), "recipes": wrap(recipes), "misconceptions": wrap(misconceptions),
	} {
		if data[name], err = make(book); err != nil {
			return err
		}
	}
	if data["drawings"], err = drawings(book, pages); err != nil {
		return err
	}
	files := map[string][]byte{}
	for i, p := range pages {
		files["content/"+p.Path] = []byte(expanded[i])
	}
	for name, data := range data {
		if files["data/"+name+".json"], err = json.MarshalIndent(data, "", " "); err != nil {
			return err
		}
	}
	all, err := programs(book)
	if err != nil {
		return err
	}
	if files["static/"+ProgramsFile], err = json.Marshal(all); err != nil {
		return err
	}
	tries, err := mistakes(book)
	if err != nil {
		return err
	}
	for id, those := range tries {
		if files["static/"+mistakesFile(id)], err = json.Marshal(those); err != nil {
			return err
		}
	}
	if err := addQuestions(book, files); err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("remove the site's old content: %w", err)
	}
	for name, text := range files {
		name = filepath.Join(to, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, text, 0o666)); err != nil {
			return fmt.Errorf("write the site's content: %w", err)
		}
	}
	return nil
}

// wrap converts a function that returns a T into one that returns any.
func wrap[T any](make func(*expand.Book) (T, error)) func(*expand.Book) (any, error) {
	return func(book *expand.Book) (any, error) { return make(book) }
}

// bookPages returns the URLs of all pages of the book, for the sitemap.
func bookPages(book *expand.Book) (all []string, err error) {
	for _, p := range book.Pages {
		all = append(all, href(p.Path))
	}
	return all, nil
}

// href returns the URL of a page of the book. The README of a folder has the folder's URL.
func href(page string) string {
	return expand.BookURL + strings.TrimSuffix(expand.HTMLPath(page), "index.html")
}
