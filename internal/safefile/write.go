package safefile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

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
