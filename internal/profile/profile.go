// Package profile folds allocations, recorded by the stack of calls that made them, onto the source lines of one package.
package profile

import (
	"cmp"
	"slices"
	"strings"

	"onthestack/internal/harness/wire"
)

// A Line is what was allocated on behalf of one source line of the package.
type Line struct {
	File string // base name
	Line int
	Func string // as the runtime names it, without the import path and what it was inlined into: "Replace", "(*T[...]).Read", "Replace.func1"
	// Objects and Bytes are sums over the profile. Objects counts what was recorded: of tiny objects (under 16 bytes, without
	// pointers) only those that opened a new block.
	Objects, Bytes float64
	// Tiny is the part of Objects that is blocks of tiny objects, or objects that cannot be told from them: 16 bytes each.
	Tiny float64
	// Callees are the functions between the line and the allocation, outermost first, with import paths and without the runtime's;
	// empty where the line itself allocates. Of several paths the one with most objects is given, the first of several such.
	Callees []string
	// Causes are the functions of the runtime that were called to allocate, most objects first.
	Causes []Cause
}

// A Cause is a function of the runtime that code calls, mostly by what the compiler makes of an expression, and what it allocated.
type Cause struct {
	Func           string // "runtime.growslice", "runtime.concatstring2", NewObject
	Objects, Bytes float64
}

// tinyBlock is the size in bytes of a block of tiny objects: maxTinySize in the runtime's malloc.go.
const tinyBlock = 16

// Fold folds each allocation onto the innermost frame that lies in a file of the package with the given import path: one for
// which own, asked for the file's base name and a line, is true. Own also returns the name of the function that is declared around
// that line, "" for none. What was allocated on behalf of no such line is left out. Lines are ordered by file, line and function.
func Fold(stacks []wire.Stack, importPath string, own func(file string, line int) (function string, ok bool)) []Line {
	type key struct {
		file string
		line int
		fn   string
	}
	lines := map[key]*line{}
	for _, s := range stacks {
		cause, frames := leaveRuntime(s.Frames)
		var function string
		at := slices.IndexFunc(frames, func(f wire.Frame) bool {
			dir, file := splitPath(f.File)
			if dir != importPath && !strings.HasSuffix(dir, "/"+importPath) {
				return false
			}
			var ok bool
			function, ok = own(file, f.Line)
			return ok
		})
		if at < 0 || slices.ContainsFunc(frames[:at], isHarness) {
			continue
		}
		_, file := splitPath(frames[at].File)
		k := key{file, frames[at].Line, functionName(strings.TrimPrefix(frames[at].Func, importPath+"."), function)}
		if lines[k] == nil {
			lines[k] = &line{Line: Line{File: k.file, Line: k.line, Func: k.fn}}
		}
		lines[k].add(s, cause, frames[:at])
	}

	folded := []Line{}
	for _, l := range lines {
		// Nothing is left of what was subtracted to the last object.
		if l.Objects > 0 {
			folded = append(folded, l.sum())
		}
	}
	slices.SortFunc(folded, func(a, b Line) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Func, b.Func))
	})
	return folded
}

// A line is a Line in the making.
type line struct {
	Line
	callees, causes counts
}

// A count is a number of objects and their bytes.
type count struct{ objects, bytes float64 }

// counts counts by function, or by functions, each ended by a line feed.
type counts struct {
	names []string // in the order in which they came
	of    map[string]count
}

func (c *counts) add(name string, n count) {
	if c.of == nil {
		c.of = map[string]count{}
	}
	sum, known := c.of[name]
	if !known {
		c.names = append(c.names, name)
	}
	c.of[name] = count{sum.objects + n.objects, sum.bytes + n.bytes}
}

// most lists the names with any objects, most first, of two with as many the one that came first.
func (c *counts) most() []string {
	list := slices.DeleteFunc(slices.Clone(c.names), func(name string) bool { return c.of[name].objects <= 0 })
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(c.of[b].objects, c.of[a].objects) })
	return list
}

func (l *line) add(s wire.Stack, cause string, callees []wire.Frame) {
	n := count{float64(s.Objects), float64(s.Objects) * float64(s.Size)}
	l.Objects += n.objects
	l.Bytes += n.bytes
	if s.Size == tinyBlock {
		l.Tiny += n.objects
	}
	var path strings.Builder
	for _, callee := range slices.Backward(callees) {
		path.WriteString(callee.Func + "\n")
	}
	l.callees.add(path.String(), n)
	l.causes.add(cause, n)
}

func (l *line) sum() Line {
	if paths := l.callees.most(); len(paths) > 0 && paths[0] != "" {
		l.Callees = strings.Split(strings.TrimSuffix(paths[0], "\n"), "\n")
	}
	for _, name := range l.causes.most() {
		l.Causes = append(l.Causes, Cause{name, l.causes.of[name].objects, l.causes.of[name].bytes})
	}
	return l.Line
}

// leaveRuntime divides a stack, innermost frame first, where code called the runtime to allocate: it returns the function that
// was called and the frames outside it. A stack that is the runtime's alone is returned whole.
func leaveRuntime(frames []wire.Frame) (called string, outside []wire.Frame) {
	i := slices.IndexFunc(frames, func(f wire.Frame) bool {
		return !strings.HasPrefix(f.Func, "runtime.") && !strings.HasPrefix(f.Func, "internal/runtime/")
	})
	switch {
	case i < 0:
		return "", frames
	case i == 0 || isNewObject(frames[i-1].Func):
		return NewObject, frames[i:]
	}
	return frames[i-1].Func, frames[i:]
}

// functionName returns the name of a function or closure without the functions that it was inlined into, given the function that
// is declared around it: "F.func1" for "example.com/x_test.BenchmarkF.F.func1" and F. Up to Go 1.26 the compiler puts their names
// in front of a closure's; since Go 1.27 it does not (closureName in cmd/compile/internal/ir/func.go).
func functionName(name, declared string) string {
	if declared == "" {
		return name
	}
	for end := len(name); end > 0; {
		i := strings.LastIndex(name[:end], "."+declared)
		if i < 0 {
			break
		}
		if rest := name[i+1+len(declared):]; rest == "" || strings.ContainsRune(".-[", rune(rest[0])) {
			return name[i+1:]
		}
		end = i + len(declared)
	}
	return name
}

// isHarness reports whether a frame is the measurement's own: where it stands inside the package's, the allocation is too.
func isHarness(f wire.Frame) bool { return strings.Contains(f.Func, "internal/harness/testmain.") }

func splitPath(name string) (dir, file string) {
	name = strings.ReplaceAll(name, `\`, "/")
	i := strings.LastIndexByte(name, '/')
	return name[:max(i, 0)], name[i+1:]
}
