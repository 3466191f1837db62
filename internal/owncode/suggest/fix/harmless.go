package fix

import (
	"go/ast"
	"go/types"
	"strings"
)

// harmless are packages whose functions change nothing that they are given, and call nothing that they are given.
var harmless = []string{"strings.", "strconv.", "unicode.", "unicode/utf8.", "math.", "math/bits.", "cmp."}

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

// callsHarmless reports whether a call is a conversion, a call of a function that changes no memory, or an append to a
// slice whose elements are not bytes.
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

// holdsNoBytes reports whether a value of a type has no byte as a part of itself, for the types that slices usually
// have.
func holdsNoBytes(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.Uint8 && t.Kind() != types.UnsafePointer
	case *types.Slice, *types.Map, *types.Pointer:
		return true
	}
	return false
}
