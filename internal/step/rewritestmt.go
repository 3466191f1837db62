package step

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// statementSite numbers a statement. What of it stands outside its body ends at after: where the body begins or,
// without a body, where the statement ends.
func (r *rewriter) statementSite(s ast.Node, after token.Pos) int {
	var calls []call
	inspect(s, after, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			calls = append(calls, call{r.place(c.Lparen), calledName(c.Fun)})
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return r.newSite(site{place: r.place(s.Pos()), end: r.place(after).line, before: s.Pos(), after: after, calls: calls})
}

// inspect is ast.Inspect for the nodes that begin before a position, which are the ones outside of a statement's body.
func inspect(s ast.Node, before token.Pos, f func(ast.Node) bool) {
	ast.Inspect(s, func(n ast.Node) bool { return n != nil && n.Pos() < before && f(n) })
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
	for l, labeled := s.(*ast.LabeledStmt); labeled; l, labeled = s.(*ast.LabeledStmt) {
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
	n := r.statementSite(s, s.End())
	r.insert(start, "%s.Line(%d); ", r.frame(), n)
	r.literals(s, s.End())
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

// defined numbers the variables that a simple statement or a range clause declares.
func (r *rewriter) defined(s ast.Stmt) []int {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return r.names(s.Tok, s.Lhs...)
	case *ast.RangeStmt:
		return r.names(s.Tok, s.Key, s.Value)
	case *ast.DeclStmt:
		return r.declared(s.Decl.(*ast.GenDecl), local)
	}
	return nil
}

// names numbers the variables that an assignment or a range clause declares.
func (r *rewriter) names(tok token.Token, names ...ast.Expr) (vars []int) {
	for _, e := range names {
		if id, ok := e.(*ast.Ident); ok && tok == token.DEFINE {
			vars = append(vars, r.declare(local, id)...)
		}
	}
	return vars
}

// compound rewrites a statement with bodies. It has no snapshot of its own: each body begins with one. outer are the
// variables of the statements that it is the else branch of; start is not valid for such a branch.
func (r *rewriter) compound(s ast.Stmt, start token.Pos, outer []int) {
	var init ast.Stmt
	var body *ast.BlockStmt
	switch s := s.(type) {
	case *ast.IfStmt:
		init, body = s.Init, s.Body
	case *ast.ForStmt:
		init, body = s.Init, s.Body
	case *ast.RangeStmt:
		init, body = s, s.Body
	case *ast.SwitchStmt:
		init, body = s.Init, s.Body
	case *ast.TypeSwitchStmt:
		init, body = s.Init, s.Body
	case *ast.SelectStmt:
		body = s.Body
	}
	begin := body.Lbrace + 1
	n := r.statementSite(s, begin)
	if start.IsValid() {
		r.insert(start, "%s.Line(%d); ", r.frame(), n)
	}
	r.literals(s, begin)
	vars := slices.Concat(outer, r.defined(init))
	switch s := s.(type) {
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		for _, clause := range body.List {
			r.clause(clause, vars)
		}
		return
	case *ast.IfStmt:
		defer r.otherwise(s.Else, n, vars)
	}
	r.block(begin, n, vars, body.List)
}

// block rewrites a body of the statement with number n, which begins at a position with those variables.
func (r *rewriter) block(begin token.Pos, n int, vars []int, list []ast.Stmt) {
	r.insert(begin, " %s%s.At(%d);", r.tell(vars), r.frame(), n)
	r.list(list)
}

// otherwise rewrites an else branch of the if statement with number n.
func (r *rewriter) otherwise(s ast.Stmt, n int, vars []int) {
	switch s := s.(type) {
	case *ast.IfStmt:
		r.compound(s, token.NoPos, vars)
	case *ast.BlockStmt:
		r.block(s.Lbrace+1, n, vars, s.List)
	}
}

// clause rewrites a clause of a switch or select statement.
func (r *rewriter) clause(s ast.Stmt, vars []int) {
	var comm ast.Stmt
	var begin token.Pos
	var body []ast.Stmt
	switch s := s.(type) {
	case *ast.CaseClause:
		begin, body = s.Colon+1, s.Body
	case *ast.CommClause:
		comm, begin, body = s.Comm, s.Colon+1, s.Body
	}
	r.literals(s, begin)
	n := r.statementSite(s, begin)
	defined := r.defined(comm)
	if v, ok := r.info.Implicits[s].(*types.Var); ok && v.Name() != "_" {
		defined = append(defined, r.number(v, v.Pos(), local, begin))
	}
	r.block(begin, n, slices.Concat(vars, defined), body)
}
