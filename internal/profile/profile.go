// Package profile attributes the allocations in a memory profile to the source lines of one package. Package why
// explains these lines.
package profile

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"onthestack/internal/harness/wire"
)

// A Line is the sum of the allocations attributed to one source line of the package.
type Line struct {
	Package string // the import path, "" if Fold was asked for one package
	File    string // base name
	Line    int
	// Func is the function's name in the runtime's format, without the import path and without what it was inlined
	// into: "Replace", "(*T[...]).Read", "Replace.func1".
	Func string
	// Objects and Bytes are sums over the profile. Tiny objects (under 16 bytes, without pointers) share blocks of 16
	// bytes, and the runtime records only the object that opens a block, so Objects can be less than the number of
	// objects allocated.
	Objects, Bytes float64
	// Tiny counts the objects of exactly 16 bytes, part of Objects: blocks of tiny objects, and objects that the
	// profile cannot distinguish from such blocks. Copies of strings in interfaces are not counted.
	Tiny float64
	// Small counts the tiny objects if these were recorded apart, with their sizes, as in wire.Benchmark. It is 0 until
	// somebody who knows which objects have pointers sets it.
	Small float64
	// Callees are the functions called between the line and the allocation, outermost first, with import paths, without
	// functions of the runtime. Callees is empty if the line itself allocates. If several call paths lead from the line
	// to allocations, Callees is the path with the most objects, and among equals the first in the profile.
	Callees []string
	// Causes are the runtime functions that the package or its callees called to allocate, most objects first.
	Causes []Cause
	// Callers are the line that called the line's function, the line that called the function of that line, and so on,
	// innermost first, as "file.go:12", as far as they are in its folder and at most maxCallers. They are the callers of
	// the most objects, and nil if the first made fewer than half of them.
	Callers []string
	// Parts are what the line allocates itself, and in each function that it calls, most objects first.
	Parts []Part
}

// A Part is what a line allocates itself, or in one of the functions that it calls.
type Part struct {
	// Callees is as in Line, for this part alone. The first is the function that the line calls.
	Callees        []string
	Objects, Bytes float64
	Causes         []Cause
	// Sizes is the number of objects by cause and size.
	Sizes map[Object]float64
	// Paths are the call paths of this part, most objects first.
	Paths []Path
}

// A Path is what a line allocates by one path of calls, as in Line.Callees.
type Path struct {
	Callees        []string
	Objects, Bytes float64
	Sizes          map[Object]float64 // as in Part
}

// Own reports whether the line itself allocates this part.
func (p *Part) Own() bool { return len(p.Callees) == 0 }

// An Object is a kind of objects: allocated by one runtime function, with one size in bytes as rounded up by the
// allocator.
type Object struct {
	Cause string
	Size  int64
}

// A Cause is a runtime function that code calls to allocate, and what it allocated. The compiler inserts most such
// calls: growslice for append, concatstring2 for a + b.
type Cause struct {
	Func           string // "runtime.growslice", "runtime.concatstring2", NewObject
	Objects, Bytes float64
}

// TinyBlock is the size in bytes of a block of tiny objects: maxTinySize in the runtime's malloc.go.
const TinyBlock = 16

// MayBeTiny reports whether a record may be of blocks of tiny objects, as far as the runtime function that allocated
// tells. The functions that copy a string or a value with pointers into an interface make objects with pointers, which
// share no block.
func MayBeTiny(cause string, size int64) bool {
	return size == TinyBlock && cause != "runtime.convTstring" && cause != "runtime.convT"
}

// Fold attributes each allocation to the innermost stack frame in a file of the package with the given import path. It
// calls own with the base name of a file and a line to learn whether the file belongs to the package, and which
// function is declared around the line ("" for none). Allocations without such a frame are left out. Lines are ordered
// by file, line and function.
func Fold(stacks []wire.Stack, importPath string, own func(file string, line int) (function string, ok bool)) []Line {
	lines := Attribute(stacks, func(f wire.Frame) (Place, bool) {
		dir, file := splitPath(f.File)
		if dir != importPath && !strings.HasSuffix(dir, "/"+importPath) {
			return Place{}, false
		}
		function, ok := own(file, f.Line)
		return Place{importPath, file, function}, ok
	})
	for i := range lines {
		lines[i].Package = ""
	}
	return lines
}

// A Place is where a stack frame is.
type Place struct {
	Package  string // the import path
	File     string // base name
	Function string // the function that is declared around the line, "" for none
}

// Attribute is Fold for several packages: place returns where a frame is, and whether it is in one of them.
func Attribute(stacks []wire.Stack, place func(wire.Frame) (Place, bool)) []Line {
	type key struct {
		pkg, file string
		line      int
		fn        string
	}
	lines := map[key]*line{}
	for _, s := range stacks {
		cause, frames := leaveRuntime(s.Frames)
		var in Place
		at := slices.IndexFunc(frames, func(f wire.Frame) (ok bool) {
			in, ok = place(f)
			return ok
		})
		if at < 0 || slices.ContainsFunc(frames[:at], isHarness) {
			continue
		}
		fn := functionName(strings.TrimPrefix(frames[at].Func, in.Package+"."), in.Function)
		k := key{in.Package, in.File, frames[at].Line, fn}
		if lines[k] == nil {
			lines[k] = &line{Line: Line{Package: k.pkg, File: k.file, Line: k.line, Func: k.fn}}
		}
		lines[k].add(s, cause, frames[:at])
		lines[k].callers.add(callers(frames[at:]), count{float64(s.Objects), 0})
	}

	folded := []Line{}
	for _, l := range lines {
		// A profile is the difference of two, so a line's objects may cancel out. Their bytes do not if the size of an
		// object grows with the number of operations.
		if (count{l.Objects, l.Bytes}).positive() {
			folded = append(folded, l.sum())
		}
	}
	slices.SortFunc(folded, func(a, b Line) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line), strings.Compare(a.Func, b.Func))
	})
	return folded
}

// maxCallers bounds Line.Callers.
const maxCallers = 4

// callers returns the callers of the first frame as in Line.Callers, with a line feed after each.
func callers(frames []wire.Frame) string {
	var all strings.Builder
	dir, _ := splitPath(frames[0].File)
	for _, f := range frames[1:min(len(frames), 1+maxCallers)] {
		in, file := splitPath(f.File)
		if in != dir {
			break
		}
		fmt.Fprintf(&all, "%s:%d\n", file, f.Line)
	}
	return all.String()
}

// Sum returns the objects and bytes of stacks, and how many of the objects are tiny as in Line. It leaves out objects
// of the measurement itself.
func Sum(stacks []wire.Stack) (objects, bytes, tiny float64) {
	for _, s := range stacks {
		cause, frames := leaveRuntime(s.Frames)
		if len(frames) > 0 && isHarness(frames[0]) {
			continue
		}
		objects += float64(s.Objects)
		bytes += float64(s.Objects) * float64(s.Size)
		if MayBeTiny(cause, s.Size) {
			tiny += float64(s.Objects)
		}
	}
	return objects, bytes, tiny
}

// A line is a Line under construction.
type line struct {
	Line
	callees, causes counts
	callers         counts
	parts           map[string]*part // by the function that is called, "" for the line itself
	called          []string         // the keys of parts in the order of their first addition
}

// A part is a Part under construction.
type part struct {
	Part
	callees, causes counts
	sizes           map[string]map[Object]float64 // by call path
}

// positive reports whether the part's objects, or else their bytes, do not cancel out.
func (p *part) positive() bool { return count{p.Objects, p.Bytes}.positive() }

// A count is a number of objects and their bytes.
type count struct{ objects, bytes float64 }

func (c count) positive() bool { return c.objects > 0 || c.objects == 0 && c.bytes > 0 }

// counts sums objects and bytes by key: a function, or a call path with a line feed after each function.
type counts struct {
	names []string // the keys, in the order of their first addition
	byKey map[string]count
}

func (c *counts) add(name string, n count) {
	if c.byKey == nil {
		c.byKey = map[string]count{}
	}
	sum, known := c.byKey[name]
	if !known {
		c.names = append(c.names, name)
	}
	c.byKey[name] = count{sum.objects + n.objects, sum.bytes + n.bytes}
}

// most lists the keys whose counts are positive, most objects first; equal ones keep their order.
func (c *counts) most() []string {
	list := slices.DeleteFunc(slices.Clone(c.names), func(name string) bool { return !c.byKey[name].positive() })
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(c.byKey[b].objects, c.byKey[a].objects) })
	return list
}

func (l *line) add(s wire.Stack, cause string, callees []wire.Frame) {
	n := count{float64(s.Objects), float64(s.Objects) * float64(s.Size)}
	l.Objects += n.objects
	l.Bytes += n.bytes
	if MayBeTiny(cause, s.Size) {
		l.Tiny += n.objects
	}
	var path strings.Builder
	called := ""
	for _, callee := range slices.Backward(callees) {
		called = cmp.Or(called, callee.Func)
		path.WriteString(callee.Func + "\n")
	}
	l.callees.add(path.String(), n)
	l.causes.add(cause, n)
	p := l.parts[called]
	if p == nil {
		if l.parts == nil {
			l.parts = map[string]*part{}
		}
		p = &part{Part: Part{Sizes: map[Object]float64{}}, sizes: map[string]map[Object]float64{}}
		l.parts[called] = p
		l.called = append(l.called, called)
	}
	p.Objects += n.objects
	p.Bytes += n.bytes
	p.Sizes[Object{cause, s.Size}] += n.objects
	if p.sizes[path.String()] == nil {
		p.sizes[path.String()] = map[Object]float64{}
	}
	p.sizes[path.String()][Object{cause, s.Size}] += n.objects
	p.callees.add(path.String(), n)
	p.causes.add(cause, n)
}

func (l *line) sum() Line {
	l.Callees, l.Causes, l.Callers = l.callees.path(), l.causes.list(), l.mainCallers()
	for _, called := range l.called {
		if p := l.parts[called]; p.positive() {
			p.Callees, p.Causes, p.Paths = p.callees.path(), p.causes.list(), p.callees.paths()
			for i, key := range p.callees.most() {
				p.Paths[i].Sizes = p.sizes[key]
			}
			l.Parts = append(l.Parts, p.Part)
		}
	}
	slices.SortStableFunc(l.Parts, func(a, b Part) int { return cmp.Compare(b.Objects, a.Objects) })
	return l.Line
}

// mainCallers returns Line.Callers.
func (l *line) mainCallers() []string {
	paths := l.callers.paths()
	if len(paths) == 0 || len(paths[0].Callees) == 0 {
		return nil
	}
	most := paths[0].Callees
	var objects float64
	for _, p := range paths {
		if len(p.Callees) > 0 && p.Callees[0] == most[0] {
			objects += p.Objects
		}
	}
	if 2*objects < l.Objects {
		return nil
	}
	return most
}

// path returns the functions of the key with the most objects, a call path.
func (c *counts) path() []string {
	if paths := c.paths(); len(paths) > 0 {
		return paths[0].Callees
	}
	return nil
}

// paths returns the counts of call paths.
func (c *counts) paths() (paths []Path) {
	for _, key := range c.most() {
		var callees []string
		if key != "" {
			callees = strings.Split(strings.TrimSuffix(key, "\n"), "\n")
		}
		paths = append(paths, Path{Callees: callees, Objects: c.byKey[key].objects, Bytes: c.byKey[key].bytes})
	}
	return paths
}

// list returns the counts of causes.
func (c *counts) list() (causes []Cause) {
	for _, name := range c.most() {
		causes = append(causes, Cause{name, c.byKey[name].objects, c.byKey[name].bytes})
	}
	return causes
}

// leaveRuntime splits a stack, innermost frame first, at the call into the runtime: it returns the runtime function
// that was called and the frames of its callers. If all frames are the runtime's, it returns "" and all of them.
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

// functionName removes the names of the functions that a closure was inlined into. Up to Go 1.26 the compiler puts them
// before the closure's own name; since Go 1.27 it does not (closureName in cmd/compile/internal/ir/func.go). Given the
// function that is declared around the closure, F, "example.com/x_test.BenchmarkF.F.func1" becomes "F.func1".
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

// isHarness reports whether a frame belongs to the measurement. An allocation with such a frame inside the package's
// frame was made by the measurement, not by the package.
//
// In another module, the package is in a folder whose name begins with "checkallocharness".
func isHarness(f wire.Frame) bool {
	folder, _, ok := strings.Cut(f.Func, "/testmain.")
	return ok && (strings.HasSuffix(folder, "internal/harness") ||
		strings.HasPrefix(path.Base(folder), "checkallocharness"))
}

func splitPath(name string) (dir, file string) {
	name = strings.ReplaceAll(name, `\`, "/")
	i := strings.LastIndexByte(name, '/')
	return name[:max(i, 0)], name[i+1:]
}
