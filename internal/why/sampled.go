package why

import (
	"path"

	"onthestack/internal/escape"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

// Sampled returns the lines of packages that allocate in a profile of samples, most first, with the reasons for it. It
// sets the Storage and the Source of the packages' diagnostics. AllocsPerOp and BytesPerOp are sums over the stacks:
// nothing is distributed or estimated.
//
// The file of a frame is its base name behind the import path of its package. An object is attributed to the innermost
// frame in one of the packages. The caller can leave out the path before files of other frames.
func Sampled(packages []*Package, stacks []wire.Stack) []Allocation {
	reports := map[string]*compilerReport{}
	for _, p := range packages {
		escape.MarkStorage(p.Diagnostics, StoredBy(p.ValueOf))
		escape.NameValues(p.Diagnostics, p.Files)
		reports[p.ImportPath] = newReport(p)
	}
	found := profile.Attribute(stacks, func(f wire.Frame) (profile.Place, bool) {
		dir, name := path.Dir(f.File), path.Base(f.File)
		r := reports[dir]
		if r == nil || r.pkg.Files[name] == nil {
			return profile.Place{}, false
		}
		return profile.Place{Package: dir, File: name, Function: r.pkg.functionAt(name, f.Line)}, true
	})
	var lines []line
	for _, l := range found {
		r := reports[l.Package]
		lines = append(lines, line{
			Allocation: Allocation{
				Package: l.Package, File: l.File, Line: l.Line, Func: l.Func, Callees: l.Callees, Causes: l.Causes,
				AllocsPerOp: l.Objects, BytesPerOp: l.Bytes, Code: LineText(r.pkg.Files[l.File], l.Line),
			},
			parts: l.Parts, callers: l.Callers, operations: 1, sampled: true,
		})
		r.lines = append(r.lines, lines[len(lines)-1])
	}
	for i := range lines {
		reports[lines[i].Package].explain(&lines[i])
	}
	sortByAllocs(lines)
	return plain(lines)
}

// StoredBy returns a function that tells the kind of storage of a diagnostic's value by what is known of the value. The
// argument may be nil.
func StoredBy(valueOf func(escape.Diagnostic) (escape.Value, bool)) func(escape.Diagnostic) escape.Storage {
	if valueOf == nil {
		return func(escape.Diagnostic) escape.Storage { return escape.Other }
	}
	return func(d escape.Diagnostic) escape.Storage {
		v, known := valueOf(d)
		switch {
		case !known:
			return escape.Other
		case v.Size == 0:
			return escape.Empty
		case v.Convert != "":
			return escape.Boxed
		}
		return v.Storage
	}
}
