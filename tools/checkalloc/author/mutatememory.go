package author

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// The constants that replace sizes: lengths in bytes, and numbers of larger elements. They are powers of 2 from 16 to 1
// MiB, since people choose such sizes.
var (
	bytesSizes   = []int{16, 256, 4096, 128 << 10, 1 << 20}
	elementSizes = []int{16, 256, 2048, 16 << 10}
)

// sizes are the constants for a slice or an array with elements of type elem, which may be nil.
func sizes(elem ast.Expr) []int {
	if id, ok := elem.(*ast.Ident); ok && (id.Name == "byte" || id.Name == "string") {
		return bytesSizes
	}
	return elementSizes
}

// size replaces the length or the capacity of a slice that e makes by constants.
func (m *maker) size(e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if !ok || called(call) != "make" || len(call.Args) < 2 {
		return
	}
	slice, ok := call.Args[0].(*ast.ArrayType)
	if !ok {
		return
	}
	last := call.Args[len(call.Args)-1]
	_, constant := last.(*ast.BasicLit)
	for _, k := range sizes(slice.Elt) {
		if len(call.Args) == 3 {
			m.add(sizeOperator, m.replace(last, strconv.Itoa(k)))
		} else if !constant {
			m.add(sizeOperator, m.replace(call, fmt.Sprintf("make(%s, %d)[:%s]", m.text(slice), k, m.text(last))))
			m.add(limitOperator, m.replace(last, fmt.Sprintf("min(%s, %d)", m.text(last), k)))
		}
	}
}

// array changes the length of an array.
func (m *maker) array(e ast.Expr) {
	a, ok := e.(*ast.ArrayType)
	if !ok || a.Len == nil {
		return
	}
	if _, dots := a.Len.(*ast.Ellipsis); dots {
		return
	}
	for _, k := range sizes(a.Elt) {
		m.add(sizeOperator, m.replace(a.Len, strconv.Itoa(k)))
	}
}

// limitArguments truncates slices and strings to constant lengths: arguments of exported functions.
func (m *maker) limitArguments(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	for _, f := range d.Type.Params.List {
		elem, ok := element(f.Type)
		if !ok {
			continue
		}
		for _, name := range f.Names {
			if name.Name == "_" {
				continue
			}
			for _, k := range sizes(elem) {
				m.add(limitOperator, m.insert(d.Body.Lbrace+1, fmt.Sprintf(" %[1]s = %[1]s[:min(len(%[1]s), %[2]d)]; ",
					name.Name, k)))
			}
		}
	}
}

// element returns the type of the elements of a slice or a string, and whether t is one.
func element(t ast.Expr) (ast.Expr, bool) {
	switch t := t.(type) {
	case *ast.ArrayType:
		return t.Elt, t.Len == nil
	case *ast.Ident:
		return t, t.Name == "string"
	}
	return nil, false
}

// limitGrowth truncates a slice that outlives the call once it has grown beyond a constant length.
func (m *maker) limitGrowth(s *ast.AssignStmt) {
	to, call := appended(s)
	if call == nil || !slices.ContainsFunc(call.Args[1:],
		func(e ast.Expr) bool { _, literal := e.(*ast.BasicLit); return !literal }) {
		return // appending a few constants makes no long slice
	}
	if _, local := to.(*ast.Ident); local {
		return
	}
	for _, k := range elementSizes {
		m.add(limitOperator, m.insert(s.End(), fmt.Sprintf("; %[1]s = (%[1]s)[:min(len(%[1]s), %[2]d)]", m.text(to), k)))
	}
}

// appended returns x and the call of append if s is x = append(x, …), and nil otherwise.
func appended(s *ast.AssignStmt) (ast.Expr, *ast.CallExpr) {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || s.Tok != token.ASSIGN {
		return nil, nil
	}
	call, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok || called(call) != "append" || len(call.Args) < 2 {
		return nil, nil
	}
	return s.Lhs[0], call
}

// called returns the name of the called function as written, "append" or "slices.Clone".
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if id, ok := f.X.(*ast.Ident); ok {
			return id.Name + "." + f.Sel.Name
		}
	}
	return ""
}

// leaveOutCopy leaves out a copy that e makes.
func (m *maker) leaveOutCopy(e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	switch first := m.text(call.Args[0]); called(call) {
	case "copy":
		if len(call.Args) == 2 {
			// A statement that copies is removed as a whole instead.
			m.add(copyOperator, m.replace(call, fmt.Sprintf("min(len(%s), len(%s))", first, m.text(call.Args[1]))))
		}
	case "slices.Clone", "bytes.Clone", "strings.Clone", "maps.Clone", "string":
		m.add(copyOperator, m.replace(call, first))
	}
}

// leaveOutReslice replaces x[:0] by x.
func (m *maker) leaveOutReslice(e ast.Expr) {
	if s, ok := e.(*ast.SliceExpr); ok && isEmptySlice(s) {
		m.add(resetOperator, m.replace(s, m.text(s.X)))
	}
}

func isEmptySlice(s *ast.SliceExpr) bool {
	high, ok := s.High.(*ast.BasicLit)
	return ok && high.Value == "0" && s.Max == nil
}
