package author

// This file makes mutants of a solution: copies of its source with one fault each. An exercise's tests and benchmarks
// are good if they distinguish the mutants from the solution. Some operators (operators.go) are the usual ones of
// mutation testing. Others are about memory: they make sizes constant, and leave out copies and resets.

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"onthestack/internal/harness"
)

// The operators, by the names that mutant.operator has.
const (
	arithmeticOperator = "arithmetic" // + for -, * for /, += for -=
	boundaryOperator   = "boundary"   // < for <=
	constantOperator   = "constant"   // one more, one less
	statementOperator  = "statement"  // left out
	resultOperator     = "result"     // another value is returned

	sizeOperator  = "size"  // a length, a capacity or an array has a constant size
	limitOperator = "limit" // an argument or a slice that grows is cut off at a constant length
	copyOperator  = "copy"  // the original instead
	resetOperator = "reset" // x for x[:0]
)

// A mutant is a source with one change.
type mutant struct {
	file     string // that is changed, set by the caller of mutantsOf
	operator string
	function string // the function or method that is changed ("Board.Read"), or the type
	line     int    // the first changed line
	was, now string // the changed lines before and after, shortened, with single spaces
	nth      int    // distinguishes mutants that differ only in line; 1 for the first
	source   []byte
}

// key identifies the mutant independently of its position in the file.
func (m mutant) key() string {
	key := fmt.Sprintf("%s %s: %s => %s", m.function, m.operator, m.was, m.now)
	if m.nth > 1 {
		key += fmt.Sprintf(" (%d)", m.nth)
	}
	return key
}

// mutantsOf returns the mutants of the Go file with the given source, in source order. Not all of them compile, since the
// operators do not know types. A mutant still compiles if the change leaves a variable or an import unused.
func mutantsOf(source []byte) ([]mutant, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("parse the source to mutate: %w", err)
	}
	m := &maker{source: source, at: fset.File(file.FileStart)}
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
	slices.SortStableFunc(m.mutants, func(a, b mutant) int { return a.line - b.line })
	alike := map[string]int{}
	for i := range m.mutants {
		key := m.mutants[i].key()
		alike[key]++
		m.mutants[i].nth = alike[key]
	}
	return m.mutants, nil
}

// A maker collects the mutants of a file.
type maker struct {
	source  []byte
	at      *token.File
	name    string        // of the current function or type
	decl    *ast.FuncDecl // the current function
	length  ast.Expr      // the length of the last array type
	mutants []mutant
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
	mutated := mutant{
		operator: operator, function: m.name, line: m.at.Line(m.at.Pos(shown.From)),
		was: oneLine(string(m.source[from:to])),
		now: oneLine(string(m.source[from:shown.From]) + shown.Text + string(m.source[shown.To:to])),
	}
	mutated.source = harness.Apply(m.source, edits)
	if bytes.Equal(mutated.source, m.source) {
		return // the solution has this size already
	}
	var err error
	if mutated.source, err = withoutUnusedImports(mutated.source); err != nil && m.err == nil {
		m.err = fmt.Errorf("the operator %s made a file that does not parse, on line %d: %w", operator,
			mutated.line, err)
	}
	m.mutants = append(m.mutants, mutated)
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

// withoutUnusedImports removes the imports that nothing uses any more.
func withoutUnusedImports(source []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments) // UsesImport needs objects
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, spec := range slices.Clone(file.Imports) {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil && !astutil.UsesImport(file, imported) {
			astutil.DeleteImport(fset, file, imported)
		}
	}
	err = format.Node(&b, fset, file)
	return b.Bytes(), err
}

// locals returns statements that use the function's variables which are used in n and declared outside n: "_ = a; ".
func (m *maker) locals(n ast.Node) (uses string) {
	within := func(n ast.Node, p token.Pos) bool { return n.Pos() <= p && p < n.End() }
	var names []string
	for child := range ast.Preorder(n) {
		id, ok := child.(*ast.Ident)
		// The name behind the dot of a selector has no Obj.
		if !ok || id.Obj == nil || id.Obj.Kind != ast.Var || slices.Contains(names, id.Name) || id.Name == "_" {
			continue
		}
		if at := id.Obj.Pos(); m.decl != nil && within(m.decl, at) && !within(n, at) {
			names = append(names, id.Name)
			uses += "_ = " + id.Name + "; "
		}
	}
	return uses
}

// function collects the mutants of a function.
func (m *maker) function(d *ast.FuncDecl) {
	m.decl, m.name = d, harness.QualifiedName(d)
	m.limitArguments(d)
	for n := range ast.Preorder(d.Body) {
		switch n := n.(type) {
		case *ast.FuncLit:
			m.results(n.Type, n.Body)
		case *ast.BlockStmt:
			m.statements(n.List)
		case *ast.CaseClause:
			m.statements(n.Body)
		case *ast.CommClause:
			m.statements(n.Body)
		}
		if e, ok := n.(ast.Expr); ok {
			m.expression(e)
		}
	}
	m.results(d.Type, d.Body)
	m.decl = nil
}

// declaration collects the mutants of types and constants: the sizes of arrays, values.
func (m *maker) declaration(d *ast.GenDecl) {
	each := func(n ast.Node, do func(ast.Expr)) {
		for n := range ast.Preorder(n) {
			if e, ok := n.(ast.Expr); ok {
				do(e)
			}
		}
	}
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			m.name = s.Name.Name
			each(s.Type, m.array)
		case *ast.ValueSpec:
			m.name = s.Names[0].Name
			for _, v := range s.Values {
				each(v, m.expression)
			}
		}
	}
}
