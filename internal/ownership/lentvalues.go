package ownership

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file computes the loans of values.

// value returns the loan of an expression's value.
func (l *loans) value(e ast.Expr) loan {
	if l.steps++; l.steps >= maxSteps {
		return 0
	}
	if t := l.typeOf(e); t != nil && !carries(t) {
		return 0
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := l.info.ObjectOf(e).(*types.Var); ok {
			return l.vars[v.Origin()]
		}
	case *ast.SelectorExpr:
		s := l.info.Selections[e]
		if s == nil {
			return 0
		}
		mask := l.value(e.X)
		if v, ok := s.Obj().(*types.Var); ok && !l.isExternal(v) && mask != 0 {
			return l.vars[v.Origin()]
		}
		return mask
	case *ast.IndexExpr:
		return l.value(e.X)
	case *ast.IndexListExpr:
		return l.value(e.X)
	case *ast.SliceExpr:
		return l.value(e.X)
	case *ast.StarExpr:
		return l.value(e.X)
	case *ast.TypeAssertExpr:
		return l.value(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return l.address(e.X)
		}
		return l.value(e.X)
	case *ast.CompositeLit:
		return l.literal(e)
	case *ast.FuncLit:
		var mask loan
		for _, o := range l.captured[e] {
			if v, ok := o.(*types.Var); ok {
				mask |= l.vars[v.Origin()]
			}
		}
		return mask
	case *ast.CallExpr:
		return l.part(e, 0)
	}
	return 0
}

// address returns the loan of &e.
func (l *loans) address(e ast.Expr) loan {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		if _, array := core(l.typeOf(e.X)).(*types.Array); array {
			return l.address(e.X)
		}
		return l.value(e.X)
	case *ast.SelectorExpr:
		return l.value(e) | l.value(e.X)
	case *ast.StarExpr:
		return l.value(e.X)
	}
	return l.value(e)
}

func (l *loans) literal(e *ast.CompositeLit) loan {
	var all loan
	st, _ := core(l.typeOf(e)).(*types.Struct)
	if st == nil {
		st, _ = core(pointee(l.typeOf(e))).(*types.Struct)
	}
	for i, element := range e.Elts {
		var field types.Object
		if st != nil && i < st.NumFields() {
			field = st.Field(i)
		}
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if id, ok := pair.Key.(*ast.Ident); ok && st != nil {
				field = l.info.ObjectOf(id)
			}
			if st == nil {
				all |= l.value(pair.Key)
			}
			element = pair.Value
		}
		mask := l.value(element)
		all |= mask
		if st != nil && field != nil {
			l.mark(field, mask)
		}
	}
	return all
}

// part returns the loan of result i of a call, or of value i of a comma-ok expression.
func (l *loans) part(e ast.Expr, i int) loan {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		if i > 0 {
			return 0
		}
		return l.value(e)
	}
	if l.isConversion(call) {
		mask := l.value(call.Args[0])
		if st, ok := core(pointee(l.typeOf(call))).(*types.Struct); ok && mask != 0 {
			for f := range st.Fields() {
				l.mark(f, mask)
			}
		}
		return mask
	}
	switch l.builtin(call) {
	case "":
	case "append":
		mask := l.value(call.Args[0])
		if s, ok := ast.Unparen(call.Args[0]).(*ast.SliceExpr); ok && s.Slice3 {
			if max := l.info.Types[s.Max].Value; max != nil && max.ExactString() == "0" {
				mask = 0 // append(p[:0:0], p...) copies
			}
		}
		for _, a := range call.Args[1:] {
			if s, ok := core(l.typeOf(a)).(*types.Slice); !call.Ellipsis.IsValid() || ok && carries(s.Elem()) {
				mask |= l.value(a)
			}
		}
		return mask
	case "new":
		return l.value(call.Args[0])
	default:
		return 0
	}
	f := l.callee(call)
	if l.isExternal(f) && !l.dynamic(f) {
		return l.externalResult(call, f, i)
	}
	var mask loan
	if l.isExternal(f) {
		mask = l.externalResult(call, f, i)
	}
	for _, own := range l.targets(call, f) {
		if r := l.results[own.node]; i < len(r) {
			mask |= r[i]
		}
	}
	return mask
}

// copyingFuncs are functions of other packages whose results do not refer to the memory of their arguments, unless
// elements do.
var copyingFuncs = []string{
	"bytes.Clone", "bytes.Join", "bytes.Map", "bytes.Repeat", "bytes.Replace", "bytes.ReplaceAll", "bytes.Title",
	"bytes.ToLower", "bytes.ToTitle",
	"bytes.ToUpper", "bytes.ToValidUTF8", "slices.Clone", "slices.Concat", "slices.Repeat",
	"slices.Sorted", "slices.Collect",
}

// externalResult is part for a call of another package's function, whose result may refer to the memory of every
// argument.
func (l *loans) externalResult(call *ast.CallExpr, f *types.Func, i int) loan {
	results := f.Signature().Results()
	if i >= results.Len() {
		return 0
	}
	args := call.Args
	if t := results.At(i).Type(); types.TypeString(t, nil) == "error" {
		// Errors do not refer to the bytes that a function reads or writes. But errors that fmt.Errorf and errors.Join
		// return refer to errors among the arguments.
		var mask loan
		for _, a := range args {
			if u := l.typeOf(a); u != nil && types.Implements(u, t.Underlying().(*types.Interface)) {
				mask |= l.value(a)
			}
		}
		return mask
	}
	name := f.Pkg().Path() + "." + f.Name()
	switch {
	case slices.Contains(copyingFuncs, name):
		if s, ok := core(l.typeOf(call)).(*types.Slice); ok && !carries(s.Elem()) {
			return 0
		}
	case strings.HasPrefix(f.Name(), "Append") || f.Name() == "Sum" || f.Pkg().Path() == "slices" &&
		(f.Name() == "Insert" || f.Name() == "Replace"):
		if s, ok := core(l.typeOf(call)).(*types.Slice); ok && !carries(s.Elem()) {
			args = args[:min(1, len(args))]
		}
	}
	mask := l.receiver(call)
	for _, a := range args {
		mask |= l.value(a)
	}
	return mask
}

// receiver returns the loan of the value whose method is called.
func (l *loans) receiver(call *ast.CallExpr) loan {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if s := l.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			return l.value(sel.X)
		}
	}
	return 0
}
