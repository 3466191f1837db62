package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A cancelingWriter ends the command at the first error of a write.
type cancelingWriter struct {
	to     io.Writer
	cancel context.CancelCauseFunc
}

func (w *cancelingWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		w.cancel(&WriteError{err})
	}
	return n, err
}

// WriteFile replaces a file atomically, so that its old content stays if the new one cannot be written. A file that is
// not regular, such as a pipe, is written to.
//
// It is written here because github.com/google/renameio exports no function on Windows.
func WriteFile(name string, text []byte) (err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := os.FileMode(0o666)
	info, err := os.Stat(name)
	if err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(name, text, mode)
		}
		mode = info.Mode().Perm()
	}
	temp := fmt.Sprintf("%s.%d.tmp", name, os.Getpid())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return withPath(err, name)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
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
