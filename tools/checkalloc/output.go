package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

// An outlet is a writer whose first error ends the command: most of what is printed for a person is printed without a look at
// errors.
type outlet struct {
	to  io.Writer
	end context.CancelCauseFunc
}

func (o *outlet) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil {
		o.end(unwritten{err})
	}
	return n, err
}

// An unwritten is the error of an outlet.
type unwritten struct{ error }

func (u unwritten) Unwrap() error { return u.error }

// A hidden is an error with another text.
type hidden struct {
	text string
	error
}

func (h hidden) Error() string { return h.text }
func (h hidden) Unwrap() error { return h.error }

// temporary is a file that this program or the go command makes and removes again.
var temporary = regexp.MustCompile(regexp.QuoteMeta(filepath.Clean(os.TempDir())+string(filepath.Separator)) + `(checkalloc-[a-z]+-|go-build)\d+([/\\][^\s:;,"]*)?`)

// untemporary tells an error without the names of temporary files, which mean nothing to a reader, and says where they are.
func untemporary(err error) error {
	text := err.Error()
	short := temporary.ReplaceAllLiteralString(text, "a temporary file")
	if short == text {
		return err
	}
	return hidden{fmt.Sprintf("%s; such files are made in %s, or where TMPDIR says", short, os.TempDir()), err}
}

// replace writes a file whole, or leaves what is there as it is. What is no regular file, as a pipe, is written to.
func replace(name string, text []byte) (err error) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	mode := os.FileMode(0o666)
	info, err := os.Stat(name)
	if err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(name, text, mode)
		}
		mode = info.Mode().Perm()
	}
	beside := fmt.Sprintf("%s.%d.tmp", name, os.Getpid())
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return renamed(err, name)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(beside, name)
	}
	if err != nil {
		return errors.Join(renamed(err, name), os.Remove(beside))
	}
	return nil
}

// renamed tells an error of a file as one of another, which the reader knows.
func renamed(err error, name string) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return &os.PathError{Op: path.Op, Path: name, Err: path.Err}
	}
	return err
}
