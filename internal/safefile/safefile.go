// Package safefile reads files of strangers, and replaces files atomically.
//
// Read, Stat and Folder work below one folder: they follow no symbolic link that leads out of it, open only regular
// files, and read no more than a limit. Builds and the commands of checkalloc use them to read the files in a reader's
// folder. ReadLinked follows links anywhere, for source files of a module of the reader's own. Write leaves the old
// content of a file or the new one, whatever interrupts it.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// A Refused is the error for a file or a folder that is not opened because of its kind, size or permissions. Its text
// names the file, the reason and the remedy.
type Refused struct {
	Name string // the caller's name for it
	Why  string // the reason and the remedy: "is a named pipe, not a file: move it away"
}

func (r *Refused) Error() string { return r.Name + " " + r.Why }

// Is reports whether target is fs.ErrPermission and permissions forbid reading the file.
func (r *Refused) Is(target error) bool { return target == fs.ErrPermission && r.Why == forbidden }

const forbidden = "cannot be read because of its permissions: change them, or move it away"

// A place is where a name leads to a file: an os.Root, or anywhere.
type place interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

type anywhere struct{}

func (anywhere) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (anywhere) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

// Stat describes a file of root, or what a link in its place leads to. The error wraps fs.ErrNotExist if there is
// nothing, which is also the case for a link that leads nowhere, such as an editor's lock file. It is a Refused if a
// link leads out of root or in a circle. Errors call the file name, which may be longer than its path in root.
func Stat(root *os.Root, file, name string) (fs.FileInfo, error) { return stat(root, file, name) }

func stat(at place, file, name string) (fs.FileInfo, error) {
	info, err := at.Stat(file)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return info, err
	case leadsOut(err):
		return nil, &Refused{name, "is a symbolic link that leads out of its folder: put the file itself in its place"}
	case errors.Is(err, syscall.ELOOP) || strings.Contains(err.Error(), "too many levels of symbolic links"):
		return nil, &Refused{name, "is a symbolic link that leads in a circle: put a file in its place"}
	}
	return nil, named(err, name)
}

// leadsOut reports whether err is the error for a path that leaves an os.Root. Package os does not export it.
func leadsOut(err error) bool {
	var path *os.PathError
	return errors.As(err, &path) && path.Err.Error() == "path escapes from parent"
}

// Read returns the text of a regular file of root with at most limit bytes. It is a Refused if the file is something
// else, such as a folder or a named pipe, if it is larger, if its permissions forbid reading it, or if a link in its
// place leads out of root. See Stat for the other errors and for name.
func Read(root *os.Root, file, name string, limit int64) ([]byte, error) {
	return read(root, file, name, limit)
}

// ReadLinked is Read for a file of a module of the reader's own, where a symbolic link may lead anywhere: the go
// command follows it too.
func ReadLinked(file, name string, limit int64) ([]byte, error) {
	return read(anywhere{}, file, name, limit)
}

func read(at place, file, name string, limit int64) ([]byte, error) {
	info, err := stat(at, file, name)
	if err != nil {
		return nil, err
	}
	if err := regular(info, name, limit); err != nil {
		return nil, err
	}
	// The file may have been replaced. Without O_NONBLOCK, opening a named pipe would block until its other end is
	// opened.
	f, err := at.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, named(err, name)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, named(err, name)
	}
	if err := regular(info, name, limit); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, named(err, name)
	}
	if int64(len(text)) > limit {
		return nil, tooLarge(name, limit)
	}
	return text, nil
}

// ReadFile is Read for a file that is named by its folder and its own name. The error calls it by its own name.
func ReadFile(dir, file string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return Read(root, file, file, limit)
}

// Folder opens a folder of root, whose path is slash-separated. It is a Refused if part of the path is a symbolic link,
// wherever that leads, is no folder, or is a folder that permissions forbid to open. The error wraps fs.ErrNotExist if
// there is nothing.
func Folder(root *os.Root, dir string) (*os.Root, error) {
	at, err := root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	done := ""
	for part := range strings.SplitSeq(dir, "/") {
		done = path.Join(done, part)
		next, err := open(at, part, done)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// open opens a folder in at, which errors call name.
func open(at *os.Root, part, name string) (*os.Root, error) {
	before, err := at.Lstat(part)
	if err != nil {
		return nil, named(err, name)
	}
	switch {
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, &Refused{name, "is a symbolic link, not a folder: put the folder itself in its place"}
	case !before.IsDir():
		return nil, &Refused{name, fmt.Sprintf("is a %s, not a folder: move it away", kind(before.Mode()))}
	}
	folder, err := at.OpenRoot(part)
	if err != nil {
		return nil, named(err, name)
	}
	// A link may have replaced the folder between the two calls.
	if after, err := folder.Stat("."); err != nil || !os.SameFile(before, after) {
		folder.Close()
		return nil, &Refused{name, "was replaced while it was opened: try again"}
	}
	return folder, nil
}

func regular(info fs.FileInfo, name string, limit int64) error {
	if !info.Mode().IsRegular() {
		return NotFile(name, info.Mode())
	}
	if info.Size() > limit {
		return tooLarge(name, limit)
	}
	return nil
}

// NotFile returns a Refused for something that should be a regular file and has another mode, such as a named pipe.
func NotFile(name string, mode fs.FileMode) error {
	return &Refused{name, fmt.Sprintf("is a %s, not a file: move it away", kind(mode))}
}

func tooLarge(name string, limit int64) error {
	return &Refused{name, fmt.Sprintf("has more than %d KiB, more than is read: shorten it, or move it away",
		limit>>10)}
}

// kind returns the kind of a file in words: "folder", "named pipe", "socket", "device", "symbolic link", "file".
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// named replaces the file name in an error of package os. An error about permissions becomes a Refused.
func named(err error, name string) error {
	if errors.Is(err, fs.ErrPermission) {
		return &Refused{name, forbidden}
	}
	return withPath(err, name)
}

// Write replaces the file atomically, or creates it with the permissions mode (before umask): an interruption or a full
// disk leaves the old content or the new one, and processes that write the same file do not mix their texts. The folder
// must exist. Meanwhile Write has a second file in the folder, which its errors do not name.
//
// It is written here because github.com/google/renameio has no functions on Windows.
func Write(name string, text []byte, mode os.FileMode) error {
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s-%08x", filepath.Base(name), rand.Uint32()))
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return withPath(err, name)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(withPath(err, name), os.Remove(temp))
	}
	return nil
}

// withPath returns an error of a file operation with another path, which the reader knows.
func withPath(err error, path string) error {
	var failed *os.PathError
	if errors.As(err, &failed) {
		return &os.PathError{Op: failed.Op, Path: path, Err: failed.Err}
	}
	return err
}
