package workspace

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"onthestack/internal/exercise"
	"onthestack/internal/safefile"
)

// A Copy is the reader's code of an exercise: the files of its folder that are to be edited.
type Copy struct {
	// Files are the texts by the names of the files. Their lines end in "\n", whatever they end in on the disk. A
	// missing file is not in it.
	Files map[string]string
	// Version is the same as long as all bytes on the disk are.
	Version string
}

// ErrChanged is returned by WriteCopy if the files are not of the version that the caller knows.
var ErrChanged = errors.New("the files were changed meanwhile")

// newlines replaces each line ending with "\n".
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// ReadCopy returns the reader's code of an exercise. The error wraps fs.ErrNotExist if the exercise's folder is missing.
// It is a *safefile.Refused if the folder or a file is a symbolic link, is too large, or is not text.
func (w *Workspace) ReadCopy(e *exercise.Exercise) (Copy, error) {
	root, err := w.folder(e.Dir(), false)
	if err != nil {
		return Copy{}, err
	}
	defer root.Close()
	raw, err := readEdited(root, e)
	if err != nil {
		return Copy{}, err
	}
	return copyOf(e, raw), nil
}

// readEdited returns the bytes of the files of an exercise that are to be edited, from its folder root.
func readEdited(root *os.Root, e *exercise.Exercise) (raw map[string][]byte, err error) {
	raw = map[string][]byte{}
	for _, name := range e.Edit {
		called := e.Dir() + "/" + name
		info, err := root.Lstat(name)
		if err == nil && !info.Mode().IsRegular() {
			// Replacing a link would leave the file alone that it leads to.
			return nil, safefile.NotFile(called, info.Mode())
		}
		var text []byte
		err = retry(func() (err error) {
			text, err = safefile.Read(root, name, called, maxFileSize)
			return err
		})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case !utf8.Valid(text):
			return nil, &safefile.Refused{Name: called, Why: "is not UTF-8: save it with that encoding"}
		}
		raw[name] = text
	}
	return raw, nil
}

func copyOf(e *exercise.Exercise, raw map[string][]byte) Copy {
	c := Copy{Files: map[string]string{}}
	sum := sha256.New()
	for _, name := range slices.Sorted(slices.Values(e.Edit)) {
		text, ok := raw[name]
		fmt.Fprintf(sum, "%s %v %d\n%s", name, ok, len(text), text)
		if ok {
			c.Files[name] = newlines.Replace(string(text))
		}
	}
	c.Version = fmt.Sprintf("%x", sum.Sum(nil))
	return c
}

// WriteCopy replaces the reader's code of an exercise with files, whose lines end in "\n", and returns the new copy. If
// the code on the disk is not of the given version, it changes nothing and returns ErrChanged with the copy on the disk.
//
// A file keeps the line endings and the permissions that it has, and a missing one is made. Each file is replaced
// atomically, once all of them are on the disk under other names. Before the starter replaces other code, that code moves
// into a backup, as Reset does it. For other errors see ReadCopy.
func (w *Workspace) WriteCopy(
	e *exercise.Exercise, files map[string]string, version string, now time.Time,
) (_ Copy, err error) {
	unlock, err := w.lockState()
	if err != nil {
		return Copy{}, fmt.Errorf("save %s: %w", e.ID, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	root, err := w.folder(e.Dir(), false)
	if err != nil {
		return Copy{}, err
	}
	defer root.Close()
	raw, err := readEdited(root, e)
	if err != nil {
		return Copy{}, err
	}
	if before := copyOf(e, raw); before.Version != version {
		return before, ErrChanged
	}
	after := map[string][]byte{}
	for name, text := range files {
		if was, ok := raw[name]; ok && newlines.Replace(string(was)) == text {
			continue
		} else if bytes.Contains(was, []byte("\r\n")) {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if info, err := root.Stat(name); err == nil && info.Mode().Perm()&0o200 == 0 {
			return Copy{}, &safefile.Refused{Name: e.Dir() + "/" + name, Why: "is read-only: change its permissions"}
		}
		after[name] = []byte(text)
	}
	if err := w.replaceEdited(e, root, raw, after, now); err != nil {
		return Copy{}, err
	}
	maps.Copy(raw, after)
	return copyOf(e, raw), nil
}

// replaceEdited writes the files after over the ones in raw, in the folder root of the exercise.
func (w *Workspace) replaceEdited(
	e *exercise.Exercise, root *os.Root, raw, after map[string][]byte, now time.Time,
) error {
	var overwritten []string
	starter := true
	for name, text := range after {
		starter = starter && string(text) == string(e.Files[name])
		if _, ok := raw[name]; ok {
			overwritten = append(overwritten, name)
		}
	}
	staged, err := stage(after, root, raw)
	if err != nil {
		return err
	}
	if starter && len(overwritten) > 0 {
		_, err = w.backup(root, overwritten, backupName(e, now))
	}
	for name, temp := range staged {
		if err == nil {
			err = retry(func() error { return root.Rename(temp, name) })
		} else {
			err = errors.Join(err, root.Remove(temp))
		}
	}
	return err
}
