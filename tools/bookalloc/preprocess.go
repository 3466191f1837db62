package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

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
	var tree map[string]json.RawMessage
	if err := json.Unmarshal(input[1], &tree); err != nil {
		return fmt.Errorf("mdBook's book: %w", err)
	}
	if tree["items"] == nil {
		return errors.New("mdBook's book has no items: use mdBook 0.5")
	}
	book, err := newBook(context.Root, context.Config.Book.Src)
	if err != nil {
		return err
	}

	book.Repository = context.Config.Output.HTML.Repository

	read := func(source, text string) (string, error) {
		book.Pages = append(book.Pages, expand.Page{Path: source, Text: text})
		return text, nil
	}
	if tree["items"], err = chapters(tree["items"], read); err != nil {
		return err
	}
	expanded, err := book.Expand()
	if err != nil {
		return err
	}
	if err := writeCompanions(book, filepath.Join(context.Root, filepath.FromSlash(book.Dir))); err != nil {
		return err
	}
	next := 0
	replace := func(string, string) (string, error) {
		next++
		return expanded[next-1], nil
	}
	if tree["items"], err = chapters(tree["items"], replace); err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(tree)
}

// writeCompanions writes the files that the pages fetch into the book's source folder, beside the widgets that fetch
// them; mdBook copies both from there. A book without widgets needs none. An existing file is not written again,
// because "mdbook serve" rebuilds the book when a file changes.
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
	if err := os.MkdirAll(filepath.Join(src, expand.CompanionsDir), 0o777); err != nil {
		return err
	}
	for name, text := range files {
		name = filepath.Join(src, filepath.FromSlash(name))
		if now, err := os.ReadFile(name); err == nil && bytes.Equal(now, text) {
			continue
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// chapters calls visit with each chapter's source path and text, in order, and replaces the text with the result.
func chapters(items json.RawMessage, visit func(source, text string) (string, error)) (json.RawMessage, error) {
	var all []json.RawMessage
	if err := json.Unmarshal(items, &all); err != nil {
		return nil, fmt.Errorf("mdBook's items: %w", err)
	}
	for i, item := range all {
		var chapter struct {
			Chapter map[string]json.RawMessage
		}
		// Separators are strings, part titles objects without a Chapter.
		if json.Unmarshal(item, &chapter) != nil || chapter.Chapter == nil {
			continue
		}
		c := chapter.Chapter
		var source *string
		var text string
		if err := errors.Join(json.Unmarshal(c["source_path"], &source), json.Unmarshal(c["content"],
			&text)); err != nil {
			return nil, fmt.Errorf("mdBook's chapter: %w", err)
		}
		var err error
		if source != nil { // a draft has none
			if text, err = visit(*source, text); err != nil {
				return nil, err
			}
			if c["content"], err = json.Marshal(text); err != nil {
				return nil, err
			}
		}
		if c["sub_items"], err = chapters(c["sub_items"], visit); err != nil {
			return nil, err
		}
		if all[i], err = json.Marshal(chapter); err != nil {
			return nil, err
		}
	}
	return json.Marshal(all)
}
