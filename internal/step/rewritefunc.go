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
			for _, name := range field.Names {
				if v, ok := r.declare(name, as); ok {
					vars = append(vars, v)
				}
			}
		}
	}
	f.first = len(r.vars)
	results := r.nameResults(typ.Results)
	r.functions[r.function].count = len(results)

	at := r.place(pos)
	inside := body.Lbrace + 1
	r.sites = append(r.sites, site{place: at, end: at.line, function: r.function, before: inside, after: inside})
	n := len(r.sites) - 1
	var b strings.Builder
	fmt.Fprintf(&b, " %s%s := %s.Enter(%d, %d); defer %[2]s.Exit(%[6]d%[7]s); ", before, r.frame(), r.recorder(),
		r.function, n, r.functions[r.function].first, listOf(results))
	b.WriteString(r.tell(vars))
	fmt.Fprintf(&b, "%s.Began();", r.frame())
	r.insert(inside, "%s", b.String())
	r.list(body.List)
}

func listOf(results []string) string {
	var b strings.Builder
	for _, name := range results {
		b.WriteString(", &" + name)
	}
	return b.String()
}

// nameResults names the results that have no name, so that Exit can show them, and numbers them.
func (r *rewriter) nameResults(list *ast.FieldList) (names []string) {
	if list == nil || len(list.List) == 0 {
		return nil
	}
	add := func(pos token.Pos) string {
		name := r.result(len(names))
		r.vars = append(r.vars, variable{
			name: "result", place: r.place(pos), role: result, function: r.function, origin: len(r.vars),
		})
		names = append(names, name)
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
	return names
}

// tell returns the calls that tell where variables are.
func (r *rewriter) tell(vars []int) string {
	var b strings.Builder
	for _, v := range vars {
		fmt.Fprintf(&b, "%s.Var(%d, &%s); ", r.frame(), v, r.vars[v].name)
	}
	return b.String()
}

// literals rewrites the function literals in a node.
func (r *rewriter) literals(node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		r.literalFunc(lit)
		return false
	})
}

func (r *rewriter) literalFunc(lit *ast.FuncLit) {
	name := "func"
	if r.function >= 0 {
		name = why.Outermost(r.functions[r.function].name) + ".func"
	}
	p := r.program
	p.functions = append(p.functions, function{name: name, literal: true, place: p.place(lit.Pos())})
	inner := &rewriter{program: p, function: len(p.functions) - 1, ids: map[*types.Var]int{}}

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
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, _ := r.info.Uses[id].(*types.Var)
			if _, known := r.ids[v]; known && !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
		}
		return true
	})
	return vars
}
