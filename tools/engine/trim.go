package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// goarch is the architecture that is kept.
const goarch = "wasm"

// An edit returns the changed text of a file, or an error if the file does not have what it changes exactly once. It
// relies on the indentation of gofmt.
type edit func(text string) (string, error)

// trim returns an overlay with the edited files of the distribution's sources, without the imports that only the
// removed code used. The error names a file that has another structure than the edits expect.
func trim(src fs.FS, edits map[string][]edit) (overlay, error) {
	o := overlay{}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		source, err := fs.ReadFile(src, name)
		if err != nil {
			return nil, err
		}
		text := string(source)
		for _, edited := range edits[name] {
			if text, err = edited(text); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		o[name] = []byte(toolImport.ReplaceAllStringFunc(text, func(line string) string {
			imported := toolImport.FindStringSubmatch(line)[1]
			if regexp.MustCompile(`\b` + imported + `\.`).MatchString(text) {
				return line
			}
			return ""
		}))
	}
	return o, nil
}

// toolImport matches the import of a tool's internal package, such as the back end of an architecture.
var toolImport = regexp.MustCompile(`(?m)^\t"cmd/(?:compile|link)/internal/(\w+)"\n`)

// replace is an edit that puts text in the place of old.
func replace(old, text string) edit {
	return func(file string) (string, error) {
		if n := strings.Count(file, old); n != 1 {
			return "", fmt.Errorf("it has %d times %q", n, old)
		}
		return strings.Replace(file, old, text, 1), nil
	}
}

// dropIf is an edit that removes an if statement of a function, which has that condition and no else branch.
func dropIf(condition string) edit {
	statement := regexp.MustCompile(`(?m)^\tif ` + regexp.QuoteMeta(condition) + ` \{\n(\t\t.*\n|\n)*\t\}\n`)
	return func(file string) (string, error) {
		if n := len(statement.FindAllString(file, 2)); n != 1 {
			return "", fmt.Errorf("it has %d statements if %s", n, condition)
		}
		return statement.ReplaceAllString(file, ""), nil
	}
}

// keepArchitecture is an edit that removes the other architectures' entries from a table, or their cases from a
// function's switch. head begins the table or the switch, which is the first of several in the file.
func keepArchitecture(head string) edit {
	whole := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(head) + `.*\n(\t(\t|"|case |default:).*\n|\n)*`)
	entry := regexp.MustCompile(`(?m)^\t("|case |default:).*\n(\t\t.*\n|\n)*`)
	return func(file string) (string, error) {
		entries := 0
		at := whole.FindStringIndex(file)
		if at == nil {
			return "", fmt.Errorf("it has no %q", head)
		}
		trimmed := entry.ReplaceAllStringFunc(file[at[0]:at[1]], func(text string) string {
			first, _, _ := strings.Cut(text, "\n")
			switch {
			case strings.Contains(first, strconv.Quote(goarch)):
				entries++
			case !strings.HasPrefix(first, "\tdefault:"):
				return ""
			}
			return text
		})
		if entries != 1 {
			return "", fmt.Errorf("%q has %d entries %q", head, entries, goarch)
		}
		return file[:at[0]] + trimmed + file[at[1]:], nil
	}
}

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
