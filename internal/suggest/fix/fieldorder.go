package fix

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// fieldOrder gives the fields of an unexported struct an order with less padding. Programs can see the order of fields:
// in what fmt prints and encodings write, in a literal without names, through package unsafe, and where == meets an
// interface that cannot be compared. A struct for which the package does one of these is left alone. So is one with
// struct tags, or with a number that package sync/atomic may need at an address that is a multiple of 8. Blank lines and comments between fields say what belongs together, so they must not move either.
//
// The analyzer fieldalignment of golang.org/x/tools reports each struct that could be smaller, asks none of this, and
// its edit loses the comments.
var fieldOrder = newAnalyzer("fieldorder", "give the fields of a struct an order with less padding", func(s *search) {
	if s.imports("unsafe") || s.imports("C") {
		return
	}
	var boxed []types.Type // nil until it is needed
	s.each((*ast.TypeSpec)(nil), func(c inspector.Cursor) {
		spec := c.Node().(*ast.TypeSpec)
		syntax, ok := spec.Type.(*ast.StructType)
		if !ok || ast.IsExported(spec.Name.Name) || spec.TypeParams != nil || s.elsewhere[spec.Name.Name] {
			return
		}
		t, ok := s.TypesInfo.TypeOf(spec.Name).(*types.Named)
		if !ok || t.Obj().Parent() != s.Pkg.Scope() || s.isTest(spec.Pos()) {
			return
		}
		order := s.compact(syntax)
		old, new := s.TypesSizes.Sizeof(t), s.sizeInOrder(syntax, order)
		texts, ok := s.fieldTexts(syntax)
		if !ok || new >= old || s.dependsOnOrder(t) {
			return
		}
		if boxed == nil {
			boxed = s.boxed()
		}
		for _, x := range boxed {
			if shows(x, t) {
				return
			}
		}
		list := syntax.Fields.List
		from, _ := fieldRange(list[0])
		_, to := fieldRange(list[len(list)-1])
		separator := "\n" + s.indent(from)
		if s.lineStart(from) == s.lineStart(to) {
			separator = "; "
		}
		sorted := make([]string, len(order))
		for i, at := range order {
			sorted[i] = texts[at]
		}
		s.propose(spec.Name, fmt.Sprintf("with its fields in another order, %s takes %d bytes instead of %d",
			spec.Name.Name, new, old), s.makes(t), edit(from, to, strings.Join(sorted, separator)))
	})
})

// fieldTexts returns the source of each field with its comments. It is not ok where moving them would lose what their
// places say: blank lines, comments between fields, a mutex before what it guards, a field that is only padding.
func (s *search) fieldTexts(syntax *ast.StructType) (texts []string, ok bool) {
	list := syntax.Fields.List
	line := func(pos token.Pos) int { return s.Fset.PositionFor(pos, false).Line }
	own := map[*ast.CommentGroup]bool{}
	atomics := s.imports("sync/atomic")
	for i, f := range list {
		from, to := fieldRange(f)
		if i > 0 {
			_, before := fieldRange(list[i-1])
			if apart := line(from) - line(before); apart > 1 || apart == 0 && (f.Doc != nil || list[i-1].Comment != nil) {
				return nil, false
			}
		}
		t := s.TypesInfo.TypeOf(f.Type)
		if f.Tag != nil || len(f.Names) > 0 && f.Names[0].Name == "_" || isMutex(t) || atomics && isWide(t) {
			return nil, false
		}
		own[f.Doc], own[f.Comment] = true, true
		texts = append(texts, s.between(from, to))
	}
	if len(list) < 2 {
		return nil, false
	}
	for _, group := range s.file(syntax).Comments {
		if syntax.Fields.Opening < group.Pos() && group.Pos() < syntax.Fields.Closing && !own[group] {
			return nil, false
		}
	}
	return texts, true
}

// fieldRange returns where a field begins and ends, with its comments.
func fieldRange(f *ast.Field) (from, to token.Pos) {
	from, to = f.Pos(), f.End()
	if f.Doc != nil {
		from = f.Doc.Pos()
	}
	if f.Comment != nil {
		to = f.Comment.End()
	}
	return from, to
}

func isMutex(t types.Type) bool {
	name := types.TypeString(t, nil)
	return name == "sync.Mutex" || name == "sync.RWMutex"
}

// isWide reports whether a type is a number of 64 bits.
func isWide(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Int64 || b.Kind() == types.Uint64)
}

// compact returns the indexes of the lines of a struct's fields in an order without padding between fields: the largest
// alignment first, and fields of size 0, which would need padding at the end, before all.
func (s *search) compact(syntax *ast.StructType) []int {
	order := make([]int, len(syntax.Fields.List))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int64 {
		t := s.TypesInfo.TypeOf(syntax.Fields.List[i].Type)
		if s.TypesSizes.Sizeof(t) == 0 {
			return -1 << 10
		}
		return -s.TypesSizes.Alignof(t)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return order
}

// sizeInOrder returns the size of a struct whose fields have another order.
func (s *search) sizeInOrder(syntax *ast.StructType, order []int) int64 {
	var fields []*types.Var
	for _, i := range order {
		f := syntax.Fields.List[i]
		for n := range max(len(f.Names), 1) {
			fields = append(fields, types.NewField(f.Pos(), s.Pkg, fmt.Sprintf("f%d_%d", i, n), s.TypesInfo.TypeOf(f.Type), false))
		}
	}
	return s.TypesSizes.Sizeof(types.NewStruct(fields, nil))
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

// makes returns the places that may allocate memory for values that hold a struct: literals, declarations, elements
// that are assigned, and calls of new, make and append.
func (s *search) makes(t *types.Named) (places []token.Pos) {
	inside := func(x types.Type) bool {
		if x == nil {
			return false
		}
		switch u := x.Underlying().(type) {
		case *types.Slice:
			return holds(u.Elem(), t)
		case *types.Map:
			return holds(u.Elem(), t)
		case *types.Chan:
			return holds(u.Elem(), t)
		case *types.Pointer:
			return holds(u.Elem(), t)
		}
		return holds(x, t)
	}
	for c := range s.inspector.Root().Preorder((*ast.CompositeLit)(nil), (*ast.CallExpr)(nil), (*ast.ValueSpec)(nil),
		(*ast.AssignStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.CompositeLit:
			if inside(s.TypesInfo.TypeOf(n)) {
				places = append(places, n.Pos())
			}
		case *ast.CallExpr:
			if name := s.builtin(n); (name == "new" || name == "make" || name == "append") && inside(s.TypesInfo.TypeOf(n)) {
				places = append(places, n.Pos())
			}
		case *ast.ValueSpec:
			if len(n.Names) > 0 && inside(s.TypesInfo.TypeOf(n.Names[0])) {
				places = append(places, n.Pos())
			}
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if inside(s.TypesInfo.TypeOf(l)) {
					places = append(places, n.Pos())
				}
			}
		}
	}
	return places
}

// imports reports whether a file of the package imports a package.
func (s *search) imports(path string) bool {
	return slices.ContainsFunc(s.Files, func(f *ast.File) bool {
		return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+path+`"` })
	})
}
