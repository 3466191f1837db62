package present

import (
	"path"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// Inside is Functions for the lines of other packages. The names of files, for source too, begin with the import path
// of their package.
func Inside(v *verdict.Verdict, source Source) []Function {
	if len(v.Inside) == 0 {
		return nil
	}
	inside := verdict.Verdict{Benchmarks: v.Benchmarks, Allocations: slices.Clone(v.Inside)}
	for i := range inside.Allocations {
		a := &inside.Allocations[i]
		a.File = path.Join(a.Package, a.File)
		a.Reasons = slices.Clone(a.Reasons)
		for j := range a.Reasons {
			a.Reasons[j].Flow = inPackage(a.Reasons[j].Flow, a.Package)
		}
	}
	return Functions(&inside, source)
}

// inPackage returns the steps of a flow with an import path before the names of the package's files. Files of other
// packages have a folder already.
func inPackage(flow []escape.Step, importPath string) []escape.Step {
	flow = slices.Clone(flow)
	for i := range flow {
		if s := &flow[i]; s.File != "" && !strings.Contains(s.File, "/") {
			s.File = path.Join(importPath, s.File)
		}
	}
	return flow
}

// FileName returns the name of a file for the reader. The file may have the import path of its package before its name;
// then the path of the module is left out, and the package at the root of the module goes by its name.
func FileName(v *verdict.Verdict, module, file string) string {
	importPath, name := path.Split(file)
	importPath = strings.TrimSuffix(importPath, "/")
	switch {
	case module == "":
	case importPath == module && v.Names[module] != "":
		importPath = v.Names[module]
	default:
		importPath = strings.TrimPrefix(importPath, module+"/")
	}
	return path.Join(importPath, name)
}
