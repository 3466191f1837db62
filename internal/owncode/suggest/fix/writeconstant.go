package fix

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ast/inspector"
)

// writeConstant writes a constant text, which is converted to a []byte for each Write, from a []byte of the package,
// which is made once.
func writeConstant(s *search) {
	made := 0
	each(s, func(c inspector.Cursor, call *ast.CallExpr) {
		if !s.isWrite(call) || len(call.Args) != 1 {
			return
		}
		conversion, isCall := ast.Unparen(call.Args[0]).(*ast.CallExpr)
		if !isCall || !s.converts(conversion, isBytes, isString) || s.hasComment(call) {
			return
		}
		text := conversion.Args[0]
		if _, isLiteral := ast.Unparen(text).(*ast.BasicLit); !isLiteral || s.text(text) == `""` {
			return
		}
		decl := function(c)
		if decl == nil {
			return
		}
		name := "writtenText"
		if made++; made > 1 { // each variable may be declared together with the others
			name += strconv.Itoa(made)
		}
		global := s.free(name, s.file(call))
		at := decl.Pos()
		if decl.Doc != nil {
			at = decl.Doc.Pos()
		}
		s.propose(call, "the text is constant: make its bytes once, when the program starts", nil,
			edit(at, at, fmt.Sprintf("var %s = %s\n\n", global, s.text(conversion))),
			edit(conversion.Pos(), conversion.End(), global))
	})
}

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

// isWrite reports whether a call calls a method Write(p []byte) (n int, err error).
func (s *search) isWrite(call *ast.CallExpr) bool {
	f := s.callee(call)
	if f == nil || f.Name() != "Write" || f.Signature().Recv() == nil {
		return false
	}
	params, results := f.Signature().Params(), f.Signature().Results()
	return params.Len() == 1 && results.Len() == 2 && isBytes(params.At(0).Type())
}
