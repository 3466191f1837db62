package ownership

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// externalWrites finds writes into memory that a variable of another package refers to, such as *time.UTC. It decides
// by type: any *time.Location may be time.UTC, whichever way the program got it.
func (c *checker) externalWrites(file *ast.File) {
	c.shared()
	write := func(e ast.Expr, does string) {
		if t, root := c.sharedTarget(e); t != nil && !c.fresh(root) {
			c.report(e.Pos(), "%s memory of type %s, which is not allowed here: it may belong to a variable of "+
				"package %s", does,
				c.typeName(t), owner(t))
		}
	}
	elements := func(e ast.Expr, does string) {
		var elem types.Type
		switch u := core(c.typeOf(e)).(type) {
		case *types.Slice:
			elem = u.Elem()
		case *types.Map:
			elem = u.Elem()
		}
		root := ast.Unparen(e)
		if s, ok := root.(*ast.SliceExpr); ok {
			root = ast.Unparen(s.X)
		}
		_, literal := root.(*ast.CompositeLit)
		if elem != nil && c.isShared(elem) && !literal && !c.fresh(c.variable(root)) && !c.info.Types[root].IsNil() {
			c.report(e.Pos(), "%s elements of type %s, which is not allowed here: they may belong to a variable "+
				"of package %s",
				does, c.typeName(elem), owner(elem))
		}
	}
	var parents []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			parents = parents[:len(parents)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				write(e, "this assigns to")
			}
		case *ast.IncDecStmt:
			write(n.X, "this assigns to")
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				write(n.Key, "this assigns to")
				write(n.Value, "this assigns to")
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				write(n.X, "this takes the address of")
			}
		case *ast.CallExpr:
			switch c.builtin(n) {
			case "copy", "append", "clear", "delete":
				elements(n.Args[0], "this changes")
			}
		case *ast.SelectorExpr:
			c.alias(n, parents)
		}
		parents = append(parents, n)
		return true
	})
	c.instances(file, func(id *ast.Ident, generic types.Object, argument types.Type) {
		if _, isType := generic.(*types.TypeName); isType && c.isExternal(generic) {
			return
		}
		if c.isShared(argument) {
			c.report(id.Pos(),
				"generic code may change memory of type %s, which is not allowed here: it may belong to a "+
					"variable of package %s", c.typeName(argument), owner(argument))
		}
	})
}

// shared collects the struct types that variables of other packages refer to by pointers, slices and maps.
func (c *checker) shared() {
	if c.owned != nil {
		return
	}
	c.owned = map[types.Type]bool{}
	seen := map[*types.Package]bool{}
	var visit func(pkg *types.Package)
	visit = func(pkg *types.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, name := range pkg.Scope().Names() {
			if v, ok := pkg.Scope().Lookup(name).(*types.Var); ok && v.Exported() {
				c.addReachable(v.Type(), false)
			}
		}
		for _, p := range pkg.Imports() {
			visit(p)
		}
	}
	for _, p := range c.pkg.Imports() {
		visit(p)
	}
}

func (c *checker) addReachable(t types.Type, indirect bool) {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		c.addReachable(u.Elem(), true)
	case *types.Slice:
		c.addReachable(u.Elem(), true)
	case *types.Map:
		c.addReachable(u.Elem(), true)
	case *types.Array:
		c.addReachable(u.Elem(), indirect)
	case *types.Struct:
		if c.owned[t] {
			return
		}
		if _, named := t.(*types.Named); named && indirect {
			c.owned[t] = true
		}
		for f := range u.Fields() {
			c.addReachable(f.Type(), indirect)
		}
	}
}

// isShared reports whether memory of type t may belong to another package's variable.
func (c *checker) isShared(t types.Type) bool {
	if t == nil {
		return false
	}
	t = types.Unalias(t)
	if c.owned[t] {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return c.isShared(u.Elem())
	case *types.Struct:
		// "type mine time.Location" has the same fields.
		for o := range c.owned {
			if types.Identical(u, o.Underlying()) {
				return true
			}
		}
	}
	return false
}

// sharedTarget returns the type of shared memory that an assignment to e changes, nil for none, and the variable that
// refers to it directly.
func (c *checker) sharedTarget(e ast.Expr) (types.Type, *types.Var) {
	for e != nil {
		switch x := ast.Unparen(e).(type) {
		case *ast.StarExpr:
			return c.pointedTo(x.X)
		case *ast.SelectorExpr:
			s := c.info.Selections[x]
			if s == nil {
				return nil, nil // a package's variable, which the policy reports
			}
			if s.Indirect() {
				t := c.typeOf(x.X)
				for _, i := range s.Index()[:len(s.Index())-1] {
					// Find the last pointer on the path to a promoted field.
					if st, ok := pointee(t).Underlying().(*types.Struct); ok {
						if f := st.Field(i).Type(); isPointer(f) {
							if p := pointee(f); c.isShared(p) {
								return p, nil
							}
						}
						t = st.Field(i).Type()
					}
				}
				return c.pointedTo(x.X)
			}
			e = x.X
		case *ast.IndexExpr:
			switch u := core(c.typeOf(x.X)).(type) {
			case *types.Slice:
				if c.isShared(u.Elem()) {
					return u.Elem(), c.variable(x.X)
				}
				return nil, nil
			case *types.Map:
				return nil, nil
			case *types.Pointer:
				return c.pointedTo(x.X)
			}
			e = x.X
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// pointedTo is sharedTarget for the memory that the pointer e points to.
func (c *checker) pointedTo(e ast.Expr) (types.Type, *types.Var) {
	if t := pointee(core(c.typeOf(e))); c.isShared(t) {
		return t, c.variable(e)
	}
	return nil, nil
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func pointee(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func owner(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if t.Obj().Pkg() != nil {
			return t.Obj().Pkg().Path()
		}
	case *types.Array:
		return owner(t.Elem())
	}
	return "the standard library"
}

// alias finds slices and maps of another package's variable that are stored or passed on, since later code could write
// into them unnoticed: their elements have types that are common elsewhere. Reading them in place is allowed.
func (c *checker) alias(sel *ast.SelectorExpr, parents []ast.Node) {
	t := c.typeOf(sel)
	if t == nil {
		return
	}
	var elem types.Type
	switch u := t.Underlying().(type) {
	case *types.Slice:
		elem = u.Elem()
	case *types.Map:
		elem = u.Elem()
	case *types.Pointer:
		elem = u.Elem()
	default:
		return
	}
	if c.isShared(elem) || !c.isPartOfExternal(sel) {
		return
	}
	i := len(parents) - 1
	var below ast.Node = sel
	for ; i >= 0; i-- {
		if _, ok := parents[i].(*ast.ParenExpr); !ok {
			break
		}
		below = parents[i]
	}
	switch p := parents[i].(type) {
	case *ast.IndexExpr:
		if p.X == below {
			return
		}
	case *ast.RangeStmt:
		if p.X == below {
			return
		}
	case *ast.BinaryExpr, *ast.SelectorExpr:
		return
	case *ast.CallExpr:
		name := c.builtin(p)
		if f := c.callee(p); p.Fun == below || name == "len" || name == "cap" || c.isExternal(f) &&
			f.Signature().TypeParams().Len() == 0 {
			return
		}
	}
	c.report(sel.Pos(), "this stores or passes on %s, which is not allowed here: it belongs to another package, which "+
		"others could then change by it: read it in place, or copy it", strings.TrimSpace(types.ExprString(sel)))
}

// isPartOfExternal reports whether an expression is a variable of another package, or a part of one.
func (c *checker) isPartOfExternal(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if s := c.info.Selections[e]; s != nil {
			return s.Kind() == types.FieldVal && (c.isPartOfExternal(e.X) || c.isShared(pointee(c.typeOf(e.X))) &&
				!c.fresh(c.variable(e.X)))
		}
		v, ok := c.info.Uses[e.Sel].(*types.Var)
		return ok && c.isExternal(v)
	case *ast.IndexExpr:
		return c.isPartOfExternal(e.X)
	case *ast.SliceExpr:
		return c.isPartOfExternal(e.X)
	case *ast.StarExpr:
		return c.isPartOfExternal(e.X)
	}
	return false
}
