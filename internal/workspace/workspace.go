// Package workspace finds, reads and changes the folder in which a reader solves exercises, and the progress in it, for
// the commands of checkalloc and the full screen of package watch. It never loses what the reader wrote.
package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
	"onthestack/internal/safefile"
)

// A Workspace is a folder with a go.mod and a folder exercises/.
type Workspace struct {
	Root string
}

// Dir returns the folder with the reader's files of an exercise.
func (w *Workspace) Dir(e *exercise.Exercise) string {
	return filepath.Join(w.Root, filepath.FromSlash(e.Dir()))
}

// ErrNone is returned by Find if there is no workspace.
var ErrNone = errors.New("no workspace here")

// Find returns the workspace that holds dir, searching from dir upwards. The error is a *safefile.Refused if the go.mod
// beside exercises/ is not a file: the go command would wait for the other end of a named pipe.
func Find(dir string) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("%s: no such folder", dir)
	}
	for {
		module := filepath.Join(dir, "go.mod")
		if info, err := os.Stat(filepath.Join(dir, "exercises")); err == nil && info.IsDir() {
			switch info, err := os.Stat(module); {
			case err == nil && info.Mode().IsRegular():
				return &Workspace{Root: dir}, nil
			case err == nil:
				return nil, safefile.NotFile(module, info.Mode())
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, ErrNone
		}
		dir = parent
	}
}

// The limits of what is read of an exercise's folder.
const (
	maxNames    = 2000    // names in the folder, of whatever kind
	maxFiles    = 200     // files
	maxFileSize = 1 << 20 // bytes of a file

	maxSealedSize = 64 << 20 // bytes of the sealed copies
)

// Files returns the files in an exercise's folder, as ReadDir does.
func (w *Workspace) Files(id string) (map[string][]byte, error) { return w.ReadDir("exercises/" + id) }

// IsClone reports whether the workspace is the clone of the repository, and not a reader's that Init has made.
func (w *Workspace) IsClone() bool {
	info, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(path.Dir(exercise.SealedFile))))
	return err == nil && info.IsDir()
}

// Sealed returns the archives of the sealed exercises by name, which only the clone has.
func (w *Workspace) Sealed() (map[string][]byte, error) {
	packed, err := safefile.ReadFile(w.Root, exercise.SealedFile, maxSealedSize)
	if err != nil {
		return nil, err
	}
	archives, err := exercise.Archives(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: run make seal", exercise.SealedFile, err)
	}
	return archives, nil
}

// Create writes files by their slash-separated paths from the workspace's root, and creates the folders around them. It
// leaves existing files as they are.
func (w *Workspace) Create(files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		root, err := w.folder(path.Dir(name), true)
		if err != nil {
			return err
		}
		if err := errors.Join(writeNew(root, path.Base(name), files[name]), root.Close()); err != nil {
			return err
		}
	}
	return nil
}

// folder opens a folder of the workspace, whose path is slash-separated. If create is true, it makes a missing one.
func (w *Workspace) folder(dir string, create bool) (*os.Root, error) {
	root, err := os.OpenRoot(w.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	folder, err := safefile.Folder(root, dir)
	if !create || !errors.Is(err, fs.ErrNotExist) {
		return folder, err
	}
	// The existing parts of the path are no links, because Folder refuses these.
	if err := root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
		return nil, err
	}
	return safefile.Folder(root, dir)
}

// ReadDir returns the files in a folder of the workspace by name, and none if the folder is missing. Its path is
// slash-separated. A large file that is no source has nil content.
//
// The workspace may be a stranger's. The error is a *safefile.Refused if the folder is a symbolic link, if a link in it
// leads out of it, if it holds too much, and if a Go file, a diff or the manifest is no regular file.
func (w *Workspace) ReadDir(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	root, err := w.folder(dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return files, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(".")
	var names []string
	if err == nil {
		names, err = f.Readdirnames(maxNames + 1)
		f.Close()
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, &safefile.Refused{Name: dir, Why: "cannot be listed because of its permissions: change them, or " +
			"move it away"}
	case err != nil && err != io.EOF:
		return nil, err
	case len(names) > maxNames:
		return nil, tooMany(dir, maxNames)
	}
	slices.Sort(names)
	for _, name := range names {
		called := dir + "/" + name
		source := filepath.Ext(name) == ".go" || name == exercise.ManifestFile ||
			filepath.Ext(name) == bookdata.MisconceptionExt
		info, err := safefile.Stat(root, name, called)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // a dangling link, such as an editor's lock file
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
		if files[name], err = safefile.Read(root, name, called, maxFileSize); errors.Is(err, fs.ErrNotExist) {
			delete(files, name) // it has just been removed
		} else if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func tooMany(dir string, limit int) error {
	return &safefile.Refused{
		Name: dir,
		Why:  fmt.Sprintf("has more than %d files: move away what is not part of the exercise", limit),
	}
}

// writeNew writes a file unless it exists.
func writeNew(root *os.Root, name string, text []byte) error {
	err := create(root, name, 0, 0o644, text)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// create writes a file that does not exist. After an error there is no file. The flag may be os.O_SYNC.
func create(root *os.Root, name string, flag int, mode fs.FileMode, text []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|flag, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

// goMod is the beginning of a workspace's go.mod. Tests import the solver's package by this module path.
const goMod = "module onthestack\n"

// Init makes a workspace with the exercises of the catalog in dir. Existing files stay as they are, but folders with the
// numbers from before the exercises were renumbered get the new ones. It is an error if dir is part of another module.
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
	if err := writeNew(root, "go.mod", []byte(goMod+"\ngo 1.26.0\n")); err != nil {
		return nil, err
	}
	text, err := safefile.Read(root, "go.mod", filepath.Join(dir, "go.mod"), maxFileSize)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte(goMod)) {
		return nil, fmt.Errorf("%s has the go.mod of another module: choose another folder", dir)
	}
	if err := writeNew(root, ".gitignore", []byte(stateDir+"/\n")); err != nil {
		return nil, err
	}
	w := &Workspace{Root: dir}
	if err := w.renumber(catalog); err != nil {
		return nil, err
	}
	for _, e := range catalog {
		files := map[string][]byte{}
		for name, text := range e.Files {
			files[e.Dir()+"/"+name] = text
		}
		if err := w.Create(files); err != nil {
			return nil, err
		}
	}
	return w, nil
}
