package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"onthestack/internal/escape"
	"onthestack/internal/exercise"
	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/suggest"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/present/terminal"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
	"onthestack/internal/workspace"
	"onthestack/tools/checkalloc/app"
)

// addTools adds the tools to a server. The schemas of their arguments and results come from the Go types.
func (s *toolServer) addTools(ctx context.Context, server *mcp.Server) {
	addTool(ctx, s, server, "explain", "Measure which lines of a Go package allocate, how much per operation and why, by "+
		"running its benchmarks, as go test does. Without a benchmark, the result is the compiler's report.", false,
		s.explainTool)
	addTool(ctx, s, server, "profile", "Show which lines of a module allocate in the heap profile of a running program, "+
		"how much and why. It reads files alone: have an address such as /debug/pprof/allocs saved to a file. With the "+
		"program, the sources are of its commit, and the reasons of its release of Go.", false, s.profileTool)
	addTool(ctx, s, server, "suggest", "Find edits to a Go package that allocate less, each proven by its tests and "+
		"benchmarks, which run many times: this takes minutes. The result has the edits as diffs.", s.write,
		s.suggestTool)
	addTool(ctx, s, server, "escape", "Show the compiler's escape report on a Go file or package: which values go to the "+
		"heap, and by which flow. Nothing is run, and nothing is counted.", false, s.escapeTool)
	addTool(ctx, s, server, "check_exercise", "Check the reader's code of an exercise of the workbook On the Stack, and "+
		"give hints in their order. Let the reader solve it: the solution is shown after a pass alone.", false,
		s.checkTool)
}

type packageInput struct {
	Package string `json:"package,omitempty" jsonschema:"a folder, such as ./json, or an import path; by default the root"`
	Bench   string `json:"bench,omitempty" jsonschema:"a regular expression that selects benchmarks, as with go test"`
	Top     int    `json:"top,omitempty" jsonschema:"the number of lines or edits in the result, 8 without it"`
}

// The most entries of a list that a result has: if the client asks for nothing else, and at all.
const (
	defaultTop = 8
	maxTop     = 50
)

func (p packageInput) top() int { return min(max(cmp.Or(p.Top, defaultTop), 1), maxTop) }

// measurement returns what to measure. It refuses a package that find refuses.
func (s *toolServer) measurement(ctx context.Context, in *packageInput) (m userpkg.MeasureOptions, err error) {
	in.Package = cmp.Or(in.Package, ".")
	if strings.HasSuffix(in.Package, ".go") {
		return m, fmt.Errorf("%s is a file, and benchmarks belong to a package: name its folder, or call escape", in.Package)
	}
	if err := s.find(ctx, in.Package); err != nil {
		return m, err
	}
	flags := measureFlags{bench: cmp.Or(in.Bench, "."), count: 1}
	flags.timeout = min(s.timeout, time.Minute)
	return flags.measurement()
}

func (s *toolServer) config() userpkg.Config { return userpkg.Config{Dir: s.root, Tags: s.tags} }

// A leftOut has the numbers of entries that are missing in lists of a result, by the names of the lists.
type leftOut map[string]int

// first returns at most so many entries of a list.
func first[T any](left leftOut, name string, list []T, most int) []T {
	if n := len(list) - most; n > 0 {
		left[name], list = n, list[:most]
	}
	return append([]T{}, list...)
}

// A shortVerdict is a verdict as explain prints it with --json, with the first entries of its lists.
type shortVerdict struct {
	verdict.Verdict
	LeftOut leftOut `json:"left_out"`
}

// shorten keeps the lines that allocate most. The compiler's report is for a package without figures.
func shorten(v *verdict.Verdict, top int) shortVerdict {
	s := shortVerdict{*v, leftOut{}}
	s.Errors = first(s.LeftOut, "errors", v.Errors, maxTop)
	s.Benchmarks = first(s.LeftOut, "benchmarks", v.Benchmarks, maxTop)
	s.Allocations = first(s.LeftOut, "allocations", v.Allocations, top)
	s.Inside = first(s.LeftOut, "inside", v.Inside, top)
	for _, list := range [][]verdict.Allocation{s.Allocations, s.Inside} {
		for i := range list {
			list[i].Code = present.Shorten(list[i].Code, 2*textWidth)
		}
	}
	if len(v.Benchmarks) > 0 {
		top = 0
	}
	s.Escapes = onHeap(s.LeftOut, v.Escapes, top)
	return s
}

// onHeap returns the first diagnostics of values that go to the heap.
func onHeap(left leftOut, all []escape.Diagnostic, top int) []escape.Diagnostic {
	heap := slices.DeleteFunc(slices.Clone(all), func(d escape.Diagnostic) bool { return !why.IsHeapDiagnostic(d) })
	heap = first(leftOut{}, "", heap, top)
	if n := len(all) - len(heap); n > 0 {
		left["escapes"] = n
	}
	return heap
}

func (s *toolServer) explainTool(ctx context.Context, call *toolCall, in packageInput) (out shortVerdict, err error) {
	m, err := s.measurement(ctx, &in)
	if err != nil {
		return out, err
	}
	e, err := explainPackage(ctx, call.line, s.config(), in.Package, m, userpkg.WholeModule)
	if err != nil {
		return out, err
	}
	if err := checkSelected(e, m.Bench); err != nil {
		return out, err
	}
	outside := map[string]bool{} // packages of a module that is larger than the root
	for _, o := range e.Others {
		outside[o.ImportPath] = s.holds(&o.Metadata) != nil
	}
	e.Verdict.Inside = slices.DeleteFunc(e.Verdict.Inside, func(a verdict.Allocation) bool { return outside[a.Package] })
	terminal.Explanation(call, e.Verdict, in.top(),
		terminal.Options{Width: textWidth, Command: s.Program, Source: e.Source, Module: e.Module.Path})
	return shorten(e.Verdict, in.top()), nil
}

type suggestInput struct {
	packageInput
	Rejected bool `json:"rejected,omitempty" jsonschema:"list the edits that were rejected, too"`
	Write    bool `json:"write,omitempty" jsonschema:"write the proven edits into the files; the server needs --write"`
}

// A shortSuggestions is what suggest prints with --json, with the first entries of its lists.
type shortSuggestions struct {
	suggest.Result
	Written []string `json:"written"` // files
	LeftOut leftOut  `json:"left_out"`
}

func (s *toolServer) suggestTool(ctx context.Context, call *toolCall, in suggestInput) (
	out shortSuggestions, err error) {
	if in.Write && !s.write {
		return out, errors.New("this server writes nothing: only the user can change that, and starts it with --write")
	}
	m, err := s.measurement(ctx, &in.packageInput)
	if err != nil {
		return out, err
	}
	options := suggest.Options{Measure: m, Count: 6, Limit: time.Minute}
	p, r, err := proveEdits(ctx, call.line, s.config(), in.Package, options)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	report.Suggestions(call, r, in.Rejected, textWidth)
	out = shortSuggestions{Result: *r, Written: []string{}, LeftOut: leftOut{}}
	out.Suggestions = first(out.LeftOut, "suggestions", r.Suggestions, in.top())
	most := 0
	if in.Rejected {
		most = in.top()
	}
	out.Rejected = first(out.LeftOut, "rejected", r.Rejected, most)
	if !in.Write || r.Together == nil {
		return out, nil
	}
	if err := s.holds(&p.Metadata); err != nil { // still
		return out, err
	}
	out.Written = slices.Sorted(maps.Keys(r.Together.Files))
	fmt.Fprintf(call, "  Written: %s.\n", strings.Join(out.Written, ", "))
	return out, suggest.Write(p, r.Together.Files)
}

type escapeInput struct {
	Path string `json:"path,omitempty" jsonschema:"a Go file, a folder or an import path; by default the root"`
	All  bool   `json:"all,omitempty" jsonschema:"also show what stays on the stack and what is inlined"`
}

// A shortEscapes is what escape prints with --json, with the first values that go to the heap.
type shortEscapes struct {
	escapesJSON
	LeftOut leftOut `json:"left_out"`
}

func (s *toolServer) escapeTool(ctx context.Context, call *toolCall, in escapeInput) (out shortEscapes, err error) {
	path := cmp.Or(in.Path, ".")
	if err := s.find(ctx, path); err != nil {
		return out, err
	}
	call.line.Show("compiling %s", path)
	diagnostics, source, err := s.escapes(ctx, s.config(), nil, []string{path})
	if err != nil {
		return out, err
	}
	terminal.Escapes(call, diagnostics, in.All, terminal.Options{Width: textWidth, Source: source})
	out.LeftOut = leftOut{}
	out.Escapes = onHeap(out.LeftOut, diagnostics, maxTop)
	return out, nil
}

type exerciseInput struct {
	Exercise string `json:"exercise" jsonschema:"its name, such as exercise6"`
	Hint     int    `json:"hint,omitempty" jsonschema:"show the hints up to this number, one more than before"`
	Solution bool   `json:"solution,omitempty" jsonschema:"after a pass, show how the code differs from the solution"`
}

// A checkedExercise is a verdict as a check prints it with --json, with hints.
type checkedExercise struct {
	shortVerdict
	Hints []string `json:"hints"`
}

func (s *toolServer) checkTool(ctx context.Context, call *toolCall, in exerciseInput) (out checkedExercise, err error) {
	e, err := s.lookup(in.Exercise)
	if err != nil {
		return out, err
	}
	w, err := workspace.Find(s.root)
	if err != nil || s.within(w.Root, w.Root) != nil {
		return out, fmt.Errorf("the root is no workspace with exercises: \"%s init DIR\" makes one, and --root DIR serves it",
			s.Name)
	}
	if w, err = s.Workspace(); err != nil {
		return out, err
	}
	if out.Hints, err = s.hintsUpTo(w, e, in.Hint); err != nil {
		return out, err
	}
	call.line.Show("checking %s", e.ID)
	checker := s.Checker()
	defer app.PrepareBuilds(ctx, checker, exercise.Catalog{e})()
	r, err := checkFiles(ctx, checker, w, e)
	if err != nil {
		return out, err
	}
	out.shortVerdict = shorten(r.verdict, defaultTop)
	options := terminal.ExerciseOptions(e, r.files, s.Program, textWidth)
	terminal.Verdict(call, r.verdict, options)
	switch {
	case !r.verdict.Pass:
		terminal.Step(call, r.verdict, options)
	case in.Solution:
		app.WriteDiff(call, e, r.files)
	default:
		fmt.Fprintln(call, "  Passed. The argument solution compares the code with the solution.")
	}
	for i, hint := range out.Hints {
		fmt.Fprintf(call, "  Hint %d of %d: %s\n", i+1, len(e.Hints), hint)
	}
	return out, nil
}

// hintsUpTo returns the first n hints, if the one before the last of them was shown to the client or to the reader. It
// does not record that in the workspace, where the server writes nothing.
func (s *toolServer) hintsUpTo(w *workspace.Workspace, e *exercise.Exercise, n int) ([]string, error) {
	hints := []string{}
	state, err := w.State(e)
	if err != nil || n == 0 {
		return hints, err
	}
	shown := max(state.Hints, s.hints[e.ID])
	switch {
	case n < 0 || n > len(e.Hints):
		return nil, fmt.Errorf("%s has %d hints", e.ID, len(e.Hints))
	case n > shown+1:
		return nil, fmt.Errorf("the next hint of %s is %d: let the reader try with it first", e.ID, shown+1)
	}
	s.hints[e.ID] = max(shown, n)
	for _, h := range e.Hints[:n] {
		hints = append(hints, strings.TrimSpace(h.Text))
	}
	return hints, nil
}

// find returns an error if a pattern, or the name of a Go file, names something outside of the root, or an exercise or
// its solution. Other mistakes in a pattern are left to what reads the package.
func (s *toolServer) find(ctx context.Context, pattern string) error {
	file := strings.HasSuffix(pattern, ".go")
	if file || strings.HasPrefix(pattern, ".") || filepath.IsAbs(pattern) {
		if err := s.within(strings.TrimSuffix(pattern, "..."), pattern); err != nil {
			return err
		}
	}
	if file {
		if pattern = filepath.ToSlash(filepath.Dir(pattern)); !filepath.IsAbs(pattern) {
			pattern = "./" + pattern
		}
	}
	packages, err := s.config().List(ctx, pattern)
	if err != nil && !errors.As(err, new(userpkg.ArgumentError)) {
		return err
	}
	for _, p := range packages {
		if err := cmp.Or(ofExercise(p.ImportPath), s.holds(&p)); err != nil {
			return err
		}
	}
	return nil
}

// ofExercise returns an error for a package of an exercise or of its solution.
func ofExercise(importPath string) error {
	if strings.HasPrefix(importPath, "onthestack/exercises/") || strings.HasPrefix(importPath, "onthestack/solutions/") {
		return fmt.Errorf("%s is part of an exercise, which the reader solves: call check_exercise", importPath)
	}
	return nil
}

// holds returns an error unless a package is in the root, with all files that are read.
func (s *toolServer) holds(p *userpkg.Metadata) error {
	for _, name := range append(p.Files(), ".") {
		if err := s.within(filepath.Join(p.Dir, name), p.ImportPath); p.Dir != "" && err != nil {
			return err
		}
	}
	return nil
}

// within returns an error unless a file or folder is in the root, also behind symbolic links. The error calls it name.
func (s *toolServer) within(path, name string) error {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.root, path)
	}
	resolved, missing := filepath.EvalSymlinks(path)
	if missing != nil {
		resolved = filepath.Clean(path)
	}
	relative, err := filepath.Rel(s.root, resolved)
	switch {
	case err != nil || !filepath.IsLocal(relative):
		return fmt.Errorf("%s is outside of the folder that this server reads, which --root DIR chooses", name)
	case missing != nil:
		return fmt.Errorf("%s: there is no such file or folder", name)
	}
	return nil
}
