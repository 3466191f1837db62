// Package mutation makes mutants of a solution: copies of its source with one fault each. An exercise's tests and
// benchmarks are good if they distinguish the mutants from the solution.
//
// Some operators are the usual ones of mutation testing, on operators, constants, statements and results. Others are
// about memory: they make sizes constant, leave out copies, locks and resets, and take memory from a slab instead of
// reusing it.
package mutation

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/harness"
)

// The operators, by the names that Mutant.Operator has.
const (
	Arithmetic = "arithmetic" // + for -, * for /, += for -=
	Boundary   = "boundary"   // < for <=
	Negation   = "negation"   // == for !=, < for >=, a condition for its opposite
	Increment  = "increment"  // ++ for --
	Logical    = "logical"    // && for ||
	Branch     = "branch"     // break for continue; neither
	Constant   = "constant"   // one more, one less
	Statement  = "statement"  // left out
	Result     = "result"     // another value is returned

	Size   = "size"   // a length, a capacity or an array has a constant size
	Limit  = "limit"  // an argument, a field or a slice that grows is cut off at a constant length
	Narrow = "narrow" // a number is converted to a smaller type first
	Copy   = "copy"   // left out
	Lock   = "lock"   // left out, with its Unlock; a list without a lock for a sync.Pool
	Reset  = "reset"  // left out
	Slab   = "slab"   // memory is cut from a slab that is never reused
)

// A Mutant is a source with one change.
type Mutant struct {
	Operator string
	Func     string // the function or method that is changed ("Board.Read"), or the type
	Line     int    // the first changed line
	Was, Now string // the changed lines before and after, shortened, with single spaces
	Nth      int    // distinguishes mutants that differ only in Line; 1 for the first
	Source   []byte
}

// Key identifies the mutant independently of its position in the file.
func (m Mutant) Key() string {
	key := fmt.Sprintf("%s %s: %s => %s", m.Func, m.Operator, m.Was, m.Now)
	if m.Nth > 1 {
		key += fmt.Sprintf(" (%d)", m.Nth)
	}
	return key
}

// Of returns the mutants of the Go file with the given source, in source order. Not all of them compile, since the
// operators do not know types. A mutant still compiles if the change leaves a variable or an import unused.
func Of(source []byte) ([]Mutant, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("parse the source to mutate: %w", err)
	}
	m := &maker{source: source, file: file, at: fset.File(file.FileStart), structs: map[string]*ast.StructType{}}
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					if t, ok := s.Type.(*ast.StructType); ok {
						m.structs[s.Name.Name] = t
					}
				}
			}
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				m.function(d)
			}
		case *ast.GenDecl:
			m.declaration(d)
		}
	}
	if m.err != nil {
		return nil, m.err
	}
	slices.SortStableFunc(m.mutants, func(a, b Mutant) int { return a.Line - b.Line })
	alike := map[string]int{}
	for i := range m.mutants {
		m.mutants[i].Nth = 1
		key := m.mutants[i].Key()
		alike[key]++
		m.mutants[i].Nth = alike[key]
	}
	return m.mutants, nil
}

// A maker collects the mutants of a file.
type maker struct {
	source  []byte
	file    *ast.File
	at      *token.File
	structs map[string]*ast.StructType
	name    string        // of the current function or type
	decl    *ast.FuncDecl // the current function
	length  ast.Expr      // the length of the last array type
	mutants []Mutant
	err     error
}

func (m *maker) offset(p token.Pos) int { return m.at.Offset(p) }

func (m *maker) text(n ast.Node) string {
	return string(m.source[m.offset(n.Pos()):m.offset(n.End())])
}

func (m *maker) replace(n ast.Node, text string) harness.Edit {
	return harness.Edit{From: m.offset(n.Pos()), To: m.offset(n.End()), Text: text}
}

func (m *maker) insert(p token.Pos, text string) harness.Edit {
	return harness.Edit{From: m.offset(p), To: m.offset(p), Text: text}
}

// add adds a mutant. The first of the edits is the one that the reader sees.
func (m *maker) add(operator string, edits ...harness.Edit) {
	shown := edits[0]
	from, to := shown.From, shown.To
	for from > 0 && m.source[from-1] != '\n' {
		from--
	}
	for to < len(m.source) && m.source[to] != '\n' {
		to++
	}
	mutant := Mutant{
		Operator: operator, Func: m.name, Line: m.at.Line(m.at.Pos(shown.From)),
		Was: oneLine(string(m.source[from:to])),
		Now: oneLine(string(m.source[from:shown.From]) + shown.Text + string(m.source[shown.To:to])),
	}
	mutant.Source = harness.Apply(m.source, edits)
	if bytes.Equal(mutant.Source, m.source) {
		return // the solution has this size already
	}
	var err error
	if mutant.Source, err = withoutUnusedImports(mutant.Source); err != nil && m.err == nil {
		m.err = fmt.Errorf("the operator %s made a file that does not parse, on line %d: %w", operator,
			mutant.Line, err)
	}
	m.mutants = append(m.mutants, mutant)
}

// shown is how many bytes of a long line Was and Now keep.
const shown = 200

// oneLine returns code without comments, with single spaces, shortened.
func oneLine(code string) string {
	var words []string
	for line := range strings.Lines(code) {
		line, _, _ = strings.Cut(line, "//")
		words = append(words, strings.Fields(line)...)
	}
	text := strings.Join(words, " ")
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "") + "…"
	}
	if text == "" {
		return "nothing"
	}
	return text
}

// withoutUnusedImports blanks the imports that no qualified identifier names.
func withoutUnusedImports(source []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil || spec.Name != nil || used[path.Base(imported)] {
			continue
		}
		at := fset.File(file.FileStart)
		from, to := at.Offset(spec.Pos()), at.Offset(spec.End())
		if !strings.HasPrefix(string(source[from-1:]), "\t") && !strings.HasPrefix(string(source[from-1:]), "\n") {
			from -= len("import ") // a declaration of its own
		}
		for i := from; i < to; i++ {
			source[i] = ' '
		}
	}
	return source, nil
}

// locals returns statements that use the function's variables which are used in n and declared outside n: "_ = a; ".
func (m *maker) locals(n ast.Node) string {
	var names []string
	ast.Inspect(n, func(child ast.Node) bool {
		if s, ok := child.(*ast.SelectorExpr); ok { // not the selector's name
			ast.Inspect(s.X, func(x ast.Node) bool { m.local(n, x, &names); return true })
			return false
		}
		m.local(n, child, &names)
		return true
	})
	var b strings.Builder
	for _, name := range names {
		b.WriteString("_ = " + name + "; ")
	}
	return b.String()
}

func (m *maker) local(in, n ast.Node, names *[]string) {
	id, ok := n.(*ast.Ident)
	if !ok || id.Obj == nil || id.Obj.Kind != ast.Var || slices.Contains(*names, id.Name) || id.Name == "_" {
		return
	}
	if at := id.Obj.Pos(); m.decl == nil || at < m.decl.Pos() || at >= m.decl.End() || at >= in.Pos() && at < in.End() {
		return
	}
	*names = append(*names, id.Name)
}

// function collects the mutants of a function.
func (m *maker) function(d *ast.FuncDecl) {
	m.decl, m.name = d, d.Name.Name
	if d.Recv != nil && len(d.Recv.List) == 1 {
		m.name = typeName(d.Recv.List[0].Type) + "." + m.name
	}
	m.limitArguments(d)
	m.leaveOutLocks(d)
	m.cutFromSlab(d)
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			m.results(n.Type, n.Body)
		case *ast.BlockStmt:
			m.statements(n.List)
		case *ast.CaseClause:
			m.statements(n.Body)
		case *ast.CommClause:
			m.statements(n.Body)
		case *ast.IfStmt:
			m.condition(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				m.condition(n.Cond)
			}
		case ast.Expr:
			m.expression(n)
		}
		return true
	})
	m.results(d.Type, d.Body)
	m.decl = nil
}

// declaration collects the mutants of types and constants: the sizes of arrays, values, pools.
func (m *maker) declaration(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			m.name = s.Name.Name
			ast.Inspect(s.Type, func(n ast.Node) bool {
				if n, ok := n.(ast.Expr); ok {
					m.arrayOrPool(n)
				}
				return true
			})
		case *ast.ValueSpec:
			m.name = s.Names[0].Name
			for _, v := range s.Values {
				ast.Inspect(v, func(n ast.Node) bool {
					if n, ok := n.(ast.Expr); ok {
						m.expression(n)
					}
					return true
				})
			}
		}
	}
}

// typeName returns the name of a receiver's type.
func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}
