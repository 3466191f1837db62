// Package kept keeps results that are the same whenever they are made, as the go command keeps those of tests: in a file for each,
// named by a hash of all that the result depends on.
package kept

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A Store keeps results in a folder. Where it is nil, nothing is kept.
type Store struct {
	dir    string
	common []byte // what all results depend on, hashed
}

// Open returns a store of what the code of the module at root finds out. Results depend on that code: on go.mod and go.sum, and on
// each file below the folders that are named, slash-separated from root, but for tests, testdata and sealed exercises, of which a
// result names those that it is about. They depend on the platform and on the settings of Go that are not the default ones, too.
func Open(dir, root string, code ...string) (*Store, error) {
	hash := sha256.New()
	changed, err := exec.Command("go", "env", "-changed").Output()
	if err != nil {
		return nil, fmt.Errorf("ask for the settings of Go: %w", err)
	}
	fmt.Fprintf(hash, "%s/%s %s\n", runtime.GOOS, runtime.GOARCH, changed)
	for _, top := range append([]string{"go.mod", "go.sum"}, code...) {
		err := fs.WalkDir(os.DirFS(root), top, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "sealed"):
				return fs.SkipDir
			case entry.IsDir() || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil {
				return err
			}
			fmt.Fprintf(hash, "%s %x\n", name, sha256.Sum256(text))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read the code that results depend on: %w", err)
		}
	}
	return &Store{dir: dir, common: hash.Sum(nil)}, nil
}

// file is where a result lies that depends on this.
func (s *Store) file(depends []any) string {
	hash := sha256.New()
	hash.Write(s.common)
	for _, d := range depends {
		fmt.Fprintf(hash, "%T %#v\n", d, d) // fmt prints maps in the order of their keys
	}
	return filepath.Join(s.dir, fmt.Sprintf("%x.json", hash.Sum(nil)))
}

// Get returns the result that is kept for what it depends on, or has it made and keeps it. An error is not kept, nor is a result
// for which steady is false: one that may be another when it is made again. The result goes through JSON also where it was just
// made, so that its reader cannot tell. What it depends on is strings, numbers, and maps and slices of them.
func Get[T any](s *Store, make func() (result T, steady bool, err error), depends ...any) (result T, err error) {
	if s == nil {
		result, _, err = make()
		return result, err
	}
	name := s.file(depends)
	if text, err := os.ReadFile(name); err == nil {
		var kept T
		if json.Unmarshal(text, &kept) == nil {
			return kept, nil
		}
	}
	result, steady, err := make()
	if err != nil || !steady {
		return result, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		return result, err
	}
	var again T
	if err := json.Unmarshal(text.Bytes(), &again); err != nil {
		return result, err
	}
	return again, write(name, text.Bytes())
}

// write writes a file whole or not at all: others may be about to write the same.
func write(name string, text []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
