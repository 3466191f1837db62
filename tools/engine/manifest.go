package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

const (
	schemas      = "onthestack/engine/"
	schema       = schemas + "1"
	manifestFile = "manifest.json"
)

// A manifest lists the contents of an engine.
type manifest struct {
	Schema  string           `json:"schema"`
	Go      string           `json:"go"`
	GOOS    string           `json:"goos"`
	GOARCH  string           `json:"goarch"`
	GODEBUG string           `json:"godebug"`
	Parts   map[string]sizes `json:"parts"`
	Imports []string         `json:"imports"` // import paths that programs may use
}

// sizes are the bytes of a part's file and of its compressed copies.
type sizes struct {
	File string `json:"file"`
	Size int64  `json:"size"`
	BR   int64  `json:"br"`
	GZ   int64  `json:"gz"`
}

// replaceable returns an error if dir must not be replaced by an engine because it has other files.
func replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	var m manifest
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil || json.Unmarshal(text, &m) != nil || !strings.HasPrefix(m.Schema, schemas) {
		return fmt.Errorf("%w: %s has files that are not the engine's: name another folder, or empty it", errUsage, dir)
	}
	return nil
}

// write builds the folder dir from the parts' files, and replaces what is there.
func (m *manifest) write(dir string, files map[string]string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	making, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+"-"+makingPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(making)
	m.Parts = map[string]sizes{}
	for name, file := range files {
		s := sizes{File: filepath.Base(file)}
		// The order matters: servers ignore a compressed copy that is older than its file.
		for _, c := range []struct {
			suffix string
			size   *int64
		}{{"", &s.Size}, {".br", &s.BR}, {".gz", &s.GZ}} {
			if *c.size, err = link(file+c.suffix, filepath.Join(making, s.File+c.suffix)); err != nil {
				return err
			}
		}
		m.Parts[name] = s
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(making, manifestFile), append(text, '\n'), 0o644),
		os.Chmod(making, 0o755)); err != nil {
		return err
	}
	old := making + "-old"
	defer os.RemoveAll(old)
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(making, dir)
}

// link makes a file available under a second name, as a copy if the file system has no links, and returns its size.
func link(from, to string) (int64, error) {
	info, err := os.Stat(from)
	if err != nil {
		return 0, err
	}
	if os.Link(from, to) == nil {
		return info.Size(), nil
	}
	text, err := os.ReadFile(from)
	return info.Size(), errors.Join(err, os.WriteFile(to, text, 0o644))
}

// print shows the sizes as a table.
func (m *manifest) print(out io.Writer) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "bytes\tbrotli\tgzip\t ")
	var all sizes
	for _, name := range []string{"compile", "link", "page", "std", "exec"} {
		s := m.Parts[name]
		fmt.Fprintf(t, "%d\t%d\t%d\t %s\n", s.Size, s.BR, s.GZ, s.File)
		all.Size, all.BR, all.GZ = all.Size+s.Size, all.BR+s.BR, all.GZ+s.GZ
	}
	fmt.Fprintf(t, "%d\t%d\t%d\t for %s\n", all.Size, all.BR, all.GZ, m.Go)
	t.Flush()
}
