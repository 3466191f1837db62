// Package ownership finds code that keeps, copies or changes memory that belongs to another package: copies of a
// strings.Builder, writes into variables of other packages, and slices that a Write keeps although they are lent only
// for the call. The package type-checks the code without a toolchain.
package ownership

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A Finding is a construct that is refused, with its position and the reason.
type Finding struct {
	Pos     token.Pos
	Message string
}

// Check returns the findings in a package's files, in source order. Files with fixed imports that a solver did not
// write belong to the package too, so their findings are returned as well. unchecked is not nil if the files cannot be
// type-checked: they have a mistake that the compiler finds too, or they use something that this package does not know.
func Check(fset *token.FileSet, importPath string, files []*ast.File) (findings []Finding, unchecked *Finding) {
	if large := bounds(files); large != nil {
		return nil, large
	}
	c := &checker{info: &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances:  map[*ast.Ident]types.Instance{},
		Implicits:  map[ast.Node]types.Object{},
	}}
	var err error
	if c.pkg, err = typeCheck(fset, importPath, files, c.info); err != nil {
		unchecked = &Finding{files[0].Name.Pos(),
			fmt.Sprintf("this package cannot be type-checked, so the policy cannot check it: %v", err)}
		if e, ok := err.(types.Error); ok {
			unchecked.Pos, unchecked.Message = e.Pos,
				fmt.Sprintf("this file cannot be type-checked, so the policy cannot check it: %s", e.Msg)
		}
		return nil, unchecked
	}
	c.assignments(files)
	for _, file := range files {
		c.copies(file)
		c.externalWrites(file)
	}
	if unchecked = c.lent(files); unchecked != nil {
		return nil, unchecked
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int { return int(a.Pos - b.Pos) })
	return slices.Compact(c.findings), nil
}

func typeCheck(
	fset *token.FileSet,
	importPath string,
	files []*ast.File,
	info *types.Info,
) (pkg *types.Package, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error of go/types: %v", r)
		}
	}()
	config := types.Config{Importer: &standard, Sizes: types.SizesFor("gc", "amd64")}
	return config.Check(importPath, fset, files, info)
}

type checker struct {
	pkg      *types.Package
	info     *types.Info
	findings []Finding

	// values are the values assigned to local variables; nil stands for a value that is not an expression.
	values map[types.Object][]ast.Expr
	zero   map[types.Object]bool // variables that are declared without a value
	copied map[types.Type]string // results of uncopyable
	owned  map[types.Type]bool   // types of memory that variables of other packages refer to
}

func (c *checker) report(pos token.Pos, format string, args ...any) {
	c.findings = append(c.findings, Finding{pos, fmt.Sprintf(format, args...)})
}

// typeName returns the name of a type in the solver's files.
func (c *checker) typeName(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg == c.pkg {
			return ""
		}
		return pkg.Name()
	})
}

// typeOf returns an expression's type, nil if it has none. For a comma-ok expression it is the type of the value.
func (c *checker) typeOf(e ast.Expr) types.Type {
	if e == nil {
		return nil
	}
	t := c.info.TypeOf(e)
	if tuple, ok := t.(*types.Tuple); ok {
		if _, call := ast.Unparen(e).(*ast.CallExpr); call || tuple.Len() == 0 {
			return nil
		}
		return tuple.At(0).Type()
	}
	return t
}

// callee returns the function or method that a call names, nil for a call of a function value, a builtin or a
// conversion.
func (c *checker) callee(call *ast.CallExpr) *types.Func {
	f, _ := c.named(call.Fun).(*types.Func)
	return f
}

// named returns the object that an expression names, with or without type arguments.
func (c *checker) named(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return c.info.ObjectOf(e)
	case *ast.SelectorExpr:
		return c.info.Uses[e.Sel]
	case *ast.IndexExpr:
		return c.named(e.X)
	case *ast.IndexListExpr:
		return c.named(e.X)
	}
	return nil
}

func (c *checker) builtin(call *ast.CallExpr) string {
	if b, ok := c.named(call.Fun).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

func (c *checker) isConversion(call *ast.CallExpr) bool { return c.info.Types[call.Fun].IsType() }

func (c *checker) isExternal(o types.Object) bool {
	if f, ok := o.(*types.Func); ok && f == nil {
		return false
	}
	return o != nil && o.Pkg() != nil && o.Pkg() != c.pkg
}

// variable returns the variable that an expression denotes, nil if it does not denote one.
func (c *checker) variable(e ast.Expr) *types.Var {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		v, _ := c.info.ObjectOf(id).(*types.Var)
		return v
	}
	return nil
}

// assignments records the values that are assigned to each variable.
func (c *checker) assignments(files []*ast.File) {
	c.values, c.zero = map[types.Object][]ast.Expr{}, map[types.Object]bool{}
	add := func(to, from ast.Expr) {
		if v := c.variable(to); v != nil {
			c.values[v] = append(c.values[v], from)
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if len(n.Rhs) == len(n.Lhs) {
						add(to, n.Rhs[i])
					} else {
						add(to, n.Rhs[0]) // a call or an expression with "ok"
					}
				}
			case *ast.ValueSpec:
				for i, to := range n.Names {
					switch {
					case len(n.Values) == len(n.Names):
						add(to, n.Values[i])
					case len(n.Values) > 0:
						add(to, n.Values[0])
					default:
						c.zero[c.info.Defs[to]] = true
					}
				}
			case *ast.RangeStmt:
				add(n.Key, nil)
				add(n.Value, nil)
			case *ast.UnaryExpr:
				// Code with the address may assign any value.
				if n.Op == token.AND {
					add(n.X, nil)
				}
			case *ast.SelectorExpr:
				// So may a method with a pointer receiver.
				if s := c.info.Selections[n]; s != nil && s.Kind() != types.FieldVal && !isPointer(s.Recv()) {
					if f, ok := s.Obj().(*types.Func); ok && isPointer(f.Signature().Recv().Type()) {
						add(n.X, nil)
					}
				}
			case *ast.FuncType:
				for _, list := range []*ast.FieldList{n.Params, n.Results} {
					for field := range fields(list) {
						for _, name := range field.Names {
							add(name, nil)
						}
					}
				}
			case *ast.FuncDecl:
				for field := range fields(n.Recv) {
					for _, name := range field.Names {
						add(name, nil)
					}
				}
			}
			return true
		})
	}
}

// fresh reports whether a variable only ever holds memory that its own function allocated, by a composite literal,
// make, new or append.
func (c *checker) fresh(v *types.Var) bool {
	if v == nil || v.IsField() || v.Pkg() != c.pkg || v.Parent() == c.pkg.Scope() {
		return false
	}
	for _, e := range c.values[v] {
		if e == nil || !c.makes(e, v) {
			return false
		}
	}
	// The variable of a type switch is in neither map.
	return len(c.values[v]) > 0 || c.zero[v]
}

// makes reports whether e allocates new memory. An append to v counts if v itself is fresh.
func (c *checker) makes(e ast.Expr, v *types.Var) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		_, literal := ast.Unparen(e.X).(*ast.CompositeLit)
		return e.Op == token.AND && literal
	case *ast.Ident:
		_, isNil := c.info.Uses[e].(*types.Nil)
		return isNil
	case *ast.SliceExpr:
		return c.variable(e.X) == v
	case *ast.CallExpr:
		switch c.builtin(e) {
		case "make", "new":
			return true
		case "append":
			first := ast.Unparen(e.Args[0])
			if s, ok := first.(*ast.SliceExpr); ok {
				first = s.X
			}
			return c.variable(first) == v || c.makes(first, v)
		}
	}
	return false
}

func fields(list *ast.FieldList) func(func(*ast.Field) bool) {
	return func(yield func(*ast.Field) bool) {
		if list == nil {
			return
		}
		for _, f := range list.List {
			if !yield(f) {
				return
			}
		}
	}
}

// instances calls f for each type argument of a generic function or type, with its name.
func (c *checker) instances(file *ast.File, f func(id *ast.Ident, generic types.Object, argument types.Type)) {
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if inst, ok := c.info.Instances[id]; ok {
				for t := range inst.TypeArgs.Types() {
					f(id, c.info.Uses[id], t)
				}
			}
		}
		return true
	})
}
