package step

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/verdict"
)

type edit struct {
	offset int
	text   string
}

func (p *program) insert(pos token.Pos, format string, args ...any) {
	at := p.fset.PositionFor(pos, false)
	p.edits[at.Filename] = append(p.edits[at.Filename], edit{at.Offset, fmt.Sprintf(format, args...)})
}

// rewrite returns the files of the package with calls of the recorder in them, which is imported from below the import
// path base. Nothing moves to another line.
func (p *program) rewrite(base string) map[string][]byte {
	names := slices.Sorted(maps.Keys(p.parsed))
	for _, name := range names {
		for _, d := range p.parsed[name].Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.VAR {
				p.globals = append(p.globals, p.declared(d, -1, global)...)
			}
		}
	}
	rewritten := map[string][]byte{}
	if p.initializes {
		rewritten[firstFile] = p.initialize(base)
	}
	inits := 0
	for _, name := range names {
		file := p.parsed[name]
		p.insert(file.Name.End(), "; import %s %q", p.recorder(), base+"/recorder")
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				r := &rewriter{program: p, function: -1}
				r.literals(d, nil)
				for _, init := range initializers(d) {
					p.closeInitializer(init.value, len(init.names))
				}
			case *ast.FuncDecl:
				if d.Body == nil {
					continue
				}
				before := ""
				if d.Recv == nil && d.Name.Name == "main" && !p.initializes {
					before = fmt.Sprintf("%s.Main(%s); ", p.recorder(), strings.Join(p.pointers(), ", "))
				}
				name := verdict.FuncName(d)
				if isInit(d) {
					name += fmt.Sprintf(".%d", inits) // as the runtime names it
					inits++
				}
				p.functions = append(p.functions, function{
					name: name, declared: true, place: p.place(d.Name.Pos()),
					end: p.fset.PositionFor(d.End(), false).Line,
				})
				r := &rewriter{program: p, function: len(p.functions) - 1}
				r.body(d.Recv, d.Type, d.Body, d.Pos(), before, nil)
			}
		}
		// The import is used even in a file without functions.
		used := p.recorder() + ".Frame"
		if p.finalizers {
			used = "= " + p.recorder() + ".Finalizers()"
		}
		p.insert(file.FileEnd, "\nvar _ %s\n", used)
	}
	for name, text := range p.files {
		rewritten[name] = apply(text, p.edits[name])
	}
	return rewritten
}

func (p *program) recorder() string { return p.prefix + "step" }
func (p *program) frame() string    { return p.prefix + "frame" }
func (p *program) result(i int) string {
	return fmt.Sprintf("%sresult%d", p.prefix, i)
}

// apply inserts the edits. Those at one offset stay in their order.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.offset - b.offset })
	var out []byte
	from := 0
	for _, e := range edits {
		out = append(append(out, text[from:e.offset]...), e.text...)
		from = e.offset
	}
	return append(out, text[from:]...)
}

// A rewriter rewrites one function.
type rewriter struct {
	*program
	function int // -1 outside functions
}

// body rewrites a function. The captured variables are those of a literal.
func (r *rewriter) body(
	recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt, pos token.Pos, before string, capturedVars []int,
) {
	f := &r.functions[r.function]
	env := slices.Clone(capturedVars)
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
				if v, ok := r.declare(name, r.function, as); ok {
					env = append(env, v)
				}
			}
		}
	}
	f.first = len(r.vars)
	results := r.nameResults(typ.Results)
	r.functions[r.function].count = len(results)

	at := r.place(pos)
	r.sites = append(r.sites, site{place: at, end: at.line, function: r.function, before: env, after: env})
	n := len(r.sites) - 1
	var b strings.Builder
	fmt.Fprintf(&b, " %s%s := %s.Enter(%d, %d); defer %[2]s.Exit(%[6]d%[7]s); ", before, r.frame(), r.recorder(),
		r.function, n, r.functions[r.function].first, listOf(results))
	b.WriteString(r.tell(env))
	fmt.Fprintf(&b, "%s.Began();", r.frame())
	r.insert(body.Lbrace+1, "%s", b.String())
	r.list(body.List, env)
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

// newSite numbers a statement. header returns the parts of it outside its body.
func (r *rewriter) newSite(s ast.Node, header []ast.Node, env []int) int {
	at := r.place(s.Pos())
	end := r.fset.PositionFor(s.End(), false).Line
	if header != nil {
		end = at.line
	} else {
		header = []ast.Node{s}
	}
	var calls []call
	for _, h := range header {
		if h == nil {
			continue
		}
		end = max(end, r.fset.PositionFor(h.End(), false).Line)
		ast.Inspect(h, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				calls = append(calls, call{r.place(c.Lparen), calledName(c.Fun)})
			}
			_, literal := n.(*ast.FuncLit)
			return !literal
		})
	}
	r.sites = append(r.sites, site{
		place: at, end: end, function: r.function, before: slices.Clip(env), after: slices.Clip(env), calls: calls,
	})
	return len(r.sites) - 1
}

// calledName returns the name of the called function, without package or receiver.
func calledName(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return calledName(e.X)
	case *ast.IndexListExpr:
		return calledName(e.X)
	}
	return ""
}

// list rewrites a list of statements.
func (r *rewriter) list(list []ast.Stmt, env []int) {
	for _, s := range list {
		env = r.statement(s, env)
	}
}

// statement rewrites a statement of a list, and returns the variables in scope after it.
func (r *rewriter) statement(s ast.Stmt, env []int) []int {
	start := s.Pos()
	for {
		l, labeled := s.(*ast.LabeledStmt)
		if !labeled {
			break
		}
		s = l.Stmt
	}
	var defined []int
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return env
	case *ast.BlockStmt:
		r.list(s.List, env)
		return env
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		r.compound(s, start, env, nil)
		return env
	case *ast.DeclStmt:
		d := s.Decl.(*ast.GenDecl)
		if d.Tok != token.VAR {
			return env
		}
	}
	n := r.newSite(s, nil, env)
	r.insert(start, "%s.Line(%d); ", r.frame(), n)
	r.literals(s, env)
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return env
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok && calledName(c.Fun) == "panic" {
			return env // nothing may follow: the call may end a function that has results
		}
	default:
		defined = r.defined(s)
	}
	env = slices.Concat(env, defined)
	r.sites[n].after = env
	r.insert(s.End(), "; %s%s.At(%d)", r.tell(defined), r.frame(), n)
	return env
}

// defined numbers the variables that a simple statement declares.
func (r *rewriter) defined(s ast.Stmt) (vars []int) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			return nil
		}
		for _, e := range s.Lhs {
			if id, ok := e.(*ast.Ident); ok {
				if v, ok := r.declare(id, r.function, local); ok {
					vars = append(vars, v)
				}
			}
		}
	case *ast.DeclStmt:
		return r.declared(s.Decl.(*ast.GenDecl), r.function, local)
	}
	return vars
}

// compound rewrites a statement with bodies. It has no snapshot of its own: each body begins with one. outer are the
// variables of the statements that it is the else branch of; start is not valid for such a branch.
func (r *rewriter) compound(s ast.Stmt, start token.Pos, env, outer []int) {
	header := []ast.Node{nil} // it is never the whole statement
	var inits []ast.Stmt
	var body *ast.BlockStmt
	add := func(nodes ...ast.Node) { header = append(header, nodes...) }
	init := func(s ast.Stmt) {
		if s != nil {
			add(s)
			inits = append(inits, s)
		}
	}
	expr := func(e ast.Expr) {
		if e != nil {
			add(e)
		}
	}
	switch s := s.(type) {
	case *ast.IfStmt:
		init(s.Init)
		expr(s.Cond)
		body = s.Body
	case *ast.ForStmt:
		init(s.Init)
		expr(s.Cond)
		if s.Post != nil {
			add(s.Post)
		}
		body = s.Body
	case *ast.RangeStmt:
		expr(s.X)
		body = s.Body
	case *ast.SwitchStmt:
		init(s.Init)
		expr(s.Tag)
		body = s.Body
	case *ast.TypeSwitchStmt:
		init(s.Init)
		add(s.Assign)
		body = s.Body
	case *ast.SelectStmt:
		body = s.Body
	}
	n := r.newSite(s, header, env)
	if start.IsValid() {
		r.insert(start, "%s.Line(%d); ", r.frame(), n)
	}
	for _, h := range header {
		if h != nil {
			r.literals(h, env)
		}
	}
	told := slices.Clone(outer)
	for _, s := range inits {
		told = append(told, r.defined(s)...)
	}
	if s, ok := s.(*ast.RangeStmt); ok && s.Tok == token.DEFINE {
		for _, e := range []ast.Expr{s.Key, s.Value} {
			if id, ok := e.(*ast.Ident); ok {
				if v, ok := r.declare(id, r.function, local); ok {
					told = append(told, v)
				}
			}
		}
	}
	inner := slices.Concat(env, told[len(outer):])
	r.sites[n].after = inner
	switch s := s.(type) {
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		for _, clause := range body.List {
			r.clause(clause, inner, told)
		}
		return
	case *ast.IfStmt:
		defer r.otherwise(s.Else, n, inner, told)
	}
	r.insert(body.Lbrace+1, " %s%s.At(%d);", r.tell(told), r.frame(), n)
	r.list(body.List, inner)
}

// otherwise rewrites an else branch of the if statement with number n.
func (r *rewriter) otherwise(s ast.Stmt, n int, env, told []int) {
	switch s := s.(type) {
	case *ast.IfStmt:
		r.compound(s, token.NoPos, env, told)
	case *ast.BlockStmt:
		r.insert(s.Lbrace+1, " %s%s.At(%d);", r.tell(told), r.frame(), n)
		r.list(s.List, env)
	}
}

// clause rewrites a clause of a switch or select statement.
func (r *rewriter) clause(s ast.Stmt, env, told []int) {
	var colon token.Pos
	var body []ast.Stmt
	n := -1
	told = slices.Clone(told)
	switch s := s.(type) {
	case *ast.CaseClause:
		header := []ast.Node{nil}
		for _, e := range s.List {
			header = append(header, e)
			r.literals(e, env)
		}
		n = r.newSite(s, header, env)
		if v, ok := r.info.Implicits[s].(*types.Var); ok && v.Name() != "_" {
			id := r.number(v, v.Name(), r.place(v.Pos()), r.function, local)
			told, env = append(told, id), append(slices.Clip(env), id)
		}
		colon, body = s.Colon, s.Body
	case *ast.CommClause:
		header := []ast.Node{nil}
		if s.Comm != nil {
			header = append(header, s.Comm)
			r.literals(s.Comm, env)
		}
		n = r.newSite(s, header, env)
		if s.Comm != nil {
			defined := r.defined(s.Comm)
			told, env = append(told, defined...), slices.Concat(env, defined)
		}
		colon, body = s.Colon, s.Body
	}
	r.sites[n].after = env
	r.insert(colon+1, " %s%s.At(%d);", r.tell(told), r.frame(), n)
	r.list(body, env)
}

// literals rewrites the function literals in a node, outside which only the variables in env are in scope.
func (r *rewriter) literals(node ast.Node, env []int) {
	ast.Inspect(node, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		r.literalFunc(lit, env)
		return false
	})
}

func (r *rewriter) literalFunc(lit *ast.FuncLit, env []int) {
	name := "func"
	if r.function >= 0 {
		name = verdict.Outermost(r.functions[r.function].name) + ".func"
	}
	p := r.program
	p.functions = append(p.functions, function{
		name: name, literal: true, place: p.place(lit.Pos()), end: p.fset.PositionFor(lit.End(), false).Line,
	})
	inner := &rewriter{program: p, function: len(p.functions) - 1}

	l := literal{place: p.place(lit.Pos())}
	var pointers strings.Builder
	var inside []int // the captured variables as variables of the literal
	for _, v := range r.captured(lit, env) {
		l.captures = append(l.captures, v)
		fmt.Fprintf(&pointers, ", &%s", p.vars[v].name)
		p.vars = append(p.vars, variable{
			name: p.vars[v].name, place: p.vars[v].place, role: captured, function: inner.function,
			origin: p.vars[v].origin,
		})
		inside = append(inside, len(p.vars)-1)
	}
	id := len(p.literals)
	p.literals = append(p.literals, l)
	p.insert(lit.Pos(), "%s.Closure(%d, ", p.recorder(), id)
	inner.body(nil, lit.Type, lit.Body, lit.Pos(), "", inside)
	p.insert(lit.End(), "%s)", pointers.String())
}

// captured returns the variables of env that a literal uses.
func (r *rewriter) captured(lit *ast.FuncLit, env []int) (vars []int) {
	own := map[string]bool{} // parameters, which would hide a variable of the same name
	for _, list := range []*ast.FieldList{lit.Type.Params, lit.Type.Results} {
		if list != nil {
			for _, field := range list.List {
				for _, name := range field.Names {
					own[name.Name] = true
				}
			}
		}
	}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := r.info.Uses[id].(*types.Var)
		if !ok || own[id.Name] {
			return true
		}
		for _, e := range env {
			known, numbered := r.ids[v]
			if numbered && r.vars[e].origin == r.vars[known].origin && !slices.Contains(vars, e) {
				vars = append(vars, e)
			}
		}
		return true
	})
	return vars
}
