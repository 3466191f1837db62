package present

import (
	"path"
	"slices"
	"strings"

	"onthestack/internal/verdict"
)

// Inside is Functions for the lines of other packages. The names of files, for source too, begin with the import path
// of their package.
func Inside(v *verdict.Verdict, source Source) []Function {
	inside := verdict.Verdict{Benchmarks: v.Benchmarks, Allocations: slices.Clone(v.Inside)}
	for i := range inside.Allocations {
		a := &inside.Allocations[i]
		a.File = path.Join(a.Package, a.File)
		a.Reasons = slices.Clone(a.Reasons)
		for j := range a.Reasons {
			flow := slices.Clone(a.Reasons[j].Flow)
			for k, step := range flow {
				// Files of other packages have a folder already.
				if step.File != "" && !strings.Contains(step.File, "/") {
					flow[k].File = path.Join(a.Package, step.File)
				}
			}
			a.Reasons[j].Flow = flow
		}
	}
	return Functions(&inside, source)
}

// FileName returns the name of a file for the reader. The file may have the import path of its package before its name;
// then the path of the module is left out, and the package at the root of the module goes by its name.
func FileName(v *verdict.Verdict, module, file string) string {
	importPath, name := path.Split(file)
	importPath = strings.TrimSuffix(importPath, "/")
	if root := v.Names[module]; importPath == module && root != "" {
		importPath = root
	} else {
		importPath = strings.TrimPrefix(importPath, module+"/")
	}
	return path.Join(importPath, name)
}
