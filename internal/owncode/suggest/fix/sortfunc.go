package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// sortFunc sorts a slice by slices.SortFunc or SortStableFunc in place of package sort, which takes an interface or
// makes a function to swap. Both packages have the same algorithm and ask the same questions in the same order, so that
// even elements that are equal end in the same order.
var sortFunc = newAnalyzer("sortfunc", "sort without an interface", func(s *search) {
	orders := s.sortTypes()
	s.each((*ast.CallExpr)(nil), func(c inspector.Cursor) {
		call := c.Node().(*ast.CallExpr)
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
})

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
	for c := range s.inspector.Root().Preorder((*ast.FuncDecl)(nil)) {
		decl := c.Node().(*ast.FuncDecl)
		if decl.Recv == nil || decl.Body == nil || len(decl.Body.List) != 1 || len(decl.Recv.List[0].Names) != 1 {
			continue
		}
		named, ok := s.TypesInfo.TypeOf(decl.Recv.List[0].Type).(*types.Named)
		if !ok || named.TypeArgs().Len() > 0 {
			continue
		}
		if _, ok := named.Underlying().(*types.Slice); !ok {
			continue
		}
		recv := decl.Recv.List[0].Names[0].Name
		var params []string
		for _, f := range decl.Type.Params.List {
			for _, n := range f.Names {
				params = append(params, n.Name)
			}
		}
		text := strings.Join(strings.Fields(s.text(decl.Body.List[0])), " ")
		switch {
		case decl.Name.Name == "Len" && text == "return len("+recv+")":
			canonical[named.Obj()]++
		case decl.Name.Name == "Swap" && len(params) == 2 && text == fmt.Sprintf("%s[%s], %s[%s] = %s[%s], %s[%s]",
			recv, params[0], recv, params[1], recv, params[1], recv, params[0]):
			canonical[named.Obj()]++
		case decl.Name.Name == "Less" && len(params) == 2:
			if r, ok := decl.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
				canonical[named.Obj()]++
				orders[named.Obj()] = sortOrder{recv, params[0], params[1], r.Results[0]}
			}
		}
	}
	for t := range orders {
		if canonical[t] != 3 {
			delete(orders, t)
		}
	}
	return orders
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
	if _, ok := s.TypesInfo.TypeOf(arg).Underlying().(*types.Slice); !ok {
		return
	}
	s.sortBy(call, arg, order, reversed)
}

// sortSlice proposes an edit for sort.Slice(x, func(i, j int) bool { return … }).
func (s *search) sortSlice(call *ast.CallExpr) {
	less, ok := ast.Unparen(call.Args[1]).(*ast.FuncLit)
	if !ok || len(less.Body.List) != 1 || s.variable(call.Args[0]) == nil {
		return
	}
	var params []string
	for _, f := range less.Type.Params.List {
		for _, n := range f.Names {
			params = append(params, n.Name)
		}
	}
	r, ok := less.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 || len(params) != 2 {
		return
	}
	if _, ok := s.TypesInfo.TypeOf(call.Args[0]).Underlying().(*types.Slice); !ok {
		return
	}
	s.sortBy(call, call.Args[0], sortOrder{s.text(call.Args[0]), params[0], params[1], r.Results[0]}, false)
}

// sortBy proposes to sort a slice by a function that compares two elements.
func (s *search) sortBy(call *ast.CallExpr, slice ast.Expr, order sortOrder, reversed bool) {
	file := s.file(call)
	element, imports, ok := s.typeName(file, s.TypesInfo.TypeOf(slice).Underlying().(*types.Slice).Elem())
	name, more := s.importing(file, "slices")
	if !ok || name == "" {
		return
	}
	imports = append(imports, more...)
	function := "SortFunc"
	if s.calls(call, "sort.Stable", "sort.SliceStable") {
		function = "SortStableFunc"
	}
	x, y := s.free("x", order.less), "y"
	if y = s.free("y", order.less); x == y {
		return
	}
	if reversed {
		x, y = y, x
	}
	body, more, ok := s.comparison(file, order, x, y, s.indent(call.Pos())+"\t")
	if !ok {
		return
	}
	if reversed {
		x, y = y, x
	}
	text := fmt.Sprintf("%s.%s(%s, func(%s, %s %s) int {\n%s\n%s})", name, function, s.text(slice), x, y, element, body,
		s.indent(call.Pos()))
	s.propose(call, "compare two elements by a function: then no interface needs a copy of the slice", nil,
		append(append(imports, more...), edit(call.Pos(), call.End(), text))...)
}

// comparison writes the body of a function that compares two elements, negative if the one named x comes first. For
// whole numbers and strings it is cmp.Compare, otherwise the Less of both orders.
func (s *search) comparison(file *ast.File, order sortOrder, x, y, in string) (
	body string, imports []analysis.TextEdit, ok bool) {
	less, ok := s.elements(order, x, y)
	if !ok {
		return "", nil, false
	}
	greater, _ := s.elements(order, y, x)
	if b, isComparison := order.less.(*ast.BinaryExpr); isComparison && (b.Op == token.LSS || b.Op == token.GTR) {
		t, isBasic := s.TypesInfo.TypeOf(b.X).Underlying().(*types.Basic)
		left, right := order, order
		left.less, right.less = b.X, b.Y
		l, _ := s.elements(left, x, y)
		mirrored, _ := s.elements(right, y, x)
		r, _ := s.elements(right, x, y)
		if name, more := s.importing(file, "cmp"); name != "" && isBasic && l == mirrored &&
			t.Info()&(types.IsInteger|types.IsString) != 0 {
			if b.Op == token.GTR {
				l, r = r, l
			}
			return fmt.Sprintf("%sreturn %s.Compare(%s, %s)", in, name, l, r), more, true
		}
	}
	return fmt.Sprintf("%sswitch {\n%scase %s:\n%s\treturn -1\n%scase %s:\n%s\treturn 1\n%s}\n%sreturn 0",
		in, in, less, in, in, greater, in, in, in), nil, true
}

// elements writes the expression of an order with x and y for the elements. It is not ok if the expression calls a
// function, which might do more than compare, or uses the slice or the indexes for anything else.
func (s *search) elements(order sortOrder, x, y string) (text string, ok bool) {
	ok = true
	type part struct {
		from, to token.Pos
		text     string
	}
	var parts []part
	shorted, mayPanic := false, false // an operand that is not always evaluated, and one that may panic
	ast.Inspect(order.less, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if !s.TypesInfo.Types[n.Fun].IsType() && s.builtin(n) != "len" {
				ok = false
			}
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.AND && n.Op != token.ARROW
		case *ast.FuncLit:
			ok = false
		case *ast.BinaryExpr:
			shorted = shorted || n.Op == token.LAND || n.Op == token.LOR
			mayPanic = mayPanic || n.Op == token.QUO || n.Op == token.REM || n.Op == token.SHL || n.Op == token.SHR
		case *ast.StarExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
			mayPanic = true
		case *ast.SelectorExpr:
			selection := s.TypesInfo.Selections[n]
			mayPanic = mayPanic || selection != nil && selection.Indirect()
		case *ast.IndexExpr:
			base, isName := n.X.(*ast.Ident)
			index, isIndex := n.Index.(*ast.Ident)
			if isName && isIndex && base.Name == order.slice && (index.Name == order.i || index.Name == order.j) {
				element := x
				if index.Name == order.j {
					element = y
				}
				parts = append(parts, part{n.Pos(), n.End(), element})
				return false
			}
			mayPanic = true
		case *ast.Ident:
			if v, isVar := s.TypesInfo.Uses[n].(*types.Var); isVar && !v.IsField() {
				ok = false // an index alone, or another variable, whose value may be found by the index
			}
		}
		return true
	})
	var b strings.Builder
	at := order.less.Pos()
	for _, p := range parts {
		b.WriteString(s.between(at, p.from) + p.text)
		at = p.to
	}
	b.WriteString(s.between(at, order.less.End()))
	return b.String(), ok && len(parts) > 0 && !(shorted && mayPanic)
}
