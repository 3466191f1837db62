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

// fieldOrder gives the fields of an unexported struct an order with less padding. All fields must be unexported too, so
// that encodings do not write them. A struct of which the package shows the order of its fields is left alone: see
// layout.go. Where comments, blank lines, a lock or padding between fields say what belongs together, the fields must
// not move either.
//
// The analyzer fieldalignment of golang.org/x/tools reports each struct that could be smaller, asks none of this, and
// its edit loses the comments.
var fieldOrder = newAnalyzer("fieldorder", "give the fields of a struct an order with less padding", func(s *search) {
	if s.knowsLayouts() {
		return
	}
	var boxed []types.Type // nil until it is needed
	s.each((*ast.GenDecl)(nil), func(c inspector.Cursor) {
		decl := c.Node().(*ast.GenDecl)
		for _, spec := range decl.Specs {
			spec, ok := spec.(*ast.TypeSpec)
			if !ok {
				return
			}
			syntax, ok := spec.Type.(*ast.StructType)
			if !ok || ast.IsExported(spec.Name.Name) || spec.TypeParams != nil || s.isTest(spec.Pos()) ||
				demandsOrder(decl.Doc, spec.Doc, spec.Comment) {
				continue
			}
			t, ok := s.TypesInfo.TypeOf(spec.Name).(*types.Named)
			if !ok || t.Obj().Parent() != s.Pkg.Scope() {
				continue
			}
			order := s.compact(syntax)
			old, new := s.TypesSizes.Sizeof(t), s.sizeInOrder(syntax, order)
			texts, ok := s.fieldTexts(syntax)
			if !ok || new >= old || s.knowsOrder(t, syntax) {
				continue
			}
			if boxed == nil {
				boxed = s.boxed()
			}
			if slices.ContainsFunc(boxed, func(x types.Type) bool { return prints(x, t) }) {
				continue
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
		}
	})
})

// demandsOrder reports whether the comments of a type say something of its layout.
func demandsOrder(comments ...*ast.CommentGroup) bool {
	for _, group := range comments {
		if group == nil {
			continue
		}
		for _, c := range group.List {
			text := strings.ToLower(c.Text)
			if slices.ContainsFunc([]string{"order", "layout", "align", "cache line", "nolint", "//go:"},
				func(word string) bool { return strings.Contains(text, word) }) {
				return true
			}
		}
	}
	return false
}

// fieldTexts returns the source of each field with its comments. It is not ok where fields must not move: see mayMove.
func (s *search) fieldTexts(syntax *ast.StructType) (texts []string, ok bool) {
	list := syntax.Fields.List
	line := func(pos token.Pos) int { return s.Fset.PositionFor(pos, false).Line }
	own := map[*ast.CommentGroup]bool{}
	for i, f := range list {
		from, to := fieldRange(f)
		if i > 0 {
			_, before := fieldRange(list[i-1])
			// A comment above some fields may be about all that follow.
			heads := (list[i-1].Doc != nil) != (f.Doc != nil)
			if apart := line(from) - line(before); apart > 1 || heads || apart == 0 && s.hasComment(syntax) {
				return nil, false
			}
		}
		if !s.mayMove(f) {
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

// mayMove reports whether a field may have another place. A lock stands before what it guards, and an array may be
// padding between fields that different processors write to. A struct inside may be either.
func (s *search) mayMove(f *ast.Field) bool {
	if f.Tag != nil || len(f.Names) == 0 || f.Doc != nil && strings.HasSuffix(strings.TrimSpace(f.Doc.Text()), ":") {
		return false
	}
	for _, name := range f.Names {
		if name.Name == "_" || ast.IsExported(name.Name) || strings.Contains(strings.ToLower(name.Name), "pad") {
			return false
		}
	}
	t := s.TypesInfo.TypeOf(f.Type)
	lock := t
	if p, ok := t.(*types.Pointer); ok {
		lock = p.Elem()
	}
	if named, ok := lock.(*types.Named); ok && isLock(named) {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Array, *types.Struct:
		return types.TypeString(t, nil) == "time.Time"
	}
	return true
}

// isLock reports whether a type is of package sync, or called so.
func isLock(t *types.Named) bool {
	name := strings.ToLower(t.Obj().Name())
	return t.Obj().Pkg() != nil && t.Obj().Pkg().Path() == "sync" || strings.Contains(name, "mutex") ||
		strings.Contains(name, "lock")
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

// compact returns the indexes of the lines of a struct's fields in an order without padding between fields: the largest
// alignment first.
func (s *search) compact(syntax *ast.StructType) []int {
	order := make([]int, len(syntax.Fields.List))
	for i := range order {
		order[i] = i
	}
	alignment := func(i int) int64 { return s.TypesSizes.Alignof(s.TypesInfo.TypeOf(syntax.Fields.List[i].Type)) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(alignment(b), alignment(a)) })
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
			if name := s.builtin(n); (name == "new" || name == "make" || name == "append") &&
				inside(s.TypesInfo.TypeOf(n)) {
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
