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

// write writes an overlay's files into a new folder in dir, and the list of them that the go command is given with
// -overlay.
func (o overlay) write(dir, goroot string) (list string, err error) {
	dir, err = os.MkdirTemp(dir, "overlay-")
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range o {
		at := filepath.Join(goroot, "src", filepath.FromSlash(name))
		replace[at] = filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		err = errors.Join(err, os.WriteFile(replace[at], text, 0o644))
	}
	text, _ := json.Marshal(map[string]any{"Replace": replace})
	list = filepath.Join(dir, "overlay.json")
	return list, errors.Join(err, os.WriteFile(list, text, 0o644))
}
