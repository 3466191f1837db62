package userpkg

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/build"
)

// goFlags are the flags in GOFLAGS, from the environment or from "go env -w". Commands of the go command get them in
// their environment. A flag of ours on the command line replaces the same one there, so that -gcflags and -ldflags have
// to be repeated.
type goFlags []string

// stopFlags are the flags under which a package cannot be measured, with the reason.
var stopFlags = map[string]string{
	"n":        "with which Go prints commands and builds nothing",
	"overlay":  "and checkalloc needs an overlay of its own",
	"compiler": "and checkalloc reads the report of the compiler gc only",
}

// outputFlags are the flags that change what the go command prints, and nothing that it builds.
var outputFlags = []string{"json", "v", "work", "x"}

// parseGoFlags returns the flags in a GOFLAGS, without flags that only change what the go command prints. The error
// names a flag under which a package cannot be measured.
func parseGoFlags(text string) (goFlags, error) {
	fields, ok := splitQuoted(text)
	if !ok {
		return nil, fmt.Errorf("GOFLAGS %s: a quote is not closed", text)
	}
	var rest goFlags
	for _, field := range fields {
		name, value := cutFlag(field)
		why, stops := stopFlags[name]
		switch {
		case stops && value != "false" && value != "" && !(name == "compiler" && value == "gc"):
			return nil, fmt.Errorf("GOFLAGS has %s, %s: remove it from GOFLAGS, or with \"go env -u GOFLAGS\"", field, why)
		case stops, slices.Contains(outputFlags, name):
		default:
			rest = append(rest, field)
		}
	}
	return rest, nil
}

// cutFlag returns the name of a flag and its value, "true" if it has none.
func cutFlag(field string) (name, value string) {
	name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(field, "-"), "-"), "=")
	if !ok {
		value = "true"
	}
	return name, value
}

// setting returns the flags as a setting of the environment.
func (f goFlags) setting() string {
	if len(f) == 0 {
		return build.NoFlags
	}
	return "GOFLAGS=" + joinQuoted(f)
}

// quote returns an argument as the go command reads it in a list of arguments. Nothing is escaped within quotes.
func quote(arg string) string {
	switch {
	case !strings.ContainsAny(arg, " \t\r\n'\""):
		return arg
	case strings.Contains(arg, "'"):
		return `"` + arg + `"`
	}
	return "'" + arg + "'"
}

// splitQuoted splits a list of arguments as the go command does (cmd/internal/quoted): quotes count only around a whole
// argument, and nothing is escaped within them. ok is false if a quote is not closed.
func splitQuoted(text string) (args []string, ok bool) {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return args, true
		}
		if text[0] != '\'' && text[0] != '"' {
			end := strings.IndexAny(text, " \t\r\n")
			if end < 0 {
				end = len(text)
			}
			args, text = append(args, text[:end]), text[end:]
			continue
		}
		arg, rest, closed := strings.Cut(text[1:], text[:1])
		if !closed {
			return nil, false
		}
		args, text = append(args, arg), rest
	}
}

// perPackage returns the flag of that name, -gcflags or -ldflags, for the package on the command line, with more flags
// of the compiler or the linker after the user's.
func (p *Package) perPackage(name string, more ...string) string {
	return "-" + name + "=" + joinQuoted(p.toolFlags(name, p.ImportPath), more)
}

// forOthers returns such a flag for each of some packages that are not measured.
func (p *Package) forOthers(name string, importPaths []string, more ...string) (flags []string) {
	for _, path := range importPaths {
		flags = append(flags, "-"+name+"="+path+"="+joinQuoted(p.toolFlags(name, path), more))
	}
	return flags
}

// patterned returns the flags of that name in GOFLAGS that have a pattern, behind an empty one. A flag without a pattern
// is for the packages on the command line of a build, so it must not count where others are listed.
func (p *Package) patterned(name string) []string {
	flags := []string{"-" + name + "="}
	for _, field := range p.goFlags {
		if flag, value := cutFlag(field); flag == name {
			if value = strings.TrimSpace(value); value != "" && value[0] != '-' {
				flags = append(flags, field)
			}
		}
	}
	return flags
}

func joinQuoted(lists ...[]string) string {
	args := slices.Concat(lists...)
	for i, arg := range args {
		args[i] = quote(arg)
	}
	return strings.Join(args, " ")
}

// toolFlags returns the flags of the compiler or the linker that GOFLAGS has for a package in the flag of that name.
// The last one whose pattern matches the package counts, as for the go command.
func (p *Package) toolFlags(name, importPath string) (flags []string) {
	for _, field := range p.goFlags {
		flag, value := cutFlag(field)
		if flag != name {
			continue
		}
		pattern, value := "", strings.TrimSpace(value)
		if value != "" && value[0] != '-' {
			pattern, value, _ = strings.Cut(value, "=")
		}
		if args, ok := splitQuoted(value); ok && p.matches(strings.TrimSpace(pattern), importPath) {
			flags = args
		}
	}
	return flags
}

// matches reports whether a pattern of the go command matches a package. The empty pattern matches the package on the
// command line, which is p.
func (p *Package) matches(pattern, importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	switch pattern {
	case "":
		return importPath == p.ImportPath
	case "all":
		return true
	case "std":
		return !strings.Contains(first, ".") && !p.InModule(importPath) &&
			(importPath != p.ImportPath || Within(filepath.Join(p.goroot, "src"), p.Dir))
	case "cmd":
		return false
	}
	name := importPath
	if pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../") {
		dir, err := filepath.Abs(p.config.Dir)
		if err != nil {
			return false
		}
		pattern = path.Join(filepath.ToSlash(dir), pattern)
		name = path.Join(filepath.ToSlash(p.Module.Dir), strings.TrimPrefix(importPath, p.Module.Path))
	}
	pattern = strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, ".*")
	if below, ok := strings.CutSuffix(pattern, "/.*"); ok { // "x/..." matches x too
		pattern = below + "(/.*)?"
	}
	matched, err := regexp.MatchString("^"+pattern+"$", name)
	return err == nil && matched
}
