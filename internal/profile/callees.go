package profile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/harness/wire"
)

// Callees adds to objects, by import path, what each of the wanted packages allocates: the innermost frame in a
// wanted package counts. Allocations by nearer frames in one of our packages are not counted.
func Callees(objects map[string]float64, stacks []wire.Stack, ours []string, wanted func(importPath string) bool) {
	for _, s := range stacks {
		called, frames := leaveRuntime(s.Frames)
		if called == "" {
			continue // the runtime's own
		}
		for _, f := range frames {
			pkg := PackageOf(f.Func)
			if slices.Contains(ours, pkg) || isHarness(f) {
				break
			}
			if wanted(pkg) {
				objects[pkg] += float64(s.Objects)
				break
			}
		}
	}
}

// Instantiators adds the import paths of the packages that call generic functions of the wanted packages: the compiler
// compiles such a function there. A generic function may be called by another one, so the caller is the first function
// that is not generic.
func Instantiators(paths map[string]bool, stacks []wire.Stack, wanted func(importPath string) bool) {
	for _, s := range stacks {
		generic := false
		for _, f := range s.Frames {
			pkg := PackageOf(f.Func)
			switch {
			case strings.Contains(f.Func, "["):
				generic = generic || wanted(pkg)
			case generic:
				paths[pkg] = true
				generic = false
			}
		}
	}
}

// PackageOf returns the import path of the package of a function, whose name is as in the program's symbols.
func PackageOf(function string) string {
	plain, _, _ := strings.Cut(function, "[") // type arguments may have import paths
	slash := strings.LastIndexByte(plain, '/') + 1
	name, _, _ := strings.Cut(plain[slash:], ".")
	return Unescape(plain[:slash] + name)
}

var escaped = regexp.MustCompile("%[0-9a-fA-F]{2}")

// Unescape decodes the %xx escapes that the linker uses for import paths in symbol names: "gopkg.in/yaml%2ev3.Marshal".
func Unescape(symbol string) string {
	return escaped.ReplaceAllStringFunc(symbol, func(escape string) string {
		c, _ := strconv.ParseUint(escape[1:], 16, 8)
		return string([]byte{byte(c)})
	})
}
