// Package workspace is the folder in which a reader solves exercises: finding it, reading what lies there, and changing
// it without losing anything.
package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"onthestack/internal/exercise"
	"onthestack/internal/rooted"
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

// What is read of an exercise's folder at most.
const (
	maxNames    = 2000    // names in the folder, whatever they name
	maxFiles    = 200     // files
	maxFileSize = 1 << 20 // bytes of a file
)

// Files returns the files in an exercise's folder by name. A missing folder has none; a large file that is no source
// has no content.
//
// The workspace may be a stranger's. The error is a *rooted.Refused if the folder is a symbolic link, if a link in it
// leads out of it, if it holds too much, and if a Go file or the manifest is no regular file.
func (w *Workspace) Files(id string) (map[string][]byte, error) {
	return w.readDir("exercises/" + id)
}

// Solution returns the files in an exercise's folder under solutions/, which only the clone has.
func (w *Workspace) Solution(id string) (map[string][]byte, error) {
	return w.readDir("solutions/" + id)
}

// folder opens a folder of the workspace, whose path is slash-separated.
func (w *Workspace) folder(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(w.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return rooted.Folder(root, dir)
}

// makeFolder is folder for one that it makes where there is none.
func (w *Workspace) makeFolder(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(w.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if folder, err := rooted.Folder(root, dir); !errors.Is(err, fs.ErrNotExist) {
		return folder, err
	}
	// The parts that exist are no links, or Folder would have refused them.
	if err := root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
		return nil, err
	}
	return rooted.Folder(root, dir)
}

func (w *Workspace) readDir(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	root, err := w.folder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return files, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	names, err := list(root)
	if err != nil {
		return nil, err
	}
	if len(names) > maxNames {
		return nil, tooMany(dir, maxNames)
	}
	for _, name := range names {
		called := dir + "/" + name
		source := filepath.Ext(name) == ".go" || name == exercise.ManifestFile
		info, err := rooted.Stat(root, name, called)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // a link that leads nowhere: an editor's lock file
		case err != nil:
			return nil, err
		case !source && !info.Mode().IsRegular():
			continue
		case len(files) == maxFiles:
			return nil, tooMany(dir, maxFiles)
		case !source && info.Size() > maxFileSize:
			files[name] = nil // a test binary or a profile, left behind by the go command
			continue
		}
		if files[name], err = rooted.Read(root, name, called, maxFileSize); errors.Is(err, fs.ErrNotExist) {
			delete(files, name) // removed in this moment
		} else if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func tooMany(dir string, limit int) error {
	return &rooted.Refused{Name: dir, Why: fmt.Sprintf("holds more than %d files: move away what is not part of the exercise", limit)}
}

// list returns the names in a folder in order, of more than maxNames only some.
func list(root *os.Root) ([]string, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(maxNames + 1)
	if err == io.EOF {
		err = nil
	}
	slices.Sort(names)
	return names, err
}

// lay writes the exercise's files that are missing.
func (w *Workspace) lay(e *exercise.Exercise) error {
	root, err := w.makeFolder(e.Dir())
	if err != nil {
		return err
	}
	defer root.Close()
	for name, text := range e.Files {
		if err := writeNew(root, name, text); err != nil {
			return err
		}
	}
	return nil
}

// writeNew writes a file that does not exist, whole or not at all; one that does is left as it is.
func writeNew(root *os.Root, name string, text []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

// module is what the go.mod of a workspace begins with: tests import the solver's package by this name.
const module = "module onthestack\n"

// Init makes a workspace of dir, from the catalog. What lies there already is left as it is; a folder of another
// module's is an error.
func Init(dir string, catalog exercise.Catalog) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := writeNew(root, "go.mod", []byte(module+"\ngo 1.26.0\n")); err != nil {
		return nil, err
	}
	text, err := rooted.Read(root, "go.mod", filepath.Join(dir, "go.mod"), maxFileSize)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte(module)) {
		return nil, fmt.Errorf("%s has the go.mod of another module: choose a folder of its own", dir)
	}
	if err := writeNew(root, ".gitignore", []byte(stateDir+"/\n")); err != nil {
		return nil, err
	}
	w := &Workspace{Root: dir}
	for _, e := range catalog {
		if err := w.lay(e); err != nil {
			return nil, err
		}
	}
	return w, nil
}
