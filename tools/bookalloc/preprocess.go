package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"onthestack/internal/bookdata"
	"onthestack/tools/bookalloc/expand"
)

// mdbookContext is the part of mdBook's context that preprocess needs.
type mdbookContext struct {
	Root   string `json:"root"`
	Config struct {
		Book struct {
			Src string `json:"src"`
		} `json:"book"`
		Output struct {
			HTML struct {
				Repository string `json:"git-repository-url"`
			} `json:"html"`
		} `json:"output"`
	} `json:"config"`
}

// preprocess reads [context, book] and writes the book with every directive expanded. Everything else is passed through
// unchanged.
func preprocess(stdin io.Reader, stdout io.Writer) error {
	var input []json.RawMessage
	if err := json.NewDecoder(stdin).Decode(&input); err != nil {
		return fmt.Errorf("read mdBook's JSON on stdin: %w", err)
	}
	if len(input) != 2 {
		return fmt.Errorf("mdBook's JSON has %d parts instead of context and book", len(input))
	}
	var context mdbookContext
	if err := json.Unmarshal(input[0], &context); err != nil {
		return fmt.Errorf("mdBook's context: %w", err)
	}
	var tree map[string]any
	if err := json.Unmarshal(input[1], &tree); err != nil {
		return fmt.Errorf("mdBook's book: %w", err)
	}
	if tree["items"] == nil {
		return errors.New("mdBook's book has no items: use mdBook 0.5")
	}
	items, ok := tree["items"].([]any)
	if !ok {
		return fmt.Errorf("mdBook's items: a list is expected, not %T", tree["items"])
	}
	book, err := newBook(context.Root, context.Config.Book.Src)
	if err != nil {
		return err
	}
	book.Repository = context.Config.Output.HTML.Repository
	pages := chapters(items)
	for _, c := range pages {
		source, isPath := c["source_path"].(string)
		text, isText := c["content"].(string)
		if !isPath || !isText {
			return fmt.Errorf("mdBook's chapter: its path is a %T, and its content a %T", c["source_path"], c["content"])
		}
		book.Pages = append(book.Pages, expand.Page{Path: source, Text: text})
	}
	expanded, err := book.Expand()
	if err != nil {
		return err
	}
	if err := writeCompanions(book, filepath.Join(context.Root, filepath.FromSlash(book.Dir))); err != nil {
		return err
	}
	for i, c := range pages {
		c["content"] = expanded[i]
	}
	return json.NewEncoder(stdout).Encode(tree)
}

// writeCompanions writes the files that the pages fetch into the book's source folder, beside the widgets that fetch
// them; mdBook copies both from there. A book without widgets needs none.
func writeCompanions(book *expand.Book, src string) error {
	if _, err := os.Stat(filepath.Join(src, path.Dir(expand.CompanionsDir))); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	files, err := book.Companions()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := bookdata.WriteFile(filepath.Join(src, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}

// chapters returns the chapters that have a file, in order. Drafts have none, separators are strings, and part titles
// are objects without a Chapter.
func chapters(items []any) (all []map[string]any) {
	for _, item := range items {
		object, _ := item.(map[string]any)
		chapter, _ := object["Chapter"].(map[string]any)
		if chapter["source_path"] != nil {
			all = append(all, chapter)
		}
		below, _ := chapter["sub_items"].([]any)
		all = append(all, chapters(below)...)
	}
	return all
}
