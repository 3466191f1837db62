package step

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// newSite numbers a statement. header is what of it stands outside its body, which begins at after; it is nil if the
// statement has no body and ends there.
func (r *rewriter) newSite(s ast.Node, header []ast.Node, after token.Pos) int {
	at := r.place(s.Pos())
	end := r.fset.PositionFor(s.End(), false).Line
	if header != nil {
		end = at.line
	} else {
		header = []ast.Node{s}
	}
	var calls []call
	for _, h := range header {
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
		place: at, end: end, function: r.function, before: s.Pos(), after: after, calls: calls,
	})
	return len(r.sites) - 1
}

// nonNil returns the nodes that are not nil.
func nonNil(nodes ...ast.Node) []ast.Node {
	return slices.DeleteFunc(append([]ast.Node{}, nodes...), func(n ast.Node) bool { return n == nil })
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
func (r *rewriter) list(list []ast.Stmt) {
	for _, s := range list {
		r.statement(s)
	}
}

// statement rewrites a statement of a list.
func (r *rewriter) statement(s ast.Stmt) {
	start := s.Pos()
	for {
		l, labeled := s.(*ast.LabeledStmt)
		if !labeled {
			break
		}
		s = l.Stmt
	}
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return
	case *ast.BlockStmt:
		r.list(s.List)
		return
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		r.compound(s, start, nil)
		return
	case *ast.DeclStmt:
		if s.Decl.(*ast.GenDecl).Tok != token.VAR {
			return
		}
	}
	n := r.newSite(s, nil, s.End())
	r.insert(start, "%s.Line(%d); ", r.frame(), n)
	r.literals(s)
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok && calledName(c.Fun) == "panic" {
			return // nothing may follow: the call may end a function that has results
		}
	}
	r.insert(s.End(), "; %s%s.At(%d)", r.tell(r.defined(s)), r.frame(), n)
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
				if v, ok := r.declare(id, local); ok {
					vars = append(vars, v)
				}
			}
		}
	case *ast.DeclStmt:
		return r.declared(s.Decl.(*ast.GenDecl), local)
	}
	return vars
}

// compound rewrites a statement with bodies. It has no snapshot of its own: each body begins with one. outer are the
// variables of the statements that it is the else branch of; start is not valid for such a branch.
func (r *rewriter) compound(s ast.Stmt, start token.Pos, outer []int) {
	var init ast.Stmt
	var body *ast.BlockStmt
	var header []ast.Node // what stands outside the bodies
	switch s := s.(type) {
	case *ast.IfStmt:
		init, header, body = s.Init, nonNil(s.Init, s.Cond), s.Body
	case *ast.ForStmt:
		init, header, body = s.Init, nonNil(s.Init, s.Cond, s.Post), s.Body
	case *ast.RangeStmt:
		header, body = nonNil(s.X), s.Body
	case *ast.SwitchStmt:
		init, header, body = s.Init, nonNil(s.Init, s.Tag), s.Body
	case *ast.TypeSwitchStmt:
		init, header, body = s.Init, nonNil(s.Init, s.Assign), s.Body
	case *ast.SelectStmt:
		header, body = nonNil(), s.Body
	}
	n := r.newSite(s, header, body.Lbrace+1)
	if start.IsValid() {
		r.insert(start, "%s.Line(%d); ", r.frame(), n)
	}
	for _, h := range header {
		r.literals(h)
	}
	told := slices.Concat(outer, r.defined(init))
	if s, ok := s.(*ast.RangeStmt); ok && s.Tok == token.DEFINE {
		for _, e := range []ast.Expr{s.Key, s.Value} {
			if id, ok := e.(*ast.Ident); ok {
				if v, ok := r.declare(id, local); ok {
					told = append(told, v)
				}
			}
		}
	}
	switch s := s.(type) {
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		for _, clause := range body.List {
			r.clause(clause, told)
		}
		return
	case *ast.IfStmt:
		defer r.otherwise(s.Else, n, told)
	}
	r.insert(body.Lbrace+1, " %s%s.At(%d);", r.tell(told), r.frame(), n)
	r.list(body.List)
}

// otherwise rewrites an else branch of the if statement with number n.
func (r *rewriter) otherwise(s ast.Stmt, n int, told []int) {
	switch s := s.(type) {
	case *ast.IfStmt:
		r.compound(s, token.NoPos, told)
	case *ast.BlockStmt:
		r.insert(s.Lbrace+1, " %s%s.At(%d);", r.tell(told), r.frame(), n)
		r.list(s.List)
	}
}

// clause rewrites a clause of a switch or select statement.
func (r *rewriter) clause(s ast.Stmt, told []int) {
	var comm ast.Stmt
	var header []ast.Node
	var colon token.Pos
	var body []ast.Stmt
	switch s := s.(type) {
	case *ast.CaseClause:
		for _, e := range s.List {
			header = append(header, e)
		}
		colon, body = s.Colon, s.Body
	case *ast.CommClause:
		comm, colon, body = s.Comm, s.Colon, s.Body
	}
	header = nonNil(append(header, comm)...)
	for _, h := range header {
		r.literals(h)
	}
	n := r.newSite(s, header, colon+1)
	defined := r.defined(comm)
	if v, ok := r.info.Implicits[s].(*types.Var); ok && v.Name() != "_" {
		defined = append(defined, r.number(v, v.Pos(), local, colon+1))
	}
	r.insert(colon+1, " %s%s.At(%d);", r.tell(slices.Concat(told, defined)), r.frame(), n)
	r.list(body)
}
