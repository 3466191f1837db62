// Package workspace is the folder in which a reader solves exercises: finding it, reading what lies there, and changing it
// without losing anything.
package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"onthestack/internal/exercise"
)

// A Workspace is a folder with a go.mod and a folder exercises/ in it.
type Workspace struct {
	Root string
}

// ErrNone is returned by Find where no workspace is.
var ErrNone = errors.New("no workspace here: run this in the clone of On the Stack, name a workspace with --dir DIR, or make one with \"checkalloc init DIR\"")

// Find returns the workspace that holds dir, searching from dir upwards.
func Find(dir string) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("%s: no such folder", dir)
	}
	for {
		if isFile(filepath.Join(dir, "go.mod")) && isDir(filepath.Join(dir, "exercises")) {
			return &Workspace{Root: dir}, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, ErrNone
		}
		dir = parent
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

const (
	maxFiles    = 200
	maxFileSize = 1 << 20
)

// Files returns the files in an exercise's folder by name. A missing folder has none; a large file that is no source has no
// content.
func (w *Workspace) Files(id string) (map[string][]byte, error) {
	return readDir(filepath.Join(w.Root, "exercises", id))
}

// Solution returns the files in an exercise's folder under solutions/, which only the clone has.
func (w *Workspace) Solution(id string) (map[string][]byte, error) {
	return readDir(filepath.Join(w.Root, "solutions", id))
}

func readDir(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return files, nil
	}
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // a dangling link: an editor's lock file
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			continue
		case len(files) == maxFiles:
			return nil, fmt.Errorf("%s holds more than %d files: move away what is not part of the exercise", dir, maxFiles)
		case info.Size() > maxFileSize && filepath.Ext(name) == ".go":
			return nil, fmt.Errorf("%s has more than %d KiB, more than a check reads: shorten it, or move it away", name, maxFileSize>>10)
		case info.Size() > maxFileSize:
			files[entry.Name()] = nil // a test binary or a profile, left behind by the go command
			continue
		}
		if files[entry.Name()], err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// lay writes the exercise's files that are missing.
func (w *Workspace) lay(e *exercise.Exercise) error {
	dir := filepath.Join(w.Root, "exercises", e.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range e.Files {
		if err := writeNew(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// writeNew writes a file that does not exist, whole or not at all; one that does is left as it is.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// module is what the go.mod of a workspace begins with: tests import the solver's package by this name.
const module = "module onthestack\n"

// Init makes a workspace of dir, from the catalog. What lies there already is left as it is; a folder of another module's is an
// error.
func Init(dir string, catalog exercise.Catalog) (*Workspace, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	if err := writeNew(filepath.Join(root, "go.mod"), []byte(module+"\ngo 1.26.0\n")); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte(module)) {
		return nil, fmt.Errorf("%s has the go.mod of another module: choose a folder of its own", root)
	}
	if err := writeNew(filepath.Join(root, ".gitignore"), []byte(stateDir+"/\n")); err != nil {
		return nil, err
	}
	w := &Workspace{Root: root}
	for _, e := range catalog {
		if err := w.lay(e); err != nil {
			return nil, err
		}
	}
	return w, nil
}
