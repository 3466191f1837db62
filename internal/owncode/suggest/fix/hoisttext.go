package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// hoistText converts a []byte to a string once before a loop that cannot change the bytes. Nothing else may run during
// the loop that could change them through another slice, so that the loop may call only functions that are known to
// change nothing, and may store nothing in memory where bytes could be.
var hoistText = newAnalyzer("hoisttext", "convert bytes to a string once, before a loop", func(s *search) {
	s.each((*ast.CallExpr)(nil), func(c inspector.Cursor) {
		call := c.Node().(*ast.CallExpr)
		if !s.converts(call, isString, isBytes) {
			return
		}
		v := s.variable(call.Args[0])
		if v == nil || !s.steady(c, v) {
			return
		}
		if index, ok := c.Parent().Node().(*ast.IndexExpr); ok && index.Index == call {
			return // a lookup in a map needs no string
		}
		loop := s.outermost(c, call)
		if loop == nil || !s.changesNoBytes(loop) {
			return
		}
		s.hoist(c, v.Name()+"Text", v.Name()+" does not change during the loop: convert it once, before the loop")
	})
})

// hoistBytes converts a string to the []byte for a Write once, before a loop.
var hoistBytes = newAnalyzer("hoistbytes", "convert a string to bytes once, before a loop", func(s *search) {
	s.each((*ast.CallExpr)(nil), func(c inspector.Cursor) {
		call := c.Node().(*ast.CallExpr)
		if !s.converts(call, isBytes, isString) {
			return
		}
		write, ok := c.Parent().Node().(*ast.CallExpr)
		if !ok || len(write.Args) != 1 || write.Args[0] != call || !s.isWrite(write) {
			return
		}
		if s.TypesInfo.Types[call.Args[0]].Value == nil {
			if v := s.variable(call.Args[0]); v == nil || !s.steady(c, v) {
				return
			}
		}
		s.hoist(c, "text", "the text is the same each time around: convert it once, before the loop")
	})
})

// converts reports whether a call is a conversion from one of two types to the other.
func (s *search) converts(call *ast.CallExpr, to, from func(types.Type) bool) bool {
	return len(call.Args) == 1 && s.TypesInfo.Types[call.Fun].IsType() && to(s.TypesInfo.TypeOf(call.Fun)) &&
		from(s.TypesInfo.TypeOf(call.Args[0]))
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isBytes(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(slice.Elem(), types.Typ[types.Byte])
}

// isWrite reports whether a call is of a method Write(p []byte) (n int, err error).
func (s *search) isWrite(call *ast.CallExpr) bool {
	f := s.callee(call)
	if f == nil || f.Name() != "Write" || f.Signature().Recv() == nil {
		return false
	}
	params, results := f.Signature().Params(), f.Signature().Results()
	return params.Len() == 1 && results.Len() == 2 && isBytes(params.At(0).Type())
}

// harmless are packages whose functions change nothing that they are given, and call nothing that they are given.
var harmless = []string{"strings.", "strconv.", "unicode.", "unicode/utf8.", "math.", "math/bits.", "cmp."}

// changesNoBytes reports whether nothing in a loop can change the elements of any []byte.
func (s *search) changesNoBytes(loop ast.Stmt) bool {
	fine := true
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fine = fine && s.callsHarmless(n)
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				fine = fine && s.storesNoBytes(l)
			}
		case *ast.IncDecStmt:
			fine = fine && s.storesNoBytes(n.X)
		case *ast.RangeStmt:
			switch s.TypesInfo.TypeOf(n.X).Underlying().(type) {
			case *types.Slice, *types.Map, *types.Basic:
			default:
				fine = false // a channel or a function lets others run
			}
			for _, l := range []ast.Expr{n.Key, n.Value} {
				fine = fine && (l == nil || s.storesNoBytes(l))
			}
		case *ast.UnaryExpr:
			fine = fine && n.Op != token.ARROW
		case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.FuncLit:
			fine = false
		}
		return fine
	})
	return fine
}

// callsOnlyHarmless reports whether all calls in an expression are harmless.
func (s *search) callsOnlyHarmless(e ast.Expr) bool {
	fine := true
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			fine = fine && s.callsHarmless(call)
		}
		return fine
	})
	return fine
}

// callsHarmless reports whether a call is a conversion, of a function that changes no memory, or of append on a slice
// of something else than bytes.
func (s *search) callsHarmless(call *ast.CallExpr) bool {
	if s.TypesInfo.Types[call.Fun].IsType() {
		return true
	}
	switch s.builtin(call) {
	case "len", "cap", "min", "max", "delete":
		return true
	case "append":
		slice, ok := s.TypesInfo.TypeOf(call.Args[0]).Underlying().(*types.Slice)
		return ok && holdsNoBytes(slice.Elem())
	}
	f := s.callee(call)
	if f == nil || f.Signature().Recv() != nil {
		return false
	}
	for i := range f.Signature().Params().Len() {
		if _, ok := f.Signature().Params().At(i).Type().Underlying().(*types.Signature); ok {
			return false
		}
	}
	for _, p := range harmless {
		name, ok := strings.CutPrefix(f.FullName(), p)
		if ok && !strings.HasPrefix(name, "Append") && !strings.HasPrefix(name, "Encode") {
			return true
		}
	}
	return false
}

// storesNoBytes reports whether an assignment to an expression stores something in which no bytes are.
func (s *search) storesNoBytes(target ast.Expr) bool {
	if name, ok := target.(*ast.Ident); ok && name.Name == "_" {
		return true
	}
	t := s.TypesInfo.TypeOf(target)
	if _, isParam := t.(*types.TypeParam); isParam {
		return false // it may be an array
	}
	if _, isName := ast.Unparen(target).(*ast.Ident); isName && t != nil {
		switch t.Underlying().(type) {
		case *types.Array, *types.Struct:
		default:
			return true // a variable of its own, of which no slice is made
		}
	}
	return t != nil && holdsNoBytes(t)
}

// holdsNoBytes reports whether a value of a type has no byte as a part of itself, for the types that loops usually
// store.
func holdsNoBytes(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.Uint8 && t.Kind() != types.UnsafePointer
	case *types.Slice, *types.Map, *types.Pointer:
		return true
	}
	return false
}
