package harness

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"slices"
	"strconv"
)

// An Edit replaces the source between two offsets by text.
type Edit struct {
	From, To int
	Text     string
}

// A rewriter rewrites calls of methods of *testing.B, so that the harness learns of them.
type rewriter struct {
	fset    *token.FileSet
	testing string // the name by which the file imports package testing
	edits   []Edit
	prefix  string // begins the names of the functions that are called after methods of timers
	subs    bool   // whether b.Run, b.Name and b.Skip are replaced by functions
}

// timers lists the timer's methods of a benchmark, and the functions of package testmain that record that they were
// called. After each call of a method the rewriter inserts a call of a function in the rewritten package, which
// writeTimerCalls declares.
var timers = []struct{ method, tells string }{
	{"ResetTimer", "Timed"},
	{"StopTimer", "Stopped"},
	{"StartTimer", "Started"},
}

// The functions of package testmain that record that a loop over b.Loop, which resets the timer and stops it, begins
// and has ended.
const (
	looping = "Looping"
	looped  = "Looped"
)

// writeTimerCalls writes the functions that are called after methods of timers. Their names begin with prefix. The file
// in which they are declared imports package testmain by the name testmain.
func writeTimerCalls(w io.Writer, prefix, testmain string) {
	for _, timer := range timers {
		writeCall(w, prefix, timer.tells, testmain)
	}
}

func writeCall(w io.Writer, prefix, function, testmain string) {
	fmt.Fprintf(w, "func %s%s() { %s.%[2]s() }\n", prefix, function, testmain)
}

// rewrite rewrites the calls of a file's benchmarks: after each call of a timer's method it inserts a call and, if
// r.subs is set, it replaces b.Run, b.Name and b.Skip by functions, all on the same line. b is a benchmark if the
// innermost function that declares the name declares it as a parameter of type *testing.B.
func rewrite(r *rewriter, file *ast.File, text []byte) (rewritten []byte, changed bool) {
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == "testing" {
			r.testing = "testing"
			if spec.Name != nil {
				r.testing = spec.Name.Name
			}
		}
	}
	if r.testing == "" || r.testing == "." || r.testing == "_" {
		return text, false
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			r.function(f.Type, f.Body, nil)
		} else {
			r.walk(decl, nil)
		}
	}
	if len(r.edits) == 0 {
		return text, false
	}
	return Apply(text, r.edits), true
}

// Apply returns the text with edits, which do not overlap. Edits at one offset stay in their order.
func Apply(text []byte, edits []Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.From - b.From })
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		b.Write(text[at:e.From])
		b.WriteString(e.Text)
		at = e.To
	}
	b.Write(text[at:])
	return b.Bytes()
}

// function rewrites the body of a function. The function's *testing.B parameters are added to benchmarks; other names
// that it declares are removed from them.
func (r *rewriter) function(typ *ast.FuncType, body *ast.BlockStmt, benchmarks []string) {
	benchmarks = slices.Clone(benchmarks)
	without := func(name string) {
		benchmarks = slices.DeleteFunc(benchmarks, func(b string) bool { return b == name })
	}
	for _, field := range typ.Params.List {
		for _, name := range field.Names {
			without(name.Name)
			if r.isBenchmark(field.Type) && name.Name != "_" {
				benchmarks = append(benchmarks, name.Name)
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if name, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					without(name.Name)
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if name, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					without(name.Name)
				}
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				without(name.Name)
			}
		}
		return true
	})
	r.walk(body, benchmarks)
}

// isBenchmark reports whether a type is *testing.B.
func (r *rewriter) isBenchmark(e ast.Expr) bool {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "B" {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == r.testing
}

// walk rewrites the calls of the named benchmarks in n.
func (r *rewriter) walk(n ast.Node, benchmarks []string) {
	walkAll := func(args []ast.Expr) {
		for _, arg := range args {
			r.walk(arg, benchmarks)
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			r.function(n.Type, n.Body, benchmarks)
			return false
		case *ast.BlockStmt:
			r.statements(n.List, benchmarks)
		case *ast.CaseClause:
			r.statements(n.Body, benchmarks)
		case *ast.CommClause:
			r.statements(n.Body, benchmarks)
		case *ast.CallExpr:
			name, method := called(n, benchmarks)
			switch {
			case !r.subs:
			case method == "Run" && len(n.Args) == 2 && !n.Ellipsis.IsValid():
				r.replace(n.Fun.Pos(), n.Lparen+1, zzSub+"("+name+", ")
				walkAll(n.Args)
				return false
			case method == "Name" && len(n.Args) == 0:
				r.replace(n.Fun.Pos(), n.Lparen+1, zzName+"("+name)
				return false
			case method == "Skip" || method == "Skipf":
				r.replace(n.Fun.Pos(), n.Lparen+1, overlayPrefix+method+"("+name+", ")
				walkAll(n.Args)
				return false
			}
		case *ast.SelectorExpr: // a method value
			if b, ok := n.X.(*ast.Ident); ok && r.subs && n.Sel.Name == "Run" && slices.Contains(benchmarks, b.Name) {
				r.replace(n.Pos(), n.End(), zzSubOf+"("+b.Name+")")
			}
		}
		return true
	})
}

// statements inserts a call after each statement that calls a timer's method, and before and after each loop over
// b.Loop. The loop itself stays as it is, because the compiler knows it by its form.
func (r *rewriter) statements(list []ast.Stmt, benchmarks []string) {
	for _, s := range list {
		switch inner := withoutLabels(s).(type) {
		case *ast.ForStmt:
			// A package of the user is measured by differences, in which the setup cancels out.
			if call, ok := inner.Cond.(*ast.CallExpr); ok && !r.subs {
				if _, method := called(call, benchmarks); method == "Loop" {
					r.replace(s.Pos(), s.Pos(), r.prefix+looping+"(); ")
					r.replace(s.End(), s.End(), "; "+r.prefix+looped+"()")
				}
			}
		case *ast.ExprStmt:
			call, ok := inner.X.(*ast.CallExpr)
			if !ok || len(call.Args) > 0 {
				continue
			}
			_, method := called(call, benchmarks)
			for _, timer := range timers {
				if timer.method == method {
					r.replace(call.End(), call.End(), "; "+r.prefix+timer.tells+"()")
				}
			}
		}
	}
}

// withoutLabels returns the statement behind the labels of s.
func withoutLabels(s ast.Stmt) ast.Stmt {
	for {
		labeled, ok := s.(*ast.LabeledStmt)
		if !ok {
			return s
		}
		s = labeled.Stmt
	}
}

// called returns the benchmark and the method that a call names, "" if it is not a call of a benchmark's method.
func called(call *ast.CallExpr, benchmarks []string) (name, method string) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	b, ok := sel.X.(*ast.Ident)
	if !ok || !slices.Contains(benchmarks, b.Name) {
		return "", ""
	}
	return b.Name, sel.Sel.Name
}

func (r *rewriter) replace(from, to token.Pos, text string) {
	r.edits = append(r.edits, Edit{r.fset.Position(from).Offset, r.fset.Position(to).Offset, text})
}
