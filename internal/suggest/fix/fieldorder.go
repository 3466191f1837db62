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
)

// fieldOrder gives the fields of an unexported struct an order with less padding. A struct for which the package shows
// the order of its fields is left alone: see layout.go. So is one with struct tags, or with a number that package
// sync/atomic may need at an address that is a multiple of 8. Blank lines and comments between fields say what belongs
// together, so they must not move either.
//
// The analyzer fieldalignment of golang.org/x/tools reports each struct that could be smaller, asks none of this, and
// its edit loses the comments.
var fieldOrder = newAnalyzer("fieldorder", "give the fields of a struct an order with less padding", func(s *search) {
	if s.knowsOffsets() {
		return
	}
	var shown []types.Type // nil until it is needed
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
		if shown == nil {
			shown = slices.Concat(s.boxed(), s.argumentsElsewhere())
		}
		if slices.ContainsFunc(shown, func(x types.Type) bool { return shows(x, t) }) || s.isEncodable(t) {
			return
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

// isWide reports whether a type is or has a number of 64 bits. The types of package sync/atomic align themselves.
func isWide(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.Int64 || u.Kind() == types.Uint64
	case *types.Array:
		return isWide(u.Elem())
	case *types.Struct:
		if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "sync/atomic" {
			return false
		}
		for f := range u.Fields() {
			if isWide(f.Type()) {
				return true
			}
		}
	}
	return false
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
			fields = append(fields, types.NewField(f.Pos(), s.Pkg, fmt.Sprintf("f%d_%d", i, n),
				s.TypesInfo.TypeOf(f.Type), false))
		}
	}
	return s.TypesSizes.Sizeof(types.NewStruct(fields, nil))
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
