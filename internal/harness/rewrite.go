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

// An edit puts text in the place of the source from one offset to another.
type edit struct {
	from, to int
	text     string
}

// A rewriter finds calls of a *testing.B's methods that have to be known of.
type rewriter struct {
	fset    *token.FileSet
	testing string // the name by which the file imports package testing
	edits   []edit
	prefix  string // of the names of the functions that are called behind methods of timers
	subs    bool   // whether b.Run and b.Name become calls of functions
}

// timers are the methods of a benchmark behind which the rewriter puts a call, and the function of package testmain
// that says to what measures the benchmark what the method did. The call is of a function in the rewritten package,
// which writeTimerCalls writes.
var timers = []struct{ method, tells string }{
	{"ResetTimer", "Timed"},
	{"StopTimer", "Stopped"},
	{"StartTimer", "Started"},
}

// writeTimerCalls writes the functions that are called behind methods of timers. Their names begin with prefix, and the
// file in which they stand imports package testmain by the name that testmain is.
func writeTimerCalls(w io.Writer, prefix, testmain string) {
	for _, timer := range timers {
		fmt.Fprintf(w, "func %s%s() { %s.%[2]s() }\n", prefix, timer.tells, testmain)
	}
}

// rewrite makes calls on benchmarks known to what measures them: methods of timers get a call behind them and, with
// r.subs, b.Run and b.Name become calls of functions, all on the same line. Only a b that is a parameter of type
// *testing.B, of the innermost function that declares a b, is taken for a benchmark.
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
	slices.SortFunc(r.edits, func(a, b edit) int { return a.from - b.from })
	var b bytes.Buffer
	at := 0
	for _, e := range r.edits {
		b.Write(text[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.Write(text[at:])
	return b.Bytes(), true
}

// function goes through a function's body, in which the names of its *testing.B parameters are added to benchmarks, and names that
// it declares otherwise are taken out.
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

// walk edits the calls below n on the named benchmarks.
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
			}
		case *ast.SelectorExpr: // a method that is passed on
			if b, ok := n.X.(*ast.Ident); ok && r.subs && n.Sel.Name == "Run" && slices.Contains(benchmarks, b.Name) {
				r.replace(n.Pos(), n.End(), zzSubOf+"("+b.Name+")")
			}
		}
		return true
	})
}

// statements puts calls behind those statements that are a call on the benchmark's timer.
func (r *rewriter) statements(list []ast.Stmt, benchmarks []string) {
	for _, s := range list {
		s, ok := s.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := s.X.(*ast.CallExpr)
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

// called returns the benchmark and its method that is called, "" for none.
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
	r.edits = append(r.edits, edit{r.fset.Position(from).Offset, r.fset.Position(to).Offset, text})
}
