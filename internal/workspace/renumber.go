package workspace

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"onthestack/internal/exercise"
)

// renumbering is in front of the name of an exercise's folder that another folder keeps from its new name as yet.
const renumbering = "renumbered-"

// Outdated reports whether a folder in exercises/ has the number that its exercise had before the exercises were
// renumbered. The folder is recognized by the file that the reader edits: no exercise has one of the same name as the
// exercise whose number it has now.
func (w *Workspace) Outdated(catalog exercise.Catalog) bool {
	for _, e := range catalog {
		if e.Formerly != "" && (w.has(e.Formerly, e.Edit[0]) || w.has(renumbering+e.ID)) {
			return true
		}
	}
	return false
}

// has reports whether there is a file or a folder of this name in exercises/.
func (w *Workspace) has(names ...string) bool {
	_, err := os.Lstat(filepath.Join(w.Root, "exercises", filepath.Join(names...)))
	return err == nil
}

// renumber gives outdated folders the new numbers of their exercises, with all files in them. After an error, it can be
// called again.
func (w *Workspace) renumber(catalog exercise.Catalog) error {
	if !w.Outdated(catalog) {
		return nil
	}
	root, err := w.folder("exercises", false)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, e := range catalog {
		if e.Formerly == "" || !w.has(e.Formerly, e.Edit[0]) {
			continue
		}
		if err := errors.Join(w.reimport(root, e), root.Rename(e.Formerly, renumbering+e.ID)); err != nil {
			return err
		}
	}
	for _, e := range catalog {
		if !w.has(renumbering + e.ID) {
			continue
		}
		if w.has(e.ID) {
			return fmt.Errorf("exercises/%s is in the way of exercises/%s%[1]s, which has the code of its exercise: "+
				"move it away", e.ID, renumbering)
		}
		if err := root.Rename(renumbering+e.ID, e.ID); err != nil {
			return err
		}
	}
	return nil
}

// reimport changes the path by which the files in an outdated folder import the exercise's package.
func (w *Workspace) reimport(root *os.Root, e *exercise.Exercise) error {
	files, err := w.Files(e.Formerly)
	if err != nil {
		return err
	}
	before, after := `"onthestack/exercises/`+e.Formerly+`"`, `"`+e.ImportPath()+`"`
	for name, text := range files {
		changed := bytes.ReplaceAll(text, []byte(before), []byte(after))
		if path.Ext(name) != ".go" || bytes.Equal(changed, text) {
			continue
		}
		temp := path.Join(e.Formerly, "."+name+"."+rand.Text())
		err := create(root, temp, 0, fs.FileMode(0o644), changed)
		if err == nil {
			err = root.Rename(temp, path.Join(e.Formerly, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
