package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// heapValues pushes values on a container/heap, and pops them, without an interface around each. The new methods ask
// and swap what heap.Push and heap.Pop do, in the same order: heap.Fix moves a last element only up, and a first one
// down.
func heapValues(s *search) {
	heaps := map[*types.Named]*heapType{}
	var order []*heapType
	each(s, func(_ inspector.Cursor, decl *ast.FuncDecl) {
		named, isPointer := s.sliceType(decl)
		if named == nil || !isPointer {
			return
		}
		if heaps[named] == nil {
			heaps[named] = &heapType{named: named}
			order = append(order, heaps[named])
		}
		switch {
		case decl.Name.Name == "Push" && s.isPush(decl):
			heaps[named].push = decl
		case decl.Name.Name == "Pop" && s.isPop(decl):
			heaps[named].pop = decl
		}
	})
	for _, h := range order {
		if h.push != nil && h.pop != nil {
			s.withoutInterface(h)
		}
	}
}

// A heapType is a slice type, and its methods Push and Pop, as far as they do what package heap documents.
type heapType struct {
	named     *types.Named
	push, pop *ast.FuncDecl
}

// sliceType returns the slice type that a method is of, nil for other functions and for types with type parameters, and
// whether the receiver is a pointer.
func (s *search) sliceType(decl *ast.FuncDecl) (named *types.Named, isPointer bool) {
	if decl.Recv == nil || decl.Body == nil || len(decl.Recv.List[0].Names) != 1 {
		return nil, false
	}
	t := s.TypesInfo.TypeOf(decl.Recv.List[0].Type)
	if pointer, ok := t.(*types.Pointer); ok {
		t, isPointer = pointer.Elem(), true
	}
	named, _ = t.(*types.Named)
	if named == nil || named.TypeArgs().Len() > 0 {
		return nil, false
	}
	if _, ok := named.Underlying().(*types.Slice); !ok {
		return nil, false
	}
	return named, isPointer
}

// isPush reports whether a method is "*h = append(*h, x.(T))".
func (s *search) isPush(decl *ast.FuncDecl) bool { return pushForm.MatchString(s.normal(decl)) }

var pushForm = regexp.MustCompile(`^\*H=append\(\*H,A\.\([^,]+\)\);$`)

// isPop reports whether a method returns the last element after it has cut that off, and does nothing else except that
// it may clear the element's place.
func (s *search) isPop(decl *ast.FuncDecl) bool {
	text := s.normal(decl)
	return slices.ContainsFunc(popForms, func(form string) bool {
		parts := strings.Split(form, " ")
		return text == parts[0]+parts[2] || text == parts[0]+parts[1]+parts[2]
	})
}

// popForms are the usual ways to write Pop, with H for the receiver and A, B, C for other names. In the middle is the
// statement that clears the element's place.
var popForms = []string{
	"A:=len(*H)-1;B:=(*H)[A]; (*H)[A]=nil; *H=(*H)[:A];returnB;",
	"A:=*H;B:=len(A);C:=A[B-1]; A[B-1]=nil; *H=A[0:B-1];returnC;",
	"A:=*H;B:=len(A);C:=A[B-1]; A[B-1]=nil; *H=A[:B-1];returnC;",
	"A:=*H;B:=len(A)-1;C:=A[B]; A[B]=nil; *H=A[:B];returnC;",
	"A:=(*H)[len(*H)-1]; (*H)[len(*H)-1]=nil; *H=(*H)[:len(*H)-1];returnA;",
}

// withoutInterface proposes methods for a heap type, and to call them in place of heap.Push and heap.Pop.
func (s *search) withoutInterface(h *heapType) {
	elem := h.named.Underlying().(*types.Slice).Elem()
	switch elem.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return // an interface has room for it
	}
	t := types.NewPointer(h.named)
	push, pop := s.freeMethod(t, "pushValue"), s.freeMethod(t, "popValue")
	var edits []analysis.TextEdit
	var places []token.Pos
	whole := true
	each(s, func(c inspector.Cursor, call *ast.CallExpr) {
		isPush := s.calls(call, "container/heap.Push")
		if !isPush && !s.calls(call, "container/heap.Pop") ||
			strings.HasSuffix(s.Fset.File(call.Pos()).Name(), "_test.go") {
			return
		}
		pointer, ok := s.TypesInfo.TypeOf(call.Args[0]).(*types.Pointer)
		if !ok || !types.Identical(pointer.Elem(), h.named) || !s.pure(withoutAddress(call.Args[0])) {
			whole = whole && (ok || !types.IsInterface(s.TypesInfo.TypeOf(call.Args[0])))
			return
		}
		on := s.text(withoutAddress(call.Args[0]))
		if isPush {
			if !types.Identical(s.TypesInfo.TypeOf(call.Args[1]), elem) {
				return
			}
			edits = append(edits, edit(call.Pos(), call.End(),
				fmt.Sprintf("%s.%s(%s)", on, push, s.text(call.Args[1]))))
			places = append(places, call.Pos())
			return
		}
		assert, ok := c.Parent().Node().(*ast.TypeAssertExpr)
		if !ok || assert.Type == nil || !types.Identical(s.TypesInfo.TypeOf(assert.Type), elem) {
			return
		}
		edits = append(edits, edit(assert.Pos(), assert.End(), fmt.Sprintf("%s.%s()", on, pop)))
		places = append(places, call.Pos())
	})
	if len(edits) == 0 || !whole {
		return
	}
	file := s.file(h.pop)
	name, imports := s.importing(file, "container/heap")
	element, more := s.typeName(file, elem)
	typeName := h.named.Obj().Name()
	recv := h.pop.Recv.List[0].Names[0].Name
	value := "x"
	if recv == value {
		value = "v"
	}
	// Pop removes the element from the slice as the type's own method does. The call avoids its copy to an interface
	// that is not kept.
	text := fmt.Sprintf("\n\n// %s does what %s.Push does, without an interface around %s.\n"+
		"func (%s *%s) %s(%s %s) {\n\t*%s = append(*%s, %s)\n\t%s.Fix(%s, len(*%s)-1)\n}\n"+
		"\n// %s does what %s.Pop does, without an interface around the element.\n"+
		"func (%s *%s) %s() %s {\n\tlast := len(*%s) - 1\n\t%s.Swap(0, last)\n\t%s := (*%s)[last]\n"+
		"\tclear((*%s)[last:])\n\t*%s = (*%s)[:last]\n\tif last > 0 {\n\t\t%s.Fix(%s, 0)\n\t}\n\treturn %s\n}",
		push, name, value, recv, typeName, push, value, element, recv, recv, value, name, recv, recv,
		pop, name, recv, typeName, pop, element, recv, recv, value, recv, recv, recv, recv, name, recv, value)
	edits = append(append(append(edits, imports...), more...), edit(h.pop.End(), h.pop.End(), text))
	s.propose(h.pop, fmt.Sprintf("move each %s without the interface of %s.Push and %s.Pop", element, name, name),
		append(places, h.push.Pos(), h.push.Body.Pos()), edits...)
}

func withoutAddress(e ast.Expr) ast.Expr {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		return u.X
	}
	return e
}

// freeMethod returns a name that begins with the given one and that no method or field of a type has, on any platform.
func (s *search) freeMethod(t types.Type, name string) string {
	for {
		if object, _, _ := types.LookupFieldOrMethod(t, true, s.Pkg, name); object == nil && !s.excluded[name] {
			return name
		}
		name += "0"
	}
}
