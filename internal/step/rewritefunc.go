package step

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"onthestack/internal/why"
)

// A rewriter rewrites one function.
type rewriter struct {
	*program
	function int                // -1 outside functions
	ids      map[*types.Var]int // the variables that the function declares or captures
}

// newFunction numbers a function, and returns its rewriter.
func (p *program) newFunction(f function) *rewriter {
	p.functions = append(p.functions, f)
	return &rewriter{program: p, function: len(p.functions) - 1, ids: map[*types.Var]int{}}
}

// newSite numbers a statement.
func (r *rewriter) newSite(s site) int {
	s.function = r.function
	r.sites = append(r.sites, s)
	return len(r.sites) - 1
}

// body rewrites a function. vars are the variables that it captures, if it is a literal.
func (r *rewriter) body(
	recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt, pos token.Pos, before string, vars ...int,
) {
	f := &r.functions[r.function]
	for _, list := range []*ast.FieldList{recv, typ.Params, typ.Results} {
		if list == nil {
			continue
		}
		as := param
		if list == typ.Results {
			as = result
		}
		for _, field := range list.List {
			vars = append(vars, r.declare(as, field.Names...)...)
		}
	}
	f.first = len(r.vars)
	results := r.nameResults(typ.Results)
	f.count = len(results)

	at, inside := r.place(pos), body.Lbrace+1
	n := r.newSite(site{place: at, end: at.line, before: inside, after: inside})
	var b strings.Builder
	fmt.Fprintf(&b, " %s%s := %s.Enter(%d, %d); defer %[2]s.Exit(%[6]d%[7]s); ", before, r.frame(), r.recorder(),
		r.function, n, f.first, strings.Join(results, ""))
	b.WriteString(r.tell(vars))
	fmt.Fprintf(&b, "%s.Began();", r.frame())
	r.insert(inside, "%s", b.String())
	r.list(body.List)
}

// nameResults names the results that have no name, so that Exit can show them, and numbers them. It returns their
// addresses as further arguments of a call.
func (r *rewriter) nameResults(list *ast.FieldList) (addresses []string) {
	if list == nil || len(list.List) == 0 {
		return nil
	}
	add := func(pos token.Pos) string {
		name := r.result(len(addresses))
		r.vars = append(r.vars, variable{
			name: "result", place: r.place(pos), role: result, function: r.function, origin: len(r.vars),
		})
		addresses = append(addresses, ", &"+name)
		return name
	}
	for i, field := range list.List {
		for _, name := range field.Names {
			if name.Name == "_" {
				r.insert(name.Pos(), "%s, ", add(name.Pos()))
			}
		}
		if len(field.Names) == 0 {
			open := ""
			if i == 0 && !list.Opening.IsValid() {
				open = "("
			}
			r.insert(field.Type.Pos(), "%s%s ", open, add(field.Type.Pos()))
		}
	}
	if !list.Opening.IsValid() {
		r.insert(list.End(), ")")
	}
	return addresses
}

// tell returns the calls that tell where variables are.
func (r *rewriter) tell(vars []int) string {
	var b strings.Builder
	for _, v := range vars {
		fmt.Fprintf(&b, "%s.Var(%d, &%s); ", r.frame(), v, r.vars[v].name)
	}
	return b.String()
}

// literals rewrites the function literals in a node that begin before a position.
func (r *rewriter) literals(node ast.Node, before token.Pos) {
	inspect(node, before, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			r.literalFunc(lit)
		}
		return !ok
	})
}

func (r *rewriter) literalFunc(lit *ast.FuncLit) {
	name := "func"
	if r.function >= 0 {
		name = why.Outermost(r.functions[r.function].name) + ".func"
	}
	p := r.program
	inner := p.newFunction(function{name: name, literal: true, place: p.place(lit.Pos())})
	var captures []int
	var pointers strings.Builder
	var inside []int // the captured variables as variables of the literal
	for _, used := range r.captured(lit) {
		v := r.vars[r.ids[used]]
		captures = append(captures, r.ids[used])
		fmt.Fprintf(&pointers, ", &%s", v.name)
		v.role, v.function, v.from, v.to = captured, inner.function, lit.Pos(), lit.End()
		inner.ids[used] = len(p.vars)
		inside = append(inside, len(p.vars))
		p.vars = append(p.vars, v)
	}
	id := len(p.literals)
	p.literals = append(p.literals, captures)
	p.insert(lit.Pos(), "%s.Closure(%d, ", p.recorder(), id)
	inner.body(nil, lit.Type, lit.Body, lit.Pos(), "", inside...)
	p.insert(lit.End(), "%s)", pointers.String())
}

// captured returns the variables of the function that a literal uses.
func (r *rewriter) captured(lit *ast.FuncLit) (vars []*types.Var) {
	for n := range ast.Preorder(lit.Body) {
		if id, ok := n.(*ast.Ident); ok {
			v, _ := r.info.Uses[id].(*types.Var)
			if _, known := r.ids[v]; known && !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
		}
	}
	return vars
}
