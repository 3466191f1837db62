// Package fix proposes edits that may save heap allocations. It has a rule for each kind of edit, in a file of its own,
// and uses some analyzers of other modules. A rule knows the types of a package but runs nothing:
// package suggest measures each candidate and runs the package's tests on it.
//
// A rule must keep what callers can observe by the meaning of the code alone: tests see only a part of it. Where an
// edit rests on the contract of an interface instead, such as that an io.Writer keeps nothing of what it is given, or
// where it may keep more memory in use, Assumes says so.
//
// Some edits would save allocations and are left out, because callers could observe them. m[string(b)]++ has to store a
// string unless the map's type changes. A pointer that is returned can be compared; outline saves its allocation only
// where nobody compares it.
//
// The analyzers fatcontext and staticcheck are left out, too:
//
//   - fatcontext cuts a chain of contexts that grows in a loop. With context.WithValue that saves no allocation, and
//     with context.WithCancel a call of cancel would end other contexts than before.
//   - S1030 shares the memory of a bytes.Buffer with its caller.
//   - SA6005 uses strings.EqualFold, for which more letters are equal than for strings.ToLower.
//   - S1025 and S1039 are covered by perfsprint.
//   - QF1012 saves an allocation, but was proven in none of the modules that "make survey" tries.
package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/modernize"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// A Rule is a kind of edit.
type Rule struct {
	ID      string // "preallocate"; it never changes, because other programs store it
	Title   string // "give a slice its capacity"
	Page    string // of the book, "everyday-go/preallocate"
	Assumes string // what neither the code nor its tests show, in a sentence; "" for nothing
	// One of these reports a diagnostic with a suggested fix for each candidate.
	find     func(*search)
	analyzer *analysis.Analyzer
}

// Rules lists the rules. A rule that is removed leaves its ID unused.
func Rules() []Rule { return rules }

var rules = []Rule{
	{ID: "preallocate", Title: "give a slice or a map its capacity", Page: "everyday-go/preallocate",
		find: preallocate},
	{ID: "array", Title: "keep a slice of bounded size in an array on the stack", Page: "memory-profiling/stack-frames",
		find: arrayRoom},
	{ID: "concrete", Title: "take a concrete type in place of an interface", Page: "heap-optimization/concrete",
		find: concrete},
	{ID: "sort-func", Title: "sort without an interface", Page: "sorting-and-size-classes/without-a-box",
		find: sortFunc},
	{ID: "heap-values", Title: "keep values of a heap out of an interface",
		Page: "sorting-and-size-classes/without-a-box",
		find: heapValues},
	{ID: "append-text", Title: "append text instead of making a string of it", Page: "everyday-go/formatting",
		find: appendText},
	{ID: "read-memory", Title: "read from memory without io.ReadFull", Page: "memory-profiling/interfaces",
		find: readMemory},
	{ID: "outline", Title: "let the caller make the value that is returned", Page: "reading-the-compiler/calls",
		find: outline},
	{ID: "pool-buffer", Title: "use the buffer of an earlier Write again", Page: "heap-optimization/sync-pool",
		Assumes: "The Writer keeps nothing of its argument after Write has returned, as io.Writer demands.",
		find:    poolBuffer},
	{ID: "hoist-func", Title: "make a function value once, before a loop", Page: "everyday-go/callbacks",
		find: hoistFunc},
	{ID: "perfsprint", Title: "format one value without package fmt", Page: "everyday-go/formatting",
		Assumes: "A string that was formatted alone is no longer copied. If it is a part of a longer string, it keeps " +
			"the longer one alive.",
		find: perfsprint},
	{ID: "mirror", Title: "call the function for the type of the value", Page: "what-changed/strings",
		find: mirrored},
	{ID: "modernize-builder", Title: "build a string with a strings.Builder", Page: "buffer-bootstrap/builder",
		analyzer: modernize.StringsBuilderAnalyzer},
}

// Measured returns the size in bytes of the objects that a line allocates only because their size is known at run time,
// 0 if it allocates none.
type Measured func(file string, line int) float64

// A search is one run of a rule.
type search struct {
	*analysis.Pass
	inspector *inspector.Inspector
	measured  Measured
	excluded  map[string]bool // names in files that build constraints exclude: an edit must compile there too
}

// each calls f for each node of a type.
func each[N ast.Node](s *search, f func(inspector.Cursor, N)) {
	var example N
	for cursor := range s.inspector.Root().Preorder(example) {
		f(cursor, cursor.Node().(N))
	}
}

// propose reports a candidate. The places are lines that it does not change and whose allocations it may save.
func (s *search) propose(at ast.Node, message string, places []token.Pos, edits ...analysis.TextEdit) {
	d := analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Message: message,
		SuggestedFixes: []analysis.SuggestedFix{{Message: message, TextEdits: edits}}}
	for _, pos := range places {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: pos})
	}
	s.Report(d)
}

// file returns the file of a node.
func (s *search) file(n ast.Node) *ast.File {
	for _, f := range s.Files {
		if f.FileStart <= n.Pos() && n.Pos() < f.FileEnd {
			return f
		}
	}
	return nil
}

// text returns the source of a node.
func (s *search) text(n ast.Node) string { return s.between(n.Pos(), n.End()) }

// between returns the source between two positions of a file.
func (s *search) between(from, to token.Pos) string {
	f := s.Fset.File(from)
	source, err := s.ReadFile(f.Name())
	if err != nil || f.Offset(to) > len(source) {
		return ""
	}
	return string(source[f.Offset(from):f.Offset(to)])
}

// callee returns the function or method that a call names, nil for any other.
func (s *search) callee(call *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(s.TypesInfo, call).(*types.Func)
	return f
}

// calls reports whether a call calls the named function, such as "strconv.Itoa" or "(time.Time).Format".
func (s *search) calls(call *ast.CallExpr, names ...string) bool {
	f := s.callee(call)
	return f != nil && slices.Contains(names, f.FullName())
}

// builtin returns the name of the called function if it is a builtin one, otherwise "".
func (s *search) builtin(call *ast.CallExpr) string {
	if b, ok := typeutil.Callee(s.TypesInfo, call).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// variable returns the local variable or parameter that an expression is, nil for any other.
func (s *search) variable(e ast.Expr) *types.Var {
	name, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := s.TypesInfo.ObjectOf(name).(*types.Var)
	if !ok || v.IsField() || v.Parent() == s.Pkg.Scope() {
		return nil
	}
	return v
}

// pure reports whether an expression can be evaluated once more, or earlier, with the same effect: a name, a field that
// is reached without a call, a constant, a length, or arithmetic that cannot panic.
func (s *search) pure(e ast.Expr) bool {
	if tv := s.TypesInfo.Types[e]; tv.Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.ParenExpr:
		return s.pure(e.X)
	case *ast.SelectorExpr:
		sel := s.TypesInfo.Selections[e]
		return sel == nil || sel.Kind() == types.FieldVal && s.pure(e.X)
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB || e.Op == token.MUL) && s.pure(e.X) && s.pure(e.Y)
	case *ast.CallExpr:
		name := s.builtin(e)
		return (name == "len" || name == "cap") && s.pure(e.Args[0]) || (name == "min" || name == "max") &&
			allOf(e.Args, s.pure)
	}
	return false
}

func allOf[T any](all []T, f func(T) bool) bool {
	return !slices.ContainsFunc(all, func(x T) bool { return !f(x) })
}

// uses returns the names in a node that denote an object.
func (s *search) uses(in ast.Node, object types.Object) (names []*ast.Ident) {
	ast.Inspect(in, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && s.TypesInfo.Uses[name] == object {
			names = append(names, name)
		}
		return true
	})
	return names
}

// free returns a name that is unused in the scopes of the package and the file and in a node, on every platform: the
// given name or, if that is used, a name that begins with it.
func (s *search) free(name string, in ast.Node) string {
	taken := maps.Clone(s.excluded)
	addNames(taken, in)
	for taken[name] || s.Pkg.Scope().Lookup(name) != nil || types.Universe.Lookup(name) != nil {
		name += "0"
	}
	return name
}

// addNames adds the names in a node, without those behind a dot.
func addNames(to map[string]bool, in ast.Node) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			addNames(to, n.X)
			return false
		case *ast.Ident:
			to[n.Name] = true
		}
		return true
	})
}
