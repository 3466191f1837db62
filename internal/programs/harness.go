package programs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"onthestack/internal/execution"
	"onthestack/internal/harness"
)

// harnessFolder is the folder of the harness's packages in the module of a program that brings them.
const harnessFolder = "zzharness"

// WithHarness returns a copy of the program that can import packages of the harness, and the import path below which
// they are. If the Builder does not have them, packages returns their sources for that import path.
func (c Compiler) WithHarness(
	src execution.Source, packages func(base string) (map[string][]byte, error),
) (_ execution.Source, base string, err error) {
	src.Files = maps.Clone(src.Files)
	if c.Builder.HasHarness(src) {
		src.Harness = true
		return src, harness.ImportPath, nil
	}
	folder := harnessFolder
	for slices.ContainsFunc(slices.Collect(maps.Keys(src.Files)), func(name string) bool {
		return strings.HasPrefix(name+"/", folder+"/")
	}) {
		folder += "z"
	}
	base = modfile.ModulePath(src.Files["go.mod"]) + "/" + folder
	sources, err := packages(base)
	if err != nil {
		return src, "", fmt.Errorf("read the harness: %w", err)
	}
	for name, text := range sources {
		src.Files[folder+"/"+name] = text
	}
	return src, base, nil
}
