package harness

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"slices"
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
// r.subs is set, it replaces b.Run, b.Name and b.Skip by functions, all on the same line. The file was parsed with its
// objects resolved; b is a benchmark if it is a parameter of type *testing.B.
func rewrite(r *rewriter, file *ast.File, text []byte) (rewritten []byte, changed bool) {
	for _, spec := range file.Imports {
		if Imported(spec) == "testing" {
			r.testing = "testing"
			if spec.Name != nil {
				r.testing = spec.Name.Name
			}
		}
	}
	if r.testing == "" || r.testing == "." || r.testing == "_" {
		return text, false
	}
	r.walk(file)
	return Apply(text, r.edits), len(r.edits) > 0
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

// walk rewrites the calls of benchmarks in n.
func (r *rewriter) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			r.statements(n.List)
		case *ast.CaseClause:
			r.statements(n.Body)
		case *ast.CommClause:
			r.statements(n.Body)
		case *ast.CallExpr:
			with := ""
			name, method := r.called(n.Fun)
			switch {
			case !r.subs:
			case method == "Run" && len(n.Args) == 2 && !n.Ellipsis.IsValid():
				with = zzSub + "(" + name + ", "
			case method == "Name" && len(n.Args) == 0:
				with = zzName + "(" + name
			case method == "Skip" || method == "Skipf":
				with = overlayPrefix + method + "(" + name + ", "
			}
			if with != "" {
				r.replace(n.Fun.Pos(), n.Lparen+1, with)
				for _, arg := range n.Args {
					r.walk(arg)
				}
				return false
			}
		case *ast.SelectorExpr: // a method value
			if name, method := r.called(n); r.subs && method == "Run" {
				r.replace(n.Pos(), n.End(), zzSubOf+"("+name+")")
			}
		}
		return true
	})
}

// statements inserts a call after each statement that calls a timer's method, and before and after each loop over
// b.Loop. The loop itself stays as it is, because the compiler knows it by its form.
func (r *rewriter) statements(list []ast.Stmt) {
	for _, s := range list {
		switch inner := withoutLabels(s).(type) {
		case *ast.ForStmt:
			// A package of the user is measured by differences, in which the setup cancels out.
			if call, ok := inner.Cond.(*ast.CallExpr); ok && !r.subs {
				if _, method := r.called(call.Fun); method == "Loop" {
					r.replace(s.Pos(), s.Pos(), r.prefix+looping+"(); ")
					r.replace(s.End(), s.End(), "; "+r.prefix+looped+"()")
				}
			}
		case *ast.ExprStmt:
			call, ok := inner.X.(*ast.CallExpr)
			if !ok || len(call.Args) > 0 {
				continue
			}
			_, method := r.called(call.Fun)
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
	for l, labeled := s.(*ast.LabeledStmt); labeled; l, labeled = s.(*ast.LabeledStmt) {
		s = l.Stmt
	}
	return s
}

// called returns the benchmark and the method that an expression names, "" if it names no method of a benchmark.
func (r *rewriter) called(x ast.Expr) (name, method string) {
	if sel, ok := x.(*ast.SelectorExpr); ok {
		if b, ok := sel.X.(*ast.Ident); ok && b.Obj != nil {
			if declared, ok := b.Obj.Decl.(*ast.Field); ok && types.ExprString(declared.Type) == "*"+r.testing+".B" {
				return b.Name, sel.Sel.Name
			}
		}
	}
	return "", ""
}

func (r *rewriter) replace(from, to token.Pos, text string) {
	r.edits = append(r.edits, Edit{r.fset.Position(from).Offset, r.fset.Position(to).Offset, text})
}
