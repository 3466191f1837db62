package step

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"onthestack/internal/harness"
)

// A program is the parsed files of a main package, with what the recorder's numbers mean. Numbers are indices.
type program struct {
	files     map[string][]byte // the Go files of the package, by name
	module    string            // path of its module
	functions []function
	vars      []variable
	sites     []site
	globals   []int   // variables of the package, in the order of recorder.Main
	literals  [][]int // the variables that each function literal captures

	fset   *token.FileSet
	parsed map[string]*ast.File
	info   *types.Info
	prefix string // begins the names that are added to the program
	edits  map[string][]harness.Edit
	ids    map[*types.Var]int // the variables of the package

	finalizers   bool                  // whether the program may set finalizers
	initializers []initializer         // of the package's variables, in the order of the files
	initializes  bool                  // code of the package runs before main
	atStart      map[ast.Expr]bool     // the initializers that run then
	startVars    map[types.Object]bool // the variables that they initialize
}

// A function is a declared function or a function literal.
type function struct {
	// name is in the runtime's format. If the name of a literal is not known, it is the name of the function around it
	// with ".func".
	name    string
	literal bool
	place   place
	first   int // number of its first unnamed result
	count   int // of unnamed results
}

// A place is a position in a file of the program, or a line of it if col is 0.
type place struct {
	file      string
	line, col int
}

func (p place) onLine() place { return place{file: p.file, line: p.line} }

// A role says what a variable is to its function.
type role string

const (
	local    role = ""
	param    role = "parameter"
	result   role = "result"
	captured role = "captured"
	global   role = "package"
)

type variable struct {
	name     string
	place    place // of its declaration
	role     role
	function int       // -1 for a variable of the package
	origin   int       // of a captured variable: the number of the variable itself; otherwise its own number
	from, to token.Pos // where it is in scope
}

// A site is a statement.
type site struct {
	place    place
	end      int // last line
	function int
	before   token.Pos // where the variables are in scope that are in scope before it
	after    token.Pos // after it, or in its body
	calls    []call
}

// A call is a call in a statement, outside the statement's body.
type call struct {
	at   place  // of its opening parenthesis, where the compiler reports that it is inlined
	name string // the function's own name, without package and receiver; "" if it is not named
}

// parse parses and checks the package in the root folder of a module. The program has been built before, so a file that
// does not parse is an error.
//
// Imported packages are not loaded: the rewriting needs to know which name is which variable, and not the types.
func parse(files map[string][]byte, module string) (*program, error) {
	p := &program{
		files: map[string][]byte{}, module: module, fset: token.NewFileSet(), parsed: map[string]*ast.File{},
		edits: map[string][]harness.Edit{}, ids: map[*types.Var]int{}, prefix: "zz",
		atStart: map[ast.Expr]bool{}, startVars: map[types.Object]bool{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		},
	}
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != ".go" || strings.Contains(name, "/") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(p.fset, name, files[name], parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parse the program: %w", err)
		}
		p.files[name], p.parsed[name] = files[name], file
		parsed = append(parsed, file)
	}
	for slices.ContainsFunc(slices.Collect(maps.Values(p.files)), func(text []byte) bool {
		return bytes.Contains(text, []byte(p.prefix))
	}) {
		p.prefix += "z"
	}
	config := types.Config{Error: func(error) {}} // without an importer, each import is an error
	config.Check("main", p.fset, parsed, p.info)
	p.findInitialization()
	return p, nil
}

func (p *program) place(pos token.Pos) place {
	at := p.fset.PositionFor(pos, false)
	return place{at.Filename, at.Line, at.Column}
}

// declare numbers the variables that identifiers declare. Other identifiers and blank ones have none.
func (r *rewriter) declare(as role, ids ...*ast.Ident) (vars []int) {
	for _, id := range ids {
		if v, ok := r.info.Defs[id].(*types.Var); ok && id.Name != "_" {
			vars = append(vars, r.number(v, id.Pos(), as, id.End()))
		}
	}
	return vars
}

// number numbers a variable, which is in scope from a position on.
func (r *rewriter) number(v *types.Var, at token.Pos, as role, from token.Pos) int {
	n := len(r.vars)
	r.vars = append(r.vars, variable{
		name: v.Name(), place: r.place(at), role: as, function: r.function, origin: n, from: from, to: v.Parent().End(),
	})
	r.ids[v] = n
	return n
}

// declared numbers the variables of a declaration.
func (r *rewriter) declared(d *ast.GenDecl, as role) (vars []int) {
	for _, spec := range d.Specs {
		if spec, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
			vars = append(vars, r.declare(as, spec.Names...)...)
		}
	}
	return vars
}
