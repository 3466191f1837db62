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

// Unknown is the cause of an object if the function of the runtime is not known that allocated it. A stack says so by a
// frame of this name at its end.
const Unknown = "runtime."

// TinyBlock is the size in bytes of a block of tiny objects: maxTinySize in the runtime's malloc.go.
const TinyBlock = 16

// MayBeTiny reports whether a record may be of blocks of tiny objects, as far as the runtime function that allocated
// tells. The functions that copy a string or a value with pointers into an interface make objects with pointers, which
// share no block.
func MayBeTiny(cause string, size int64) bool {
	return size == TinyBlock && cause != "runtime.convTstring" && cause != "runtime.convT"
}

// Fold attributes each allocation to the innermost stack frame in a file of the package with the given import path. It
// calls find with the base name of a file and a line to learn whether the file belongs to the package, and which
// function is declared around the line ("" for none). Allocations without such a frame are left out. Lines are ordered
// by file, line and function.
func Fold(stacks []wire.Stack, importPath string, find func(file string, line int) (function string, ok bool)) []Line {
	lines := Attribute(stacks, func(f wire.Frame) (Place, bool) {
		dir, file := splitPath(f.File)
		if dir != importPath && !strings.HasSuffix(dir, "/"+importPath) {
			return Place{}, false
		}
		function, ok := find(file, f.Line)
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
		Place
		line int
	}
	lines := map[key][]record{}
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
		in.Function = functionName(strings.TrimPrefix(frames[at].Func, in.Package+"."), in.Function)
		k := key{in, frames[at].Line}
		lines[k] = append(lines[k], newRecord(s, cause, frames[:at], frames[at:]))
	}

	folded := []Line{}
	for k, records := range lines {
		// A profile is the difference of two, so a line's objects may cancel out.
		for _, all := range sumBy(records, func(record) string { return "" }) {
			folded = append(folded, all.line(Line{Package: k.Package, File: k.File, Line: k.line, Func: k.Function}))
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

// A record is what one stack adds to a line.
type record struct {
	objects, bytes float64
	cause          string
	size           int64
	called         string // the function that the line calls, "" for none
	path, callers  string // functions as in Path.Callees, and lines as in Line.Callers, with a line feed after each
}

func newRecord(s wire.Stack, cause string, callees, from []wire.Frame) record {
	r := record{objects: float64(s.Objects), bytes: float64(s.Objects) * float64(s.Size), cause: cause, size: s.Size,
		callers: callers(from)}
	for _, callee := range slices.Backward(callees) {
		r.called = cmp.Or(r.called, callee.Func)
		r.path += callee.Func + "\n"
	}
	return r
}

// A sum is the sum of records with the same key.
type sum struct {
	key            string
	objects, bytes float64
	records        []record
}

// sumBy returns the sums of records by key, most objects first; equal ones are in the order of their first records. It
// leaves out objects that cancel out. Their bytes do not if the size of an object grows with the number of operations.
func sumBy(records []record, key func(record) string) (sums []sum) {
	index := map[string]int{}
	for _, r := range records {
		i, known := index[key(r)]
		if !known {
			i = len(sums)
			index[key(r)], sums = i, append(sums, sum{key: key(r)})
		}
		s := &sums[i]
		s.objects, s.bytes, s.records = s.objects+r.objects, s.bytes+r.bytes, append(s.records, r)
	}
	sums = slices.DeleteFunc(sums, func(s sum) bool { return s.objects < 0 || s.objects == 0 && s.bytes <= 0 })
	slices.SortStableFunc(sums, func(a, b sum) int { return cmp.Compare(b.objects, a.objects) })
	return sums
}

// line completes l, whose place is known.
func (s sum) line(l Line) Line {
	l.Objects, l.Bytes, l.Causes, l.Callers = s.objects, s.bytes, s.causes(), s.mainCallers()
	for o, n := range s.sizes() {
		if MayBeTiny(o.Cause, o.Size) {
			l.Tiny += n
		}
	}
	if paths := s.paths(); len(paths) > 0 {
		l.Callees = paths[0].Callees
	}
	for _, p := range sumBy(s.records, func(r record) string { return r.called }) {
		part := Part{Objects: p.objects, Bytes: p.bytes, Causes: p.causes(), Sizes: p.sizes(), Paths: p.paths()}
		if len(part.Paths) > 0 {
			part.Callees = part.Paths[0].Callees
		}
		l.Parts = append(l.Parts, part)
	}
	return l
}

func (s sum) causes() (causes []Cause) {
	for _, c := range sumBy(s.records, func(r record) string { return r.cause }) {
		causes = append(causes, Cause{c.key, c.objects, c.bytes})
	}
	return causes
}

func (s sum) paths() (paths []Path) {
	for _, p := range sumBy(s.records, func(r record) string { return r.path }) {
		paths = append(paths, Path{fields(p.key), p.objects, p.bytes, p.sizes()})
	}
	return paths
}

func (s sum) sizes() map[Object]float64 {
	sizes := map[Object]float64{}
	for _, r := range s.records {
		sizes[Object{r.cause, r.size}] += r.objects
	}
	return sizes
}

// mainCallers returns Line.Callers.
func (s sum) mainCallers() []string {
	paths := sumBy(s.records, func(r record) string { return r.callers })
	if len(paths) == 0 || paths[0].key == "" {
		return nil
	}
	most, objects := fields(paths[0].key), 0.0
	for _, p := range paths {
		if strings.HasPrefix(p.key, most[0]+"\n") {
			objects += p.objects
		}
	}
	if 2*objects < s.objects {
		return nil
	}
	return most
}

// fields returns the elements of a key with a line feed after each.
func fields(key string) []string {
	if key == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(key, "\n"), "\n")
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

// NewObject is the cause of an object whose size is known at compile time: new(T), &T{}, a variable that moved to the
// heap, a closure, the array of a slice literal. It stands for every function that compiled code calls for such an
// object; see isNewObject.
const NewObject = "runtime.newobject"

// isNewObject reports whether compiled code calls this function of the runtime for an object whose size is known at
// compile time.
//
// Up to Go 1.26 that is runtime.newobject alone. Since Go 1.27 (GOEXPERIMENT=sizespecializedmalloc, which is on unless
// switched off) compiled code calls a function for the object's size class instead, if the object has at most 80 bytes
// and the build does not instrument memory accesses, as -race does: see specializedMallocSym in
// cmd/compile/internal/ssagen/ssa.go. The complete list for Go 1.27.4 is in runtime/malloc_generated.go:
//
//	mallocgcTinySC2                      without pointers, less than 16 bytes
//	mallocgcSmallNoScanSC2 to SC7        without pointers, 16 to 80 bytes
//	mallocgcSmallScanNoHeaderSC1 to SC7  with pointers, up to 80 bytes
//
// The prefixes are the same as in isSpecializedMalloc in cmd/compile/internal/ssa/rewrite.go. These names are rare in a
// profile: mProf_Malloc (runtime/mprof.go) leaves out the three innermost frames, the outermost of which is the
// function that allocated the object. The stack then begins with that function's caller. Only while the garbage
// collector marks does the function call a slow path, whose frame is left out in its place.
func isNewObject(name string) bool {
	return name == NewObject ||
		strings.HasPrefix(name, "runtime.mallocgcTinySC") ||
		strings.HasPrefix(name, "runtime.mallocgcSmallNoScanSC") ||
		strings.HasPrefix(name, "runtime.mallocgcSmallScanNoHeaderSC")
}
