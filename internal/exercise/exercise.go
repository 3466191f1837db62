// Package exercise has the catalog of the workbook's exercises: each one's task, its pristine files, its solution, and
// the figures of its starter and its solution.
package exercise

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"onthestack/internal/harness"
)

// ManifestFile is the name of the manifest in an exercise's folder.
const ManifestFile = "exercise.toml"

// An Exercise is one exercise of the workbook.
type Exercise struct {
	ID string // "exercise6": the name of its folder
	Manifest
	// ManifestText is the text of the manifest.
	ManifestText []byte

	// Package is the name of the package that the solver edits, TestPackage the name of its (external) test package.
	Package, TestPackage string
	// Tests are the names of its test functions.
	Tests []string
	// Files are the pristine files by name, the starter's and the tests', without the manifest.
	Files map[string][]byte
	// Solution holds, by name, one solution's version of each file in Manifest.Edit.
	Solution map[string][]byte
	// Figures are the figures of the starter and the solution; nil if they have not been measured.
	Figures *Figures
	// Mistakes are the likely mistakes; none if none have been measured.
	Mistakes []Mistake
}

// A Manifest is the content of an exercise.toml.
type Manifest struct {
	Title      string   `toml:"title"`
	Teaches    string   `toml:"teaches"`    // what it teaches: one plain sentence
	Techniques []string `toml:"techniques"` // IDs of Techniques
	Level      string   `toml:"level"`      // ID of one of Levels; "" for none
	Chapter    string   `toml:"chapter"`    // folder in book/
	Article    string   `toml:"article"`    // file name of the article that it mirrors; "" for none
	Formerly   string   `toml:"formerly"`   // its ID until the exercises were renumbered; "" for a later one
	Edit       []string `toml:"edit"`       // the files that a solver may change
	Imports    []string `toml:"imports"`    // what these files may import, besides Harmless
	// Function is the function that the task is about, "Replace" or "Board.Rank". An editor opens the file there.
	Function string `toml:"function"`
	// Task is the task, in paragraphs of Markdown with inline code and fenced blocks. It leaves out the figures, which
	// are the benchmarks' targets. Checked says what the tests and the confirming benchmarks look at, beyond the obvious.
	Task    string `toml:"task"`
	Checked string `toml:"checked"`
	Race    bool   `toml:"race"` // whether a check runs the tests under the race detector too
	// Goroutines is whether the edited files may start goroutines. The tests and the benchmark have to prove that none
	// of them outlives the call that starts it.
	Goroutines bool `toml:"goroutines"`
	// Leave is whether the starter passes, because leaving it alone is the answer. The likely mistakes are changes that
	// tempt a solver, and each has to fail the tests.
	Leave bool `toml:"leave"`
	// Varies is whether the figures differ between releases of Go, because packages of the standard library allocate. The
	// targets hold on all releases.
	Varies bool `toml:"varies"`
	// Benchmarks are the benchmark functions with their targets.
	Benchmarks []Benchmark `toml:"benchmark"`
	// Hints lead from a nudge to nearly the answer.
	Hints []Hint `toml:"hint"`
}

// Harmless are packages that every solution may import: their functions compute from their arguments, and their
// allocations are counted like all others. None of them has a pool, a cache, a goroutine or a lock in which a result
// could be kept for the next call, or a variable that is more than an error.
var Harmless = []string{
	"bytes", "cmp", "errors", "math", "math/bits", "slices", "sort", "strconv", "strings", "unicode/utf8",
}

// Allows reports whether a solution of e may import a package.
func (e *Exercise) Allows(path string) bool {
	return slices.Contains(e.Imports, path) || slices.Contains(Harmless, path)
}

// A Benchmark is a benchmark function with its targets.
type Benchmark struct {
	Name   string   `toml:"name"`
	Allocs float64  `toml:"allocs"` // allocs/op, at most
	Bytes  *float64 `toml:"bytes"`  // B/op, at most; nil for no target
	// Live is how many bytes of the heap each operation may leave in use, at most; nil for no target. The first of
	// Confirm keeps the results of its operations, which are counted at the end of its loop over b.Loop, or when it calls
	// b.StopTimer behind another loop.
	Live *float64 `toml:"live"`
	// Ahead is how many bytes a solution may allocate before the operations of this benchmark begin and in the first one,
	// at most; nil for 256 KiB. Memory that grows with the operations by more than a 20,000th of it fails.
	Ahead *float64 `toml:"ahead"`
	// Confirm are the benchmark functions that confirm a pass, with inputs of other classes: the benchmarks whose names
	// begin with Name and "Confirm", in source order. Each has to meet the same targets over many operations.
	Confirm []string `toml:"-"`
}

// PlainBenchmark returns the command that measures the exercise's benchmarks without the checker, for a shell in the
// folder of the module. Its figures are the checker's.
func (e *Exercise) PlainBenchmark() string {
	var names []string
	for _, b := range e.Benchmarks {
		names = append(names, b.Name)
	}
	pattern := "^" + names[0] + "$"
	if len(names) > 1 {
		pattern = "^(" + strings.Join(names, "|") + ")$"
	}
	return fmt.Sprintf("go test -run '^$' -bench '%s' -benchmem ./%s", pattern, e.Dir())
}

// A Hint is one hint.
type Hint struct {
	Text string `toml:"text"`
}

// Figures are the measured figures of an exercise's starter and solution.
type Figures struct {
	Go       string   `json:"go"` // release that measured them
	Starter  []Figure `json:"starter"`
	Solution []Figure `json:"solution"`
}

// A Figure is the measurement of one benchmark, unrounded.
type Figure struct {
	Name        string  `json:"name"`
	AllocsPerOp float64 `json:"allocs_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
	// LiveBytesPerOp are the bytes that an operation leaves in use; nil if the benchmark has no target for them.
	LiveBytesPerOp *float64 `json:"live_bytes_per_op,omitempty"`
}

// Equal reports whether two measurements are of the same benchmark and have the same figures.
func (f Figure) Equal(g Figure) bool { return f.String() == g.String() }

// String returns the name and the unrounded figures.
func (f Figure) String() string {
	text := fmt.Sprintf("%s: %v allocs/op, %v B/op", f.Name, f.AllocsPerOp, f.BytesPerOp)
	if f.LiveBytesPerOp != nil {
		text += fmt.Sprintf(", %v live B/op", *f.LiveBytesPerOp)
	}
	return text
}

// StarterFigure returns the starter's measurement of a benchmark; false if it has not been measured.
func (e *Exercise) StarterFigure(benchmark string) (Figure, bool) {
	if e.Figures == nil {
		return Figure{}, false
	}
	i := slices.IndexFunc(e.Figures.Starter, func(f Figure) bool { return f.Name == benchmark })
	if i < 0 {
		return Figure{}, false
	}
	return e.Figures.Starter[i], true
}

// ImportPath is the import path of the package that the solver edits. It is the same in the clone, in a workspace of a
// solver's own and in a check, since all are modules of one name.
func (e *Exercise) ImportPath() string { return "onthestack/" + e.Dir() }

// Number is the number in the exercise's ID, 0 if it has none.
func (e *Exercise) Number() int {
	n, _ := strconv.Atoi(strings.TrimLeft(e.ID, "abcdefghijklmnopqrstuvwxyz"))
	return n
}

// Dir is the exercise's folder, slash-separated, from the workspace's root.
func (e *Exercise) Dir() string { return "exercises/" + e.ID }

// Starter returns the pristine versions of the files that a solver may change.
func (e *Exercise) Starter() map[string][]byte {
	starter := map[string][]byte{}
	for _, name := range e.Edit {
		starter[name] = e.Files[name]
	}
	return starter
}

// New makes an exercise of its manifest, its pristine files (without the manifest) and its solution, and proves that
// they belong together. An error names the file and what to do.
func New(id string, manifest []byte, files, solution map[string][]byte) (*Exercise, error) {
	e := &Exercise{ID: id, ManifestText: manifest, Files: files}
	meta, err := toml.Decode(string(manifest), &e.Manifest)
	if err != nil {
		return nil, fmt.Errorf("exercises/%s/%s: %w", id, ManifestFile, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, e.problem("unknown key %q: remove it or correct its spelling", unknown[0].String())
	}
	if err := e.checkManifest(); err != nil {
		return nil, err
	}
	starter, err := e.readStarter(solution)
	if err != nil {
		return nil, err
	}
	if err := e.takeSolution(solution); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(starter, func(f *ast.File) bool { return declares(f, e.Function) }) {
		return nil, e.problem("function %q: none of %s declares it; write a method as Type.Method", e.Function,
			strings.Join(e.Edit, ", "))
	}
	return e, e.readTests()
}

// problem returns an error in the manifest.
func (e *Exercise) problem(format string, args ...any) error {
	return fmt.Errorf("exercises/%s/%s: %s", e.ID, ManifestFile, fmt.Sprintf(format, args...))
}

// checkManifest returns the first error in the manifest that shows without the files.
func (e *Exercise) checkManifest() error {
	for key, value := range map[string]string{"title": e.Title, "teaches": e.Teaches, "chapter": e.Chapter,
		"function": e.Function, "task": e.Task, "checked": e.Checked} {
		if strings.TrimSpace(value) == "" {
			return e.problem("%s is empty: say what it is", key)
		}
	}
	if len(e.Techniques) == 0 {
		return e.problem("techniques is empty: name at least one of %s", ids(Techniques))
	}
	for i, id := range e.Techniques {
		if !has(Techniques, id) {
			return e.problem("unknown technique %q: there are %s", id, ids(Techniques))
		}
		if slices.Contains(e.Techniques[:i], id) {
			return e.problem("technique %q is named twice", id)
		}
	}
	if e.Level != "" && !has(Levels, e.Level) {
		return e.problem("unknown level %q: there are %s", e.Level, ids(Levels))
	}
	if len(e.Edit) == 0 || len(e.Benchmarks) == 0 {
		return e.problem("edit and [[benchmark]] need at least one entry each")
	}
	if len(e.Hints) < 3 {
		return e.problem("%d hints: write at least three", len(e.Hints))
	}
	for i, h := range e.Hints {
		if strings.TrimSpace(h.Text) == "" {
			return e.problem("hint %d is empty", i+1)
		}
	}
	return nil
}

// readStarter returns the parsed files that a solver edits, and sets Package.
func (e *Exercise) readStarter(solution map[string][]byte) (starter []*ast.File, err error) {
	for i, name := range e.Edit {
		if e.Files[name] == nil {
			return nil, e.problem("edit names %s, which is not in exercises/%s", name, e.ID)
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil, e.problem("edit names %s: a solver does not edit tests", name)
		}
		if solution[name] == nil {
			return nil, e.problem("edit names %s, which is not in solutions/%s", name, e.ID)
		}
		file, err := e.parse(name)
		if err != nil {
			return nil, err
		}
		pkg := file.Name.Name
		if i > 0 && pkg != e.Package {
			return nil, e.problem("%s is in package %s, %s in package %s", e.Edit[0], e.Package, name, pkg)
		}
		e.Package = pkg
		starter = append(starter, file)
	}
	return starter, nil
}

// parse parses a file of the exercise.
func (e *Exercise) parse(name string) (*ast.File, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, e.Files[name], parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("exercises/%s: %w", e.ID, err)
	}
	return file, nil
}

// takeSolution sets Solution to the files that a solver edits, and proves that there are no others.
func (e *Exercise) takeSolution(solution map[string][]byte) error {
	e.Solution = map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(solution)) {
		switch {
		case slices.Contains(e.Edit, name):
			e.Solution[name] = solution[name]
		case e.Files[name] != nil && bytes.Equal(solution[name], e.Files[name]):
			// This is a copy, without which the solution's folder would be no package.
		default:
			return fmt.Errorf("solutions/%s/%s: not in edit of exercises/%s/%s, and no copy of a file there: "+
				"remove it or list it", e.ID, name, e.ID, ManifestFile)
		}
	}
	return nil
}

// declares reports whether a file declares a function, or a method written as Type.Method.
func declares(file *ast.File, function string) bool {
	return slices.ContainsFunc(file.Decls, func(decl ast.Decl) bool {
		f, ok := decl.(*ast.FuncDecl)
		return ok && harness.QualifiedName(f) == function
	})
}

// readTests sets TestPackage and Tests, and proves that the manifest's benchmarks exist.
func (e *Exercise) readTests() error {
	var benchmarks []string
	for _, name := range slices.Sorted(maps.Keys(e.Files)) {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := e.parse(name)
		if err != nil {
			return err
		}
		pkg := file.Name.Name
		if pkg != e.Package+"_test" {
			return fmt.Errorf("exercises/%s/%s: package %s: use %s_test, "+
				"so that a solver's code cannot call the tests' own",
				e.ID, name, pkg, e.Package)
		}
		e.TestPackage = pkg
		e.Tests = append(e.Tests, harness.Functions(file, "Test")...)
		benchmarks = append(benchmarks, harness.Functions(file, "Benchmark")...)
	}
	if len(e.Tests) == 0 {
		return e.problem("no test function in exercises/%s: write one", e.ID)
	}
	for i, b := range e.Benchmarks {
		if !slices.Contains(benchmarks, b.Name) {
			return e.problem("[[benchmark]] %q: no test file in exercises/%s declares it: write it in bench_test.go", b.Name,
				e.ID)
		}
		for _, name := range benchmarks {
			if strings.HasPrefix(name, b.Name+"Confirm") {
				e.Benchmarks[i].Confirm = append(e.Benchmarks[i].Confirm, name)
			}
		}
		if len(e.Benchmarks[i].Confirm) == 0 {
			return e.problem("[[benchmark]] %q: no test file in exercises/%s declares %sConfirm, which confirms a pass with "+
				"other inputs: write it in confirm_test.go", b.Name, e.ID, b.Name)
		}
	}
	return nil
}

// Dependencies returns the import paths of the packages that a check of e may need: the imports of its files, and the
// imports that a solution may have.
func (e *Exercise) Dependencies() []string {
	// The file that a check adds to the tests imports these.
	paths := slices.Concat([]string{"os", "testing"}, e.Imports, Harmless)
	for name, text := range e.Files {
		imported, _ := harness.Imports(name, text) // the build reports the error
		paths = append(paths, imported...)
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(path string) bool { return path == e.ImportPath() })
}

// A Summary is the part of an exercise that people may see before they have solved it.
type Summary struct {
	Exercise   string             `json:"exercise"` // its ID
	Title      string             `json:"title"`
	Teaches    string             `json:"teaches"`
	Techniques []string           `json:"techniques"`      // IDs of Techniques
	Level      string             `json:"level,omitempty"` // ID of one of Levels
	Chapter    string             `json:"chapter"`
	Article    string             `json:"article"`
	Edit       []string           `json:"edit"`
	Imports    []string           `json:"imports"`
	Benchmarks []BenchmarkSummary `json:"benchmarks"`
	Hints      int                `json:"hints"` // how many there are
	Figures    *Figures           `json:"figures"`
}

// A BenchmarkSummary is a benchmark with its targets.
type BenchmarkSummary struct {
	Name         string   `json:"name"`
	TargetAllocs float64  `json:"target_allocs"`          // allocs/op, at most
	TargetBytes  *float64 `json:"target_bytes,omitempty"` // B/op, at most; nil for no target
	// TargetLiveBytes are the bytes that an operation may leave in use, at most; nil for no target.
	TargetLiveBytes *float64 `json:"target_live_bytes,omitempty"`
}

// Summary returns the exercise's summary.
func (e *Exercise) Summary() Summary {
	s := Summary{
		Exercise: e.ID, Title: e.Title, Teaches: e.Teaches, Techniques: e.Techniques, Level: e.Level,
		Chapter: e.Chapter, Article: e.Article, Edit: e.Edit, Imports: e.Imports, Hints: len(e.Hints),
		Figures: e.Figures,
	}
	for _, b := range e.Benchmarks {
		s.Benchmarks = append(s.Benchmarks, BenchmarkSummary{b.Name, b.Allocs, b.Bytes, b.Live})
	}
	return s
}

// Renumbered returns today's name of what was stored before the exercises were renumbered in November 2026: of an
// exercise, "exercise1", or of a question of the book that is named after one, "memory-profiling/exercise1". The old
// names are used again, for other exercises, so what was stored has to say which names it has: Renumbered is applied to
// the old ones, once.
func Renumbered(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = cmp.Or(renumbered()[part], part)
	}
	return strings.Join(parts, "/")
}

// renumbered returns today's IDs by the former ones.
var renumbered = sync.OnceValue(func() map[string]string {
	catalog, err := Sealed()
	if err != nil {
		panic(err) // a wrong number would attribute a reader's code to another exercise
	}
	ids := map[string]string{}
	for _, e := range catalog {
		if e.Formerly != "" {
			ids[e.Formerly] = e.ID
		}
	}
	return ids
})
