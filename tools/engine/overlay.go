package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// An overlay has files that replace files of the distribution, by their names in GOROOT/src.
type overlay map[string][]byte

// Write writes an overlay's files, and the list of them that the go command is given with -overlay. The caller has to
// call remove when the go command has ended.
func (o overlay) Write(goroot string) (list string, remove func() error, err error) {
	dir, err := os.MkdirTemp("", "engine-")
	if err != nil {
		return "", nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	replace := map[string]string{}
	for name, text := range o {
		at := filepath.Join(goroot, "src", filepath.FromSlash(name))
		replace[at] = filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		err = errors.Join(err, os.WriteFile(replace[at], text, 0o644))
	}
	text, _ := json.Marshal(map[string]any{"Replace": replace})
	list = filepath.Join(dir, "overlay.json")
	if err = errors.Join(err, os.WriteFile(list, text, 0o644)); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return list, remove, nil
}
