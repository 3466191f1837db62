package compilelink

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/modfile"
)

// A Program is what a stranger sends.
type Program struct {
	// Files are the program's, by slash-separated path. The package to build is in the root, and so is a go.mod.
	Files map[string][]byte
	// Test has the package's tests built, and not its main function.
	Test bool
	// Experiments are what GOEXPERIMENT is to name.
	Experiments []string
}

// maxName is the longest that a file's name, and maxPath that its path may be, in bytes, on every file system.
const maxName, maxPath = 200, 500

// foreign are the endings of files that the go command would hand to the assembler or to another language's compiler. The
// assembler includes any file of the machine and quotes it in its messages; all others need cgo, which there is not.
var foreign = regexp.MustCompile(`\.([sS]|c|cc|cpp|cxx|m|h|hh|hpp|hxx|f|F|for|f90|swig|swigcxx|syso)$`)

var experiment = regexp.MustCompile(`^[A-Za-z0-9]+$`)

// Refuse says what about a program keeps it from being built at all, "" for nothing: what would reach out of its folder.
func (p Program) Refuse() string {
	folders := map[string]bool{}
	for name := range p.Files {
		for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		switch {
		case !local(name):
			return fmt.Sprintf("file name %q is not allowed: it has to be a path below the program's folder\n", short(name))
		case folders[name]:
			return fmt.Sprintf("%s is the name of a file and of a folder\n", name)
		case foreign.MatchString(name):
			return fmt.Sprintf("%s: a program here is made of Go files only\n", name)
		}
	}
	for _, name := range p.Experiments {
		if !experiment.MatchString(name) {
			return fmt.Sprintf("GOEXPERIMENT %q is none\n", short(name))
		}
	}
	for name, text := range p.Files {
		if path.Base(name) == "go.mod" {
			if problem := refuseModule(name, text); problem != "" {
				return problem
			}
		}
	}
	return ""
}

func local(name string) bool {
	if !utf8.ValidString(name) || len(name) > maxPath || strings.ContainsAny(name, "\\\x00") || path.Clean(name) != name ||
		name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	for element := range strings.SplitSeq(name, "/") {
		if len(element) > maxName {
			return false
		}
	}
	return true
}

// short is as much of a name as a message needs.
func short(name string) string {
	if len(name) > maxName {
		return name[:maxName] + "…"
	}
	return name
}

// refuseModule holds a go.mod to what it may say: a module has to be what the program's files or a proxy have. What cannot be
// parsed here is refused, for the go command might read something in it.
func refuseModule(name string, text []byte) string {
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return fmt.Sprintf("go: errors parsing %s:\n%v\n", name, err)
	}
	for _, r := range f.Replace {
		folder := path.Join(path.Dir(name), r.New.Path)
		if r.New.Version == "" && (path.IsAbs(r.New.Path) || folder != "." && !local(folder)) {
			return fmt.Sprintf("%s:%d: replacement %s is not in the program\n", name, r.Syntax.Start.Line, short(r.New.Path))
		}
	}
	if f.Module != nil && (f.Module.Mod.Path == "std" || f.Module.Mod.Path == "cmd") {
		return fmt.Sprintf("%s:%d: a module may not be named %s\n", name, f.Module.Syntax.Start.Line, f.Module.Mod.Path)
	}
	return ""
}
