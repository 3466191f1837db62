package budget

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"onthestack/internal/harness"
)

// A fileContext is a file whose directives are parsed: the positions that determine where a directive may stand, and
// the results.
type fileContext struct {
	file       string
	src        []byte
	fset       *token.FileSet
	functions  []*ast.FuncDecl
	docs       map[*ast.CommentGroup]*ast.FuncDecl
	values     map[int]bool // the lines on which an expression or a declared variable begins
	directives []Directive
	mistakes   []Finding
}

func (s *fileContext) position(p token.Pos) token.Position { return s.fset.PositionFor(p, false) }
func (s *fileContext) line(p token.Pos) int                { return s.position(p).Line }

// collect records the functions, and the lines that can create or declare something.
func (s *fileContext) collect(tree *ast.File) {
	for _, decl := range tree.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			s.functions = append(s.functions, f)
			if f.Doc != nil {
				s.docs[f.Doc] = f
			}
			s.variables(f.Recv, f.Type.Params, f.Type.Results)
			if f.Body != nil {
				ast.Inspect(f.Body, s.collectValue)
			}
			continue
		}
		ast.Inspect(decl, s.collectValue)
	}
}

// collectValue records the line of n if n is an expression or declares variables, and reports whether to descend into
// it.
func (s *fileContext) collectValue(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.LabeledStmt:
		ast.Inspect(n.Stmt, s.collectValue)
		return false
	case *ast.FuncType:
		s.variables(n.Params, n.Results)
		return false
	case *ast.BranchStmt, *ast.ArrayType, *ast.StructType, *ast.InterfaceType, *ast.MapType, *ast.ChanType:
		return false
	case ast.Expr: // among them the type of a variable, which begins where the variable does
		s.values[s.line(n.Pos())] = true
	}
	return true
}

func (s *fileContext) variables(lists ...*ast.FieldList) {
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				s.values[s.line(name.Pos())] = true
			}
		}
	}
}

// placeBenchmark finds the benchmark below the directive, or returns what is wrong with the directive's position.
func (s *fileContext) placeBenchmark(d *Directive, group *ast.CommentGroup) (problem string) {
	const where = "allocs and bytes are for benchmarks: put them directly above one"
	f := s.docs[group]
	switch {
	case f == nil:
		return where
	case !strings.HasSuffix(s.file, "_test.go"):
		return fmt.Sprintf("%s; %s is not in a _test.go file", where, f.Name.Name)
	case !IsBenchmark(f):
		return fmt.Sprintf("%s; %s is not a benchmark", where, f.Name.Name)
	}
	d.Benchmark = f.Name.Name
	return ""
}

// placeLine finds the line to which noescape applies, or returns what is wrong with the directive's position.
func (s *fileContext) placeLine(d *Directive, group *ast.CommentGroup, alone bool) (problem string) {
	if strings.HasSuffix(s.file, "_test.go") {
		return "noescape does not apply to test files: limit a benchmark by allocs<=N, or put noescape into the " +
			"code that it calls"
	}
	d.Target = d.Line
	if alone {
		if f := s.docs[group]; f != nil {
			return fmt.Sprintf("noescape is for a line, not for the whole of %s: put it at the end of a line "+
				"inside, or above one", f.Name.Name)
		}
		d.Target = s.line(group.End()-1) + 1
	}
	if !s.values[d.Target] {
		if alone {
			return "the line below creates no value and declares no variable: put noescape at the end of the line " +
				"that it is for, or directly above"
		}
		return "this line creates no value and declares no variable: put noescape on the line on which the " +
			"expression begins"
	}
	start := s.fset.File(group.Pos()).LineStart(d.Target)
	if reported := s.fset.Position(start); reported.Line != d.Target || reported.Filename != s.file {
		return fmt.Sprintf("a //line comment makes the compiler call this line %s:%d: noescape cannot be checked here",
			filepath.Base(reported.Filename), reported.Line)
	}
	for _, f := range s.functions {
		if from, to := s.line(f.Pos()), s.line(f.End()-1); from <= d.Target && d.Target <= to {
			d.body = &body{f.Name.Name, from, to}
		}
	}
	return ""
}

// IsBenchmark reports whether "go test" runs f as a benchmark.
func IsBenchmark(f *ast.FuncDecl) bool {
	params := f.Type.Params.List
	if !harness.IsTest(f.Name.Name, "Benchmark") || f.Recv != nil || f.Type.TypeParams != nil ||
		f.Type.Results != nil || len(params) != 1 || len(params[0].Names) > 1 {
		return false
	}
	t := types.ExprString(params[0].Type)
	return t == "*B" || strings.HasPrefix(t, "*") && strings.HasSuffix(t, ".B")
}
