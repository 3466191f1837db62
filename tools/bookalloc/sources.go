package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/gocommand"
	"onthestack/internal/safefile"
)

// A targetProgram is a list of packages and the platform that they are compiled for.
type targetProgram struct {
	env      []string // in addition to the environment; nil for this platform
	packages []string
}

// targetPrograms are the programs that build a target, or are a part of it.
var targetPrograms = map[string][]targetProgram{
	"book":   {{nil, []string{"./tools/bookalloc"}}},
	"engine": {{nil, []string{"./tools/engine"}}, {[]string{"GOOS=js", "GOARCH=wasm"}, []string{"./tools/engine/page"}}},
}

// updateSources writes what a target of the Makefile is built from: the Go files of this repository that a program
// consists of, each with a hash. The list is written to .cache/TARGET.sources, unless that file has it already, so that
// make builds the target again if one of these files changes and not otherwise.
func updateSources(root, target string) error {
	names, err := sources(root, target)
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(text), name)
	}
	file := filepath.Join(root, ".cache", target+".sources")
	old, err := os.ReadFile(file)
	switch {
	case err == nil && bytes.Equal(old, list.Bytes()):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return safefile.Write(file, list.Bytes(), 0o644)
}

// sources returns the files that a target is built from.
func sources(root, target string) (names []string, err error) {
	names = []string{"go.mod", "go.sum"}
	for _, p := range targetPrograms[target] {
		files, err := gocommand.Sources(root, p.env, p.packages...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(p.packages, " "), err)
		}
		names = append(names, files...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
