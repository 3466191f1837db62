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

	"onthestack/internal/execution"
)

// Limits on a file's name and on its path, in bytes. Every file system allows names of this length.
const maxName, maxPath = 200, 500

// notGo matches files that the go command hands to the assembler or to the compiler of another language. The assembler
// could include any file of the machine and quote it in its messages. The others need cgo, which is off.
var notGo = regexp.MustCompile(`\.([sS]|c|cc|cpp|cxx|m|h|hh|hpp|hxx|f|F|for|f90|swig|swigcxx|syso)$`)

var experiment = regexp.MustCompile(`^[A-Za-z0-9]+$`)

// Refuse returns why a program that a client sent must not be built, "" if it may: a file or a module of it would be
// outside its folder.
func Refuse(src execution.Source) string {
	folders := map[string]bool{}
	for name := range src.Files {
		for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(src.Files)) {
		switch {
		case !isLocal(name):
			return fmt.Sprintf("file name %q is not allowed: it has to be a path below the program's folder\n",
				short(name))
		case folders[name]:
			return fmt.Sprintf("%s is the name of a file and of a folder\n", name)
		case notGo.MatchString(name):
			return fmt.Sprintf("%s: a program here is made of Go files only\n", name)
		}
	}
	for _, name := range src.Experiments {
		if !experiment.MatchString(name) {
			return fmt.Sprintf("unknown GOEXPERIMENT %q\n", short(name))
		}
	}
	for name, text := range src.Files {
		if path.Base(name) == "go.mod" {
			if problem := refuseModule(name, text); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// isLocal reports whether a file's name is a path below the program's folder, short enough for every file system.
func isLocal(name string) bool {
	if !utf8.ValidString(name) || len(name) > maxPath || strings.ContainsAny(name, "\\\x00") ||
		path.Clean(name) != name || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	for element := range strings.SplitSeq(name, "/") {
		if len(element) > maxName {
			return false
		}
	}
	return true
}

// short shortens a name for a message.
func short(name string) string {
	if len(name) > maxName {
		return strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	return name
}

// refuseModule returns why a go.mod is refused, "" if it is not. Each module must come from the program's own files or
// from a proxy. A file that cannot be parsed here is refused, because the go command might understand it differently.
func refuseModule(name string, text []byte) string {
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return fmt.Sprintf("go: errors parsing %s:\n%v\n", name, err)
	}
	for _, r := range f.Replace {
		folder := path.Join(path.Dir(name), r.New.Path)
		if r.New.Version == "" && (path.IsAbs(r.New.Path) || folder != "." && !isLocal(folder)) {
			return fmt.Sprintf("%s:%d: replacement %s is not in the program\n", name, r.Syntax.Start.Line,
				short(r.New.Path))
		}
	}
	if f.Module != nil && (f.Module.Mod.Path == "std" || f.Module.Mod.Path == "cmd") {
		return fmt.Sprintf("%s:%d: a module may not be named %s\n", name, f.Module.Syntax.Start.Line, f.Module.Mod.Path)
	}
	return ""
}
