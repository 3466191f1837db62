package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// How a program can tell the order of a struct's fields: in what fmt prints and encodings write, by package reflect, in
// a literal without names, through package unsafe or assembly, and where == meets an interface that cannot be compared.

// knowsOffsets reports whether the package may use the offsets of fields: it imports unsafe or C, or has assembly.
func (s *search) knowsOffsets() bool {
	for c := range s.inspector.Root().Preorder((*ast.FuncDecl)(nil)) {
		if c.Node().(*ast.FuncDecl).Body == nil {
			return true
		}
	}
	return s.imports("unsafe") || s.imports("C")
}

// dependsOnOrder reports whether the package has a literal of a struct without the names of fields, or compares values
// that hold it: a comparison of interfaces that panics comes earlier or later in another order.
func (s *search) dependsOnOrder(t *types.Named) bool {
	for e, tv := range s.TypesInfo.Types {
		switch e := e.(type) {
		case *ast.CompositeLit:
			if isOrPointsTo(tv.Type, t) && len(e.Elts) > 0 {
				if _, named := e.Elts[0].(*ast.KeyValueExpr); !named {
					return true
				}
			}
		case *ast.BinaryExpr:
			if (e.Op == token.EQL || e.Op == token.NEQ) && holds(s.TypesInfo.TypeOf(e.X), t) {
				return true
			}
		}
		if m, ok := tv.Type.(*types.Map); ok && holds(m.Key(), t) {
			return true
		}
	}
	for c := range s.inspector.Root().Preorder((*ast.SwitchStmt)(nil)) {
		if tag := c.Node().(*ast.SwitchStmt).Tag; tag != nil && holds(s.TypesInfo.TypeOf(tag), t) {
			return true
		}
	}
	return false
}

// boxed returns the types of the values that the package converts to interfaces, except in its tests and to sort them.
func (s *search) boxed() []types.Type {
	program := ssa.NewProgram(s.Fset, ssa.InstantiateGenerics)
	created := map[*types.Package]bool{}
	var imports func([]*types.Package)
	imports = func(all []*types.Package) {
		for _, p := range all {
			if !created[p] {
				created[p] = true
				program.CreatePackage(p, nil, nil, true)
				imports(p.Imports())
			}
		}
	}
	imports(s.Pkg.Imports())
	program.CreatePackage(s.Pkg, s.Files, s.TypesInfo, false).Build()
	found := []types.Type{}
	for f := range ssautil.AllFunctions(program) {
		for _, block := range f.Blocks {
			for _, instruction := range block.Instrs {
				box, ok := instruction.(*ssa.MakeInterface)
				if ok && !s.isTest(box.Pos()) && !onlySorted(box) {
					found = append(found, box.X.Type())
				}
			}
		}
	}
	return found
}

// onlySorted reports whether an interface is only an argument of a function of package sort.
func onlySorted(box *ssa.MakeInterface) bool {
	for _, user := range *box.Referrers() {
		call, ok := user.(*ssa.Call)
		if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().Pkg == nil ||
			call.Call.StaticCallee().Pkg.Pkg.Path() != "sort" {
			return false
		}
	}
	return true
}

// shows reports whether fmt or an encoding could write the fields of a struct that it reaches from a value of a type.
// Both follow a pointer that they are given. Of the pointers inside, encodings follow those in exported fields.
func shows(x types.Type, t *types.Named) bool {
	type visit struct {
		t         types.Type
		encodable bool
	}
	seen := map[visit]bool{}
	var walk func(x types.Type, encodable bool) bool
	walk = func(x types.Type, encodable bool) bool {
		if seen[visit{x, encodable}] {
			return false
		}
		seen[visit{x, encodable}] = true
		if types.Identical(x, t) {
			return true
		}
		switch u := x.Underlying().(type) {
		case *types.Pointer:
			return encodable && walk(u.Elem(), encodable)
		case *types.Slice:
			return walk(u.Elem(), encodable)
		case *types.Array:
			return walk(u.Elem(), encodable)
		case *types.Map:
			return walk(u.Key(), encodable) || walk(u.Elem(), encodable)
		case *types.Struct:
			for f := range u.Fields() {
				if walk(f.Type(), encodable && f.Exported()) {
					return true
				}
			}
		}
		return false
	}
	return walk(x, true)
}

// holds reports whether a value of a type has a struct as a part of itself, behind no pointer.
func holds(x types.Type, t *types.Named) bool {
	if types.Identical(x, t) {
		return true
	}
	switch u := x.Underlying().(type) {
	case *types.Array:
		return holds(u.Elem(), t)
	case *types.Struct:
		for f := range u.Fields() {
			if holds(f.Type(), t) {
				return true
			}
		}
	}
	return false
}

// isOrPointsTo reports whether a type is the struct, or a pointer to it: that is the type of &T{…} in a literal that
// leaves &T out.
func isOrPointsTo(x types.Type, t *types.Named) bool {
	if p, ok := x.Underlying().(*types.Pointer); ok {
		x = p.Elem()
	}
	return types.Identical(x, t)
}

// argumentsElsewhere returns the types with which the package instantiates generic functions and types of others, which
// may convert their values to interfaces. Those of some packages of the standard library do not.
func (s *search) argumentsElsewhere() (found []types.Type) {
	harmless := []string{"slices", "maps", "iter", "sync", "sync/atomic"}
	for name, instance := range s.TypesInfo.Instances {
		object := s.TypesInfo.ObjectOf(name)
		if object == nil || object.Pkg() == nil || object.Pkg() == s.Pkg || slices.Contains(harmless, object.Pkg().Path()) ||
			s.isTest(name.Pos()) {
			continue
		}
		for t := range instance.TypeArgs.Types() {
			found = append(found, t)
		}
	}
	return found
}

// isEncodable reports whether an encoding in another package would write a struct's exported fields, because it reaches
// them from an exported type.
func (s *search) isEncodable(t *types.Named) bool {
	exported := false
	for f := range t.Underlying().(*types.Struct).Fields() {
		exported = exported || f.Exported()
	}
	if !exported {
		return false
	}
	for _, name := range s.Pkg.Scope().Names() {
		object, ok := s.Pkg.Scope().Lookup(name).(*types.TypeName)
		if ok && object.Exported() && shows(object.Type(), t) {
			return true
		}
	}
	return false
}

// imports reports whether a file of the package imports a package.
func (s *search) imports(path string) bool {
	return slices.ContainsFunc(s.Files, func(f *ast.File) bool {
		return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+path+`"` })
	})
}
