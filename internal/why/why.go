// Package why explains which lines of a package allocate while its benchmarks run, and for what reason. Package verdict
// decides nothing by it: a pass follows from the figures alone.
//
// [Explain] joins two sources. A record of the memory profile is a stack of calls, the runtime function at its end, the
// size of the objects as the allocator rounds it up, and their number. It has no type. A diagnostic of the compiler's
// report has a position, and an expression or a variable that is put on the heap, or stays on the stack. It has no
// number, and the compiler repeats the diagnostics of an inlined function at each of its calls.
//
//  1. Package profile sums the records by line, and within a line by the function that the line calls: a part (Line,
//     Part). count.go divides them by the number of operations.
//  2. match.go looks for the diagnostics of a part. On the part's line, it tries each diagnostic on a heap value: does
//     it belong to this part or to a function inlined there, does the runtime function fit the expression (allocators),
//     does the size fit the type (fits)? What is left then tries the diagnostics that are repeated for an inlined
//     function, and the diagnostics of other lines whose objects are allocated here: keys and values of a map literal,
//     and variables that share an object (literal.go).
//  3. explain.go makes a clause of each match. A part of which no diagnostic tells gets its reason from the runtime
//     function (cause.go), or names the functions that are called. Both give a kind, whose rule is in package
//     present.
//
// Objects under 16 bytes without pointers share blocks, and the profile has only the object that opened a block. The
// others are in the benchmark's sum alone. They are distributed in proportion to the blocks that each line opened, and
// such counts are marked as estimates (Shared) if more than one line may have made them. No count is an estimate where
// the program was built so that each object has a block of its own (wire.Benchmark.Apart).
package why

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

// A Package is a package that allocates, with the compiler's report on it.
type Package struct {
	ImportPath string
	Files      map[string][]byte // by base name
	// Syntax has the files that are parsed already, with their positions in Fset. Explain adds others as it needs them.
	Syntax map[string]*ast.File
	Fset   *token.FileSet
	// Diagnostics are the compiler's on the files, in source order.
	Diagnostics []escape.Diagnostic
	// ValueOf returns what a diagnostic is on by its type, and whether that is known. It may be nil.
	ValueOf func(escape.Diagnostic) (escape.Value, bool)
	// Names are the names of packages that the package's functions call, as far as they are known.
	Names PackageNames
	// Exercise is true if the package's own tests are written not to allocate.
	Exercise bool

	functions map[string][]function // by file, as far as they were asked for
}

// A function is a declared function. Its name is as the runtime writes it, "Replace" or "(*T[...]).Read". Its lines are
// as the compiler reports them, so //line directives change them.
type function struct {
	name        string
	first, last int
}

// Explain returns the lines of a package that allocate in the benchmarks, most first, with the reasons for it. The
// lines of other packages that allocate for them are returned apart. Each object is attributed there to the innermost
// line in any of the packages, so that no line of inside counts what another one does.
func Explain(p *Package, benchmarks []wire.Benchmark, others []*Package) (allocations, inside []Allocation) {
	report := newReport(p)
	var lines []line
	for _, b := range benchmarks {
		lines = append(lines, report.count(b)...)
	}
	sortByAllocs(lines)
	report.lines = slices.Clone(lines)
	for i := range lines {
		lines[i].Code = LineText(p.Files[lines[i].File], lines[i].Line)
		report.explain(&lines[i])
	}
	return plain(lines), explainInside(p, benchmarks, others)
}

// explainInside returns the lines of other packages that allocate, most first, with the reasons for it.
func explainInside(p *Package, benchmarks []wire.Benchmark, others []*Package) []Allocation {
	if len(others) == 0 {
		return nil
	}
	reports := map[string]*compilerReport{}
	for _, o := range others {
		reports[o.ImportPath] = newReport(o)
	}
	place := func(f wire.Frame) (profile.Place, bool) {
		name := path.Base(f.File)
		if path.Dir(f.File) == p.ImportPath {
			return profile.Place{Package: p.ImportPath, File: name}, true
		}
		for _, o := range others {
			// A function of another package may be linked under a name in this one, and its file
			// may have the same name.
			if strings.HasPrefix(f.Func, o.ImportPath+".") && o.Files[name] != nil {
				function := o.functionAt(name, f.Line)
				return profile.Place{Package: o.ImportPath, File: name, Function: function},
					strings.Contains(f.Func, function)
			}
		}
		return profile.Place{}, false
	}
	var inside []line
	for _, b := range benchmarks {
		found := profile.Attribute(b.Stacks, place)
		recorded := newRecording(b, found)
		for i := range found {
			if r := reports[found[i].Package]; r != nil {
				recorded.small -= r.countSmall(&found[i])
			}
		}
		othersMayAllocate := func() bool { return true }
		for _, l := range perOperation(b, recorded, found, othersMayAllocate) {
			if r := reports[l.Package]; r != nil { // else it is a line of the package itself
				l.Code = LineText(r.pkg.Files[l.File], l.Line)
				r.explain(&l)
				inside = append(inside, l)
			}
		}
	}
	sortByAllocs(inside)
	return plain(inside)
}

// sortByAllocs sorts lines. The sort is stable, so that lines with equal allocs/op stay in source order.
func sortByAllocs(lines []line) {
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(b.AllocsPerOp, a.AllocsPerOp) })
}

// plain returns the allocations of lines; never nil.
func plain(lines []line) []Allocation {
	allocations := make([]Allocation, 0, len(lines))
	for _, l := range lines {
		allocations = append(allocations, l.Allocation)
	}
	return allocations
}

// Lines attributes the objects of a profile to the lines of the package.
func (p *Package) Lines(stacks []wire.Stack) []profile.Line {
	return profile.Fold(stacks, p.ImportPath, func(file string, line int) (function string, ok bool) {
		_, ok = p.Files[file]
		return p.functionAt(file, line), ok && file != harness.MainFile
	})
}

// functionAt returns the name of the function that is declared around a line, "" for none.
func (p *Package) functionAt(file string, line int) string {
	declared, known := p.functions[file]
	if !known {
		declared = p.declaredIn(file)
		if p.functions == nil {
			p.functions = map[string][]function{}
		}
		p.functions[file] = declared
	}
	for _, f := range declared {
		if f.first <= line && line <= f.last {
			return f.name
		}
	}
	return ""
}

// file returns a parsed file, nil if it is no Go or does not parse.
func (p *Package) file(name string) *ast.File {
	file, known := p.Syntax[name]
	if known || !strings.HasSuffix(name, ".go") {
		return file
	}
	if p.Syntax == nil {
		p.Fset, p.Syntax = token.NewFileSet(), map[string]*ast.File{}
	}
	file, err := parser.ParseFile(p.Fset, name, p.Files[name], parser.SkipObjectResolution)
	if err != nil {
		file = nil
	}
	p.Syntax[name] = file
	return file
}

// declaredIn returns the functions of a file in source order, none if it does not parse: the compiler rejects it too.
func (p *Package) declaredIn(name string) (declared []function) {
	file := p.file(name)
	if file == nil {
		return nil
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			declared = append(declared,
				function{FuncName(f), p.Fset.Position(f.Pos()).Line, p.Fset.Position(f.End()).Line})
		}
	}
	return declared
}

// A Kind classifies why a line allocates. Reports give each kind a rule with an id, so that the words of a reason
// can change while the id stays. A new kind needs such a rule in package present.
type Kind string

const (
	EscapesToHeap       Kind = "escapes-to-heap"
	MovedToHeap         Kind = "moved-to-heap"
	InterfaceBoxing     Kind = "interface-boxing"
	Closure             Kind = "closure"
	Goroutine           Kind = "goroutine"
	Variadic            Kind = "variadic"
	AppendGrew          Kind = "append-grew"
	MapGrew             Kind = "map-grew"
	SizeAtRunTime       Kind = "size-at-run-time"
	StringConcatenation Kind = "string-concatenation"
	Conversion          Kind = "conversion"
	DeferInLoop         Kind = "defer-in-loop"
	Callee              Kind = "callee"     // a called function of another package allocates
	TypeCache           Kind = "type-cache" // of a type assertion or a type switch
	Unexplained         Kind = "runtime"    // the runtime allocates, and nothing else is known
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{EscapesToHeap, MovedToHeap, InterfaceBoxing, Closure, Goroutine, Variadic, AppendGrew, MapGrew,
		SizeAtRunTime, StringConcatenation, Conversion, DeferInLoop, Callee, TypeCache, Unexplained}
}

// kindByStorage are the kinds of expressions that the compiler puts on the heap; others escape to the heap.
var kindByStorage = map[escape.Storage]Kind{
	escape.Append:        AppendGrew,
	escape.Variadic:      Variadic,
	escape.Closure:       Closure,
	escape.Concatenation: StringConcatenation,
	escape.Conversion:    Conversion,
	escape.Boxed:         InterfaceBoxing,
}

// kindOf returns the kind of a heap value that the compiler reports on a line with the text code.
func kindOf(d escape.Diagnostic, code string) Kind {
	if d.Kind == escape.Moved {
		return MovedToHeap
	}
	storage := escape.StorageOf(d)
	if storage == escape.Closure && strings.HasPrefix(code, "go ") {
		return Goroutine
	}
	if kind, ok := kindByStorage[storage]; ok {
		return kind
	}
	return EscapesToHeap
}

// An Allocation is what one source line allocated per operation, with the compiler's reasons for that line.
type Allocation struct {
	Benchmark   string  `json:"benchmark"`
	Package     string  `json:"package,omitempty"` // the import path, "" for the package itself
	File        string  `json:"file"`
	Line        int     `json:"line"`
	Func        string  `json:"func"`
	Code        string  `json:"code"` // the line's text, trimmed
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
	// Shared is true if the line's count of tiny objects is an estimate: the profile does not distinguish them from
	// tiny objects of other lines in the same benchmark. The benchmark's sum is exact; it is distributed by the
	// number of blocks that each line opened.
	Shared bool `json:"shared,omitempty"`
	// Kind is the kind of the first reason. It is not part of the JSON, so it is "" in a verdict that was read from
	// JSON.
	Kind Kind `json:"-"`
	// Why is the reason in words: clauses joined by "; ".
	Why string `json:"why"`
	// Callees are the functions called between the line and the allocation, outermost first; empty if the line itself
	// allocates.
	Callees []string `json:"callees,omitempty"`
	// Calls are what the line allocates by each path of calls. They are not part of the JSON.
	Calls []Call `json:"-"`
	// Reasons are the compiler's, for heap values on this line; empty if it reports none.
	Reasons []Reason `json:"reasons"`
	// Causes are the runtime functions that were called to allocate, most objects first. They are not part of the JSON.
	Causes []profile.Cause `json:"-"`
}

// A Call is what a line allocates by one path of calls, as in Allocation.Callees.
type Call struct {
	Callees                 []string
	AllocsPerOp, BytesPerOp float64
	Estimated               bool // AllocsPerOp is an estimate, because tiny objects shared blocks
	// Kind and Why are the reason if the line itself, or code that is inlined there, allocates.
	Kind Kind
	Why  string
}

// SharedNote explains the word "(shared)" after the figures of an Allocation with Shared set.
const SharedNote = "shared: objects under 16 bytes share blocks, so the counts of these lines are estimates; the " +
	"benchmark's sum is exact"

// A Reason is why the compiler puts a value on the heap, and how the value gets there.
type Reason struct {
	Line    int           `json:"line"`
	Col     int           `json:"col"`
	Message string        `json:"message"` // the compiler's
	Kind    Kind          `json:"-"`       // as in Allocation
	Why     string        `json:"why"`     // an explanation for the reader
	Flow    []escape.Step `json:"flow"`    // the steps worth reading
}
