package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// sortFunc sorts a slice by slices.SortFunc or SortStableFunc in place of package sort, which takes an interface or
// makes a function to swap, if whole numbers or strings are compared. Both packages have the same algorithm and ask the
// same questions in the same order, so that even elements that are equal end in the same order.
func sortFunc(s *search) {
	orders := s.sortTypes()
	each(s, func(c inspector.Cursor, call *ast.CallExpr) {
		if _, alone := c.Parent().Node().(*ast.ExprStmt); !alone {
			return
		}
		switch {
		case s.calls(call, "sort.Slice", "sort.SliceStable"):
			s.sortSlice(call)
		case s.calls(call, "sort.Sort", "sort.Stable"):
			s.sortInterface(call, orders)
		}
	})
}

// A sortOrder is a Less method whose comparison of two elements is one expression.
type sortOrder struct {
	slice string // the receiver's name
	i, j  string // the parameters
	less  ast.Expr
}

// sortTypes returns the order of each slice type whose Len, Less and Swap do what they do for a slice.
func (s *search) sortTypes() map[*types.TypeName]sortOrder {
	orders := map[*types.TypeName]sortOrder{}
	canonical := map[*types.TypeName]int{}
	each(s, func(_ inspector.Cursor, decl *ast.FuncDecl) {
		named, isPointer := s.sliceType(decl)
		if named == nil || isPointer {
			return
		}
		order, isOrder := orderOf(decl.Recv.List[0].Names[0].Name, decl.Type, decl.Body)
		text := s.normal(decl)
		switch {
		case decl.Name.Name == "Less" && isOrder:
			orders[named.Obj()] = order
		case decl.Name.Name == "Len" && text == "returnlen(H);",
			decl.Name.Name == "Swap" && text == "H[A],H[B]=H[B],H[A];":
			canonical[named.Obj()]++
		}
	})
	for t := range orders {
		if canonical[t] != 2 {
			delete(orders, t)
		}
	}
	return orders
}

// orderOf returns the order of a function that compares two elements of a slice by one expression.
func orderOf(slice string, less *ast.FuncType, body *ast.BlockStmt) (order sortOrder, ok bool) {
	var params []string
	for _, field := range less.Params.List {
		for _, n := range field.Names {
			params = append(params, n.Name)
		}
	}
	if len(body.List) != 1 || len(params) != 2 {
		return order, false
	}
	r, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return order, false
	}
	return sortOrder{slice, params[0], params[1], r.Results[0]}, true
}

// sortInterface proposes an edit for sort.Sort(T(x)), sort.Stable(T(x)) and the same with sort.Reverse.
func (s *search) sortInterface(call *ast.CallExpr, orders map[*types.TypeName]sortOrder) {
	arg, reversed := ast.Unparen(call.Args[0]), false
	if inner, ok := arg.(*ast.CallExpr); ok && s.calls(inner, "sort.Reverse") {
		arg, reversed = ast.Unparen(inner.Args[0]), true
	}
	named, ok := s.TypesInfo.TypeOf(arg).(*types.Named)
	if !ok {
		return
	}
	order, ok := orders[named.Obj()]
	if !ok {
		return
	}
	if conversion, ok := arg.(*ast.CallExpr); ok && s.TypesInfo.Types[conversion.Fun].IsType() {
		arg = ast.Unparen(conversion.Args[0])
	}
	s.sortBy(call, arg, order, reversed)
}

// sortSlice proposes an edit for sort.Slice(x, func(i, j int) bool { return … }).
func (s *search) sortSlice(call *ast.CallExpr) {
	less, ok := ast.Unparen(call.Args[1]).(*ast.FuncLit)
	if !ok || s.variable(call.Args[0]) == nil {
		return
	}
	if order, ok := orderOf(s.text(call.Args[0]), less.Type, less.Body); ok {
		s.sortBy(call, call.Args[0], order, false)
	}
}

// sortBy proposes to sort a slice by a function that compares two elements. The order has to be a comparison of one
// part of both, of whole numbers or strings.
func (s *search) sortBy(call *ast.CallExpr, slice ast.Expr, order sortOrder, reversed bool) {
	t, isSlice := s.TypesInfo.TypeOf(slice).Underlying().(*types.Slice)
	less, ok := order.less.(*ast.BinaryExpr)
	if !isSlice || !ok || less.Op != token.LSS && less.Op != token.GTR {
		return
	}
	if t, ok := s.TypesInfo.TypeOf(less.X).Underlying().(*types.Basic); !ok ||
		t.Info()&(types.IsInteger|types.IsString) == 0 {
		return
	}
	file := s.file(call)
	element, imports := s.typeName(file, t.Elem())
	pkg, more := s.importing(file, "slices")
	compare, others := s.importing(file, "cmp")
	x, y := s.free("x", less), s.free("y", less)
	left, isPart := s.element(order, less.X, x, y)
	right, isOther := s.element(order, less.Y, x, y)
	if mirrored, _ := s.element(order, less.Y, y, x); pkg == "" || !isPart || !isOther || left != mirrored {
		return
	}
	if reversed != (less.Op == token.GTR) {
		left, right = right, left
	}
	function := "SortFunc"
	if s.calls(call, "sort.Stable", "sort.SliceStable") {
		function = "SortStableFunc"
	}
	in := s.indent(call.Pos())
	text := fmt.Sprintf("%s.%s(%s, func(%s, %s %s) int {\n%s\treturn %s.Compare(%s, %s)\n%s})", pkg, function,
		s.text(slice), x, y, element, in, compare, left, right, in)
	s.propose(call, "compare elements with a function, so that no interface needs a copy of the slice", nil,
		append(slices.Concat(imports, more, others), edit(call.Pos(), call.End(), text))...)
}

// element writes one side of a comparison with x and y for the elements. It is not ok if the side calls a function,
// which might do more than compare, or uses the slice or the indexes for anything else.
func (s *search) element(order sortOrder, side ast.Expr, x, y string) (text string, ok bool) {
	ok = true
	at := side.Pos()
	ast.Inspect(side, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = ok && (s.TypesInfo.Types[n.Fun].IsType() || s.builtin(n) == "len")
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.AND && n.Op != token.ARROW
		case *ast.FuncLit:
			ok = false
		case *ast.IndexExpr:
			base, isName := n.X.(*ast.Ident)
			index, isIndex := n.Index.(*ast.Ident)
			if isName && isIndex && base.Name == order.slice && (index.Name == order.i || index.Name == order.j) {
				text += s.between(at, n.Pos()) + map[string]string{order.i: x, order.j: y}[index.Name]
				at = n.End()
				return false
			}
		case *ast.Ident:
			if v, isVar := s.TypesInfo.Uses[n].(*types.Var); isVar && !v.IsField() {
				ok = false // an index alone, or another variable, whose value may be found by the index
			}
		}
		return true
	})
	return text + s.between(at, side.End()), ok && at != side.Pos()
}
