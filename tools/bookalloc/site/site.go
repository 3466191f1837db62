// Package site writes the data from which Hugo builds the pages around the book: the site's texts, with directives
// expanded, and the chapters, exercises and listings as data.
package site

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/tools/bookalloc/expand"
)

// Links are the URLs of the book and of the exercises on the site's pages. Hugo makes them relative to each page.
var Links = expand.Links{
	Book:     "/book/",
	Exercise: func(id string) string { return "/exercises/" + id + "/" },
}

// frontPage is the page that readers see before they have opened the book.
const frontPage = "_index.md"

// Write writes content/, data/ and static/ into the folder to, and removes what was there before. texts has the .md
// files of the site's content.
func Write(book *expand.Book, texts fs.FS, to string) error {
	pages, err := read(texts)
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
	expanded, err := book.Aside(Links, pages)
	if err != nil {
		return err
	}
	data := map[string]any{"levels": exercise.Levels, "techniques": exercise.Techniques}
	for name, make := range map[string]func(*expand.Book) (any, error){
		"chapters": of(chapters), "drawings": of(drawings), "exercises": of(exercises), "listings": of(listings),
		"pages": of(bookPages), "recipes": of(recipes), "misconceptions": of(misconceptions),
	} {
		if data[name], err = make(book); err != nil {
			return err
		}
	}
	fetched := map[string]any{}
	if fetched[ProgramsFile], err = programs(book); err != nil {
		return err
	}
	tries, err := mistakes(book)
	if err != nil {
		return err
	}
	for id, those := range tries {
		fetched[MistakesFile(id)] = those
	}
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("remove the site's old content: %w", err)
	}
	for i, p := range pages {
		if err := write(filepath.Join(to, "content", filepath.FromSlash(p.Path)), []byte(expanded[i])); err != nil {
			return err
		}
	}
	for name, data := range data {
		text, err := json.MarshalIndent(data, "", " ")
		if err != nil {
			return err
		}
		if err := write(filepath.Join(to, "data", name+".json"), text); err != nil {
			return err
		}
	}
	for name, data := range fetched {
		text, err := json.Marshal(data)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(to, "static", filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}

// of converts a function that returns a T into one that returns any.
func of[T any](make func(*expand.Book) (T, error)) func(*expand.Book) (any, error) {
	return func(book *expand.Book) (any, error) { return make(book) }
}

// read returns the site's texts. Their paths are relative to the content folder.
func read(texts fs.FS) (pages []expand.Page, err error) {
	err = fs.WalkDir(texts, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		text, err := fs.ReadFile(texts, name)
		pages = append(pages, expand.Page{Path: name, Text: string(text)})
		return err
	})
	return pages, err
}

func write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fmt.Errorf("write the site's content: %w", err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		return fmt.Errorf("write the site's content: %w", err)
	}
	return nil
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
	return Links.Book + strings.TrimSuffix(expand.HTMLPath(page), "index.html")
}
