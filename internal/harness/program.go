package harness

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
)

// ProgramPackages returns the sources of the packages that measure the main function of a program and record its steps,
// "wire/wire.go" and so on, for a folder with the given import path; see testmain.Once and package recorder.
func ProgramPackages(base string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") || path.Base(name) == "parse.go" {
			return err
		}
		text, err := sources.ReadFile(name)
		files[name] = bytes.ReplaceAll(text, []byte(`"`+ImportPath+`/`), []byte(`"`+base+`/`))
		return err
	})
	return files, err
}
