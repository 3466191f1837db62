package fix

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// maxRoom bounds the arrays that arrayRoom declares, in bytes: each call clears the whole array.
const maxRoom = 512

// arrayRoom gives a slice whose size is known only at run time a place in an array, as long as it fits. The measurement
// says what fits. Length, capacity and content are the same as from make.
func arrayRoom(s *search) {
	each(s, func(c inspector.Cursor, assign *ast.AssignStmt) {
		v, value := s.defines(assign)
		call, ok := value.(*ast.CallExpr)
		if v == nil || !ok || s.builtin(call) != "make" || len(call.Args) < 2 || !isListed(c) {
			return
		}
		rest := strings.TrimSpace(s.between(assign.End(), s.lineEnd(assign.End())))
		if rest != "" && !strings.HasPrefix(rest, "//") ||
			strings.TrimSpace(s.between(s.lineStart(assign.Pos()), assign.Pos())) != "" {
			return // another statement is on the line
		}
		slice, ok := call.Args[0].(*ast.ArrayType)
		if !ok {
			return
		}
		size := call.Args[len(call.Args)-1]
		if s.TypesInfo.Types[size].Value != nil || !allOf(call.Args[1:], s.isInt) || !allOf(call.Args[1:], s.pure) {
			return
		}
		name := v.Name()
		at := s.Fset.PositionFor(assign.Pos(), false)
		element := s.TypesSizes.Sizeof(s.TypesInfo.TypeOf(slice).Underlying().(*types.Slice).Elem())
		bytes := int64(s.measured(at.Filename, at.Line))
		if bytes <= 0 || element <= 0 || bytes > maxRoom || bytes < element {
			return
		}
		elements := int64(1)
		for elements*element < bytes {
			elements *= 2
		}
		if elements*element > maxRoom {
			elements = bytes / element
		}
		room := s.free(name+"Room", s.file(assign))
		length, capacity := s.text(call.Args[1]), s.text(size)
		in := s.indent(assign.Pos())
		before := fmt.Sprintf("var %s [%d]%s // on the stack, for sizes that fit\n%s", room, elements,
			s.text(slice.Elt), in)
		after := fmt.Sprintf("%sif %s <= len(%s) {\n%s\t%s = %s[:%s:%s]\n%s} else {\n%s\t%s = %s\n%s}\n",
			in, capacity, room, in, name, room, length, capacity, in, in, name, s.text(call), in)
		end := s.lineEnd(assign.End())
		s.propose(assign, fmt.Sprintf("keep %s in an array of %d elements on the stack", name, elements), nil,
			edit(assign.Pos(), assign.Pos(), before), edit(call.Pos(), call.End(), room+"[:]"), edit(end, end, after))
	})
}

// isInt reports whether an expression is an int or a constant.
func (s *search) isInt(e ast.Expr) bool {
	tv := s.TypesInfo.Types[e]
	b, ok := tv.Type.(*types.Basic)
	return ok && (b.Kind() == types.Int || tv.Value != nil)
}
