package step

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// initialization is the name of the function in which the runtime initializes the variables of a package.
const initialization = "init"

// firstFile is the name of a file that comes before all files of the program: variables are initialized, and init
// functions called, in the order of the files. A program gets such a file if code of its package runs before main. If
// it has a file of that name itself, its steps begin with main.
const firstFile = "0.go"

// findInitialization finds the initializers that run when the program starts. All others are constant, or the compiler
// lays out their values in the program's data.
func (p *program) findInitialization() {
	for _, name := range slices.Sorted(maps.Keys(p.parsed)) {
		for _, d := range p.parsed[name].Decls {
			p.initializers = append(p.initializers, initializers(d)...)
			p.initializes = p.initializes || isInit(d)
		}
	}
	for more := true; more; {
		more = false
		for _, init := range p.initializers {
			if !p.atStart[init.value] && p.runs(init.value) {
				more, p.initializes, p.atStart[init.value] = true, true, true
				for _, id := range init.names {
					p.startVars[p.info.Defs[id]] = true
				}
			}
		}
	}
	if p.files[firstFile] != nil { // the steps begin with main
		p.initializes = false
		clear(p.atStart)
	}
}

func isInit(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Recv == nil && f.Name.Name == "init" && f.Body != nil
}

// An initializer is an expression and the variables of the package that it initializes.
type initializer struct {
	spec  *ast.ValueSpec
	names []*ast.Ident
	value ast.Expr
}

// initializers returns the initializers of a declaration of variables, in their order.
func initializers(d ast.Decl) (list []initializer) {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return nil
	}
	for _, s := range g.Specs {
		spec := s.(*ast.ValueSpec)
		if len(spec.Values) == 1 && len(spec.Names) > 1 {
			list = append(list, initializer{spec, spec.Names, spec.Values[0]})
			continue
		}
		for i, value := range spec.Values {
			if i < len(spec.Names) { // the type checker goes on after errors
				list = append(list, initializer{spec, spec.Names[i : i+1], value})
			}
		}
	}
	return list
}

// runs reports whether evaluating an expression takes code: it calls a function, makes a map, computes with variables,
// or reads a variable that is itself initialized by code.
func (p *program) runs(e ast.Expr) (runs bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && p.info.Types[e].Value != nil {
			return false // a constant
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			t := p.info.Types[n.Fun]
			runs = runs || !t.IsType() && !(t.IsBuiltin() && calledName(n.Fun) == "new")
		case *ast.CompositeLit:
			if t := p.info.Types[n].Type; t != nil {
				_, isMap := t.Underlying().(*types.Map)
				runs = runs || isMap
			}
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND && p.info.Uses[id] != nil {
				return false // the address of a variable is known before the program starts
			}
			runs = runs || n.Op == token.ARROW
		case *ast.BinaryExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr:
			t := p.info.Types[n.(ast.Expr)]
			runs = runs || t.IsValue()
		case *ast.Ident:
			runs = runs || p.startVars[p.info.Uses[n]]
		}
		return !runs
	})
	return runs
}

// An initialized is a call in the first file that takes the values of an initializer of several variables.
type initialized struct {
	site int
	vars []int // as positions in program.globals, -1 for a blank variable
}

// initialize rewrites the initializers that run, and returns the first file. Each value passes through the recorder,
// which stores it where the program is about to store it, so that a snapshot already has it.
func (p *program) initialize(base string) []byte {
	var r *rewriter // of the function that initializes the variables
	var several []initialized
	number, begin := -1, 0
	for _, init := range p.initializers {
		if !p.atStart[init.value] {
			continue
		}
		if r == nil {
			at := p.place(init.spec.Pos())
			r = p.newFunction(function{name: initialization, place: at})
			number, begin = r.function, r.newSite(site{place: at, end: at.line})
		}
		call, isCall := ast.Unparen(init.value).(*ast.CallExpr)
		if len(init.names) > 1 && !isCall {
			continue // v, ok := m[k] and the like cannot be passed on
		}
		n := r.statementSite(init.value, init.value.End())
		p.sites[n].place = p.place(init.names[0].Pos())
		var vars []int
		for _, id := range init.names {
			vars = append(vars, p.globalOf(id))
		}
		if len(vars) == 1 {
			p.insert(init.value.Pos(), "%s.Value%s(%[1]s.Initializes(%[3]d), %[4]d, ", p.recorder(),
				p.typeArguments(init.spec, 1), n, vars[0])
			continue
		}
		p.insert(init.value.Pos(), "%s%d%s(", p.prefix+"init", len(several), p.typeArguments(init.spec, len(vars)))
		several = append(several, initialized{n, vars})
		// Functions of other packages have no frames here, so the statement that calls them need not be known.
		if f, ok := p.info.Types[call.Fun].Type.(*types.Signature); ok && f.TypeParams() == nil {
			p.insert(call.Fun.Pos(), "%s.Calls(%d, ", p.recorder(), n)
			p.insert(call.Fun.End(), ")")
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport %s %q\n\n", p.recorder(), base+"/recorder")
	// The variables are named in a method that is only called through an interface: a use of them in the initializer
	// itself would have them initialized before it.
	fmt.Fprintf(&b, "type %sglobals struct{}\n\nfunc (%[1]sglobals) Pointers() []any { return []any{%s} }\n\n",
		p.prefix, strings.Join(p.pointers(), ", "))
	fmt.Fprintf(&b, "var _ = %s.Begin(%sglobals{}, %d, %d)\n\n", p.recorder(), p.prefix, number, begin)
	if number >= 0 {
		fmt.Fprintf(&b, "func init() { %s.Initialized() }\n", p.recorder())
	}
	for i, s := range several {
		p.writeSeveral(&b, i, s)
	}
	return []byte(b.String())
}

// closeInitializer ends the calls that initialize began. It comes after the rewriting of the function literals, which
// may end where an initializer does.
func (p *program) closeInitializer(value ast.Expr, vars int) {
	if _, isCall := ast.Unparen(value).(*ast.CallExpr); p.atStart[value] && (vars == 1 || isCall) {
		p.insert(value.End(), ")")
	}
}

// typeArguments returns the type of a declaration as arguments of a generic function, "" if it has none.
func (p *program) typeArguments(spec *ast.ValueSpec, n int) string {
	if spec.Type == nil {
		return ""
	}
	from, to := p.fset.PositionFor(spec.Type.Pos(), false), p.fset.PositionFor(spec.Type.End(), false)
	text := string(p.files[from.Filename][from.Offset:to.Offset])
	return "[" + strings.Join(slices.Repeat([]string{text}, n), ", ") + "]"
}

// globalOf returns the position in program.globals of the variable that an identifier declares, -1 for the blank one.
func (p *program) globalOf(id *ast.Ident) int {
	v, _ := p.info.Defs[id].(*types.Var)
	n, ok := p.ids[v]
	if !ok {
		return -1
	}
	return slices.Index(p.globals, n)
}

// pointers returns the addresses of the package's variables, as source.
func (p *program) pointers() (list []string) {
	for _, v := range p.globals {
		list = append(list, "&"+p.vars[v].name)
	}
	return list
}

// writeSeveral writes the function that passes several values through the recorder.
func (p *program) writeSeveral(b *strings.Builder, number int, s initialized) {
	var types, params, stores, values []string
	for i, v := range s.vars {
		types = append(types, fmt.Sprintf("T%d", i))
		params = append(params, fmt.Sprintf("v%d T%[1]d", i))
		values = append(values, fmt.Sprintf("v%d", i))
		stores = append(stores, fmt.Sprintf("\t%s.Store(%d, v%d)\n", p.recorder(), v, i))
	}
	list := strings.Join(types, ", ")
	fmt.Fprintf(b, "\nfunc %sinit%d[%s any](%s) (%[3]s) {\n%[5]s\t%[6]s.Stored(%[7]d)\n\treturn %[8]s\n}\n",
		p.prefix, number, list, strings.Join(params, ", "), strings.Join(stores, ""), p.recorder(), s.site,
		strings.Join(values, ", "))
}
