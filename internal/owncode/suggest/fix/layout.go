package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// How a program can tell the order of a struct's fields that are not exported: in what fmt prints, by package reflect,
// in a literal without names, through package unsafe or assembly, by a conversion from another struct type, and where
// == meets an interface that cannot be compared. An encoding writes exported fields alone.

// knowsLayouts reports whether the package may use the layout of structs anywhere, or has files for other platforms,
// which are not at hand. Templates call methods and print their results.
func (s *search) knowsLayouts() bool {
	for c := range s.inspector.Root().Preorder((*ast.FuncDecl)(nil)) {
		if c.Node().(*ast.FuncDecl).Body == nil {
			return true
		}
	}
	return len(s.elsewhere) > 0 ||
		slices.ContainsFunc([]string{"unsafe", "C", "reflect", "text/template", "html/template"}, s.imports)
}

// knowsOrder reports whether the package does something with a struct that depends on the order of its fields.
func (s *search) knowsOrder(t *types.Named, syntax *ast.StructType) bool {
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
		case *ast.UnaryExpr:
			if e.Op == token.AND && s.isWideField(e.X, t) {
				return true
			}
		case *ast.StructType:
			if e != syntax && types.Identical(tv.Type, t.Underlying()) {
				return true
			}
		}
		if p, ok := tv.Type.(*types.TypeParam); ok && s.isConstraint(p, t) {
			return true
		}
		if m, ok := tv.Type.(*types.Map); ok && holds(m.Key(), t) {
			return true
		}
	}
	for _, object := range s.TypesInfo.Defs {
		switch o := object.(type) {
		case *types.TypeName: // type other entry
			if !o.IsAlias() && o != t.Obj() && types.Identical(o.Type().Underlying(), t.Underlying()) {
				return true
			}
		case *types.Var: // a field of another struct, whose own fields would move
			if o.IsField() && holds(o.Type(), t) {
				return true
			}
		}
	}
	for c := range s.inspector.Root().Preorder((*ast.SwitchStmt)(nil)) {
		if tag := c.Node().(*ast.SwitchStmt).Tag; tag != nil && holds(s.TypesInfo.TypeOf(tag), t) {
			return true
		}
	}
	return s.isArgument(t)
}

// isWideField reports whether an expression is a field of a struct that has 64 bits on all platforms. Package
// sync/atomic needs its address to be a multiple of 8, and some platforms only guarantee that for the first field.
func (s *search) isWideField(e ast.Expr, t *types.Named) bool {
	selector, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || s.TypesInfo.Selections[selector] == nil {
		return false
	}
	field := s.TypesInfo.Selections[selector].Obj()
	b, ok := field.Type().Underlying().(*types.Basic)
	if !ok || b.Kind() != types.Int64 && b.Kind() != types.Uint64 {
		return false
	}
	for f := range t.Underlying().(*types.Struct).Fields() {
		if f == field {
			return true
		}
	}
	return false
}

// isConstraint reports whether a type parameter can only be a struct or types like it. Its literals may have no names.
func (s *search) isConstraint(p *types.TypeParam, t *types.Named) bool {
	constraint, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for e := range constraint.EmbeddedTypes() {
		union, ok := e.(*types.Union)
		if !ok && types.Identical(e, t) {
			return true
		}
		for i := 0; ok && i < union.Len(); i++ {
			if types.Identical(union.Term(i).Type().Underlying(), t.Underlying()) {
				return true
			}
		}
	}
	return false
}

// orderless are generic functions and types that neither compare values of their type argument nor convert them to
// interfaces.
var orderless = []string{
	"slices.BinarySearchFunc", "slices.Clip", "slices.Clone", "slices.Concat", "slices.ContainsFunc", "slices.Delete",
	"slices.DeleteFunc", "slices.Grow", "slices.IndexFunc", "slices.Insert", "slices.MaxFunc", "slices.MinFunc",
	"slices.Reverse", "slices.SortFunc", "slices.SortStableFunc", "sync/atomic.Pointer",
}

// isArgument reports whether a type that leads to a struct is an argument of a generic function or type, except of
// those that are orderless.
func (s *search) isArgument(t *types.Named) bool {
	for name, instance := range s.TypesInfo.Instances {
		object := s.TypesInfo.ObjectOf(name)
		if object != nil && object.Pkg() != nil && slices.Contains(orderless, object.Pkg().Path()+"."+object.Name()) {
			continue
		}
		for argument := range instance.TypeArgs.Types() {
			if leadsTo(argument, t, anywhere) {
				return true
			}
		}
	}
	return false
}

// A distance is how far a value is followed.
type distance int

const (
	inValue  distance = iota // its fields and elements of arrays
	inPrint                  // also what fmt prints of it: elements of slices and maps, but no more than addresses
	anywhere                 // also what pointers, channels and functions lead to
)

// leadsTo reports whether a value of a type has a struct, or refers to one, within a distance.
func leadsTo(x types.Type, t *types.Named, far distance) bool {
	seen := map[types.Type]bool{}
	var walk func(types.Type) bool
	walk = func(x types.Type) bool {
		if types.Identical(x, t) {
			return true
		}
		if seen[x] {
			return false
		}
		seen[x] = true
		switch u := x.Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				if walk(f.Type()) {
					return true
				}
			}
		case *types.Array:
			return walk(u.Elem())
		case *types.Slice:
			return far >= inPrint && walk(u.Elem())
		case *types.Map:
			return far >= inPrint && (walk(u.Key()) || walk(u.Elem()))
		case interface{ Elem() types.Type }: // a pointer or a channel
			return far == anywhere && walk(u.Elem())
		case *types.Signature:
			return far == anywhere && (walk(u.Params()) || walk(u.Results()))
		case *types.Tuple:
			for v := range u.Variables() {
				if walk(v.Type()) {
					return true
				}
			}
		}
		return false
	}
	return x != nil && walk(x)
}

// holds reports whether a value of a type has a struct as a part of itself, behind no pointer.
func holds(x types.Type, t *types.Named) bool { return leadsTo(x, t, inValue) }

// prints reports whether fmt prints the fields of a struct for a value of a type. It follows a pointer that it is
// given.
func prints(x types.Type, t *types.Named) bool {
	if p, ok := x.Underlying().(*types.Pointer); ok {
		x = p.Elem()
	}
	return leadsTo(x, t, inPrint)
}

// boxed returns the types of the values that the package converts to interfaces, except in its tests, to sort them, and
// of nil.
func (s *search) boxed() []types.Type {
	program := ssa.NewProgram(s.Fset, 0)
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
	p := program.CreatePackage(s.Pkg, s.Files, s.TypesInfo, false)
	p.Build()
	found := []types.Type{}
	var search func(*ssa.Function)
	search = func(f *ssa.Function) {
		if f == nil {
			return
		}
		for _, block := range f.Blocks {
			for _, instruction := range block.Instrs {
				box, ok := instruction.(*ssa.MakeInterface)
				if !ok || s.isTest(box.Pos()) || onlySorted(box) {
					continue
				}
				if constant, ok := box.X.(*ssa.Const); !ok || !constant.IsNil() {
					found = append(found, box.X.Type())
				}
			}
		}
		for _, inner := range f.AnonFuncs {
			search(inner)
		}
	}
	search(p.Func("init"))
	for _, object := range s.TypesInfo.Defs {
		if f, ok := object.(*types.Func); ok {
			search(program.FuncValue(f))
		}
	}
	return found
}

// onlySorted reports whether an interface is only an argument of a function of package sort that returns nothing of it.
func onlySorted(box *ssa.MakeInterface) bool {
	for _, user := range *box.Referrers() {
		call, ok := user.(*ssa.Call)
		if !ok || call.Call.StaticCallee() == nil {
			return false
		}
		switch call.Call.StaticCallee().String() {
		case "sort.Sort", "sort.Stable", "sort.Slice", "sort.SliceStable", "sort.IsSorted", "sort.SliceIsSorted":
		default:
			return false
		}
	}
	return true
}

// isOrPointsTo reports whether a type is the struct, or a pointer to it: that is the type of &T{…} in a literal that
// leaves &T out.
func isOrPointsTo(x types.Type, t *types.Named) bool {
	if p, ok := x.Underlying().(*types.Pointer); ok {
		x = p.Elem()
	}
	return types.Identical(x, t)
}

// imports reports whether a file of the package that is no test imports a package.
func (s *search) imports(path string) bool {
	return slices.ContainsFunc(s.Files, func(f *ast.File) bool {
		return !s.isTest(f.Pos()) && slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
			return strings.Trim(i.Path.Value, "`\"") == path
		})
	})
}
