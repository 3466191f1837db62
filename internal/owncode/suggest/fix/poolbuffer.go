package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// maxKept bounds the buffers that poolBuffer keeps for later calls, in bytes.
const maxKept = 4096

// poolBuffer takes a []byte that a function fills and hands to the Write method of an interface from a sync.Pool, and
// puts it back after the call. The compiler must assume that Write keeps the slice; the contract of io.Writer forbids
// it. Nothing else in the function may keep it: the rule follows it through functions of the package.
func poolBuffer(s *search) {
	functions := map[types.Object]*ast.FuncDecl{}
	for c := range s.inspector.Root().Preorder((*ast.FuncDecl)(nil)) {
		decl := c.Node().(*ast.FuncDecl)
		functions[s.TypesInfo.Defs[decl.Name]] = decl
	}
	each(s, func(c inspector.Cursor, decl *ast.FuncDecl) {
		if decl.Body == nil || decl.Type.TypeParams != nil || hasDirective(decl) {
			return
		}
		for i, stmt := range decl.Body.List {
			v, value := s.defines(stmt)
			call, ok := value.(*ast.CallExpr)
			if v == nil || !ok || s.builtin(call) != "make" || s.text(call.Args[0]) != "[]byte" ||
				len(call.Args) < 2 || !allOf(call.Args[1:], s.isInt) || !allOf(call.Args[1:], s.pure) {
				continue
			}
			flow := flowSearch{search: s, functions: functions, visiting: map[*types.Var]bool{}}
			if write := flow.lastWrite(decl.Body, i, v); write != nil {
				s.poolBuffer(decl, stmt, call, write, v)
			}
		}
	})
}

func (s *search) poolBuffer(decl *ast.FuncDecl, made ast.Stmt, call *ast.CallExpr, write ast.Stmt, v *types.Var) {
	file := s.file(decl)
	syncName, edits := s.importing(file, "sync")
	slicesName, more := s.importing(file, "slices")
	if slicesName == "" {
		return
	}
	pool, pointer := s.free(decl.Name.Name+"Buffers", file), s.free(v.Name()+"Kept", file)
	if ast.IsExported(pool) {
		pool = s.free("buffersOf"+decl.Name.Name, file)
	}
	in := s.indent(made.Pos())
	get := fmt.Sprintf("%s := %s.Get().(*[]byte)\n%s", pointer, pool, in)
	value, clear := fmt.Sprintf("%s.Grow((*%s)[:0], %s)", slicesName, pointer, s.text(call.Args[len(call.Args)-1])), ""
	if tv := s.TypesInfo.Types[call.Args[1]]; tv.Value == nil || tv.Value.ExactString() != "0" {
		value, clear = value+"[:"+s.text(call.Args[1])+"]", fmt.Sprintf("%sclear(%s)\n", in, v.Name())
	}
	put := fmt.Sprintf("%sif cap(%s) <= %d {\n%s\t*%s = %s\n%s\t%s.Put(%s)\n%s}\n", in, v.Name(), maxKept, in, pointer,
		v.Name(), in, pool, pointer, in)
	at := decl.Pos()
	if decl.Doc != nil {
		at = decl.Doc.Pos()
	}
	end, after := s.lineEnd(made.End()), s.lineEnd(write.End())
	edits = append(append(edits, more...),
		edit(at, at, fmt.Sprintf("// %s keeps buffers from one call of %s for later ones.\n"+
			"var %s = %s.Pool{New: func() any { return new([]byte) }}\n\n", pool, decl.Name.Name, pool, syncName)),
		edit(made.Pos(), made.Pos(), get), edit(call.Pos(), call.End(), value), edit(end, end, clear),
		edit(after, after, put))
	s.propose(made, fmt.Sprintf("the Writer keeps nothing of %s: use it again in a later call", v.Name()),
		[]token.Pos{write.Pos()}, edits...)
}

// A flowSearch follows a slice to find out whether something other than a Writer might keep it.
type flowSearch struct {
	*search
	functions map[types.Object]*ast.FuncDecl
	visiting  map[*types.Var]bool
	writes    []*ast.CallExpr // to a Writer
}

// lastWrite returns the statement of a block that hands a slice, which the statement at an index makes, to a Writer. It
// is nil if something may keep the slice, or uses it after that statement.
func (flow *flowSearch) lastWrite(block *ast.BlockStmt, made int, v *types.Var) ast.Stmt {
	if !flow.keepsNothing(block, v, nil) || len(flow.writes) != 1 {
		return nil
	}
	write := flow.writes[0]
	for _, stmt := range block.List[made+1:] {
		if stmt.End() < write.End() {
			continue
		}
		assign, ok := stmt.(*ast.AssignStmt)
		if !ok || len(assign.Rhs) != 1 { // in a loop or a branch, it may be used again
			return nil
		}
		uses := flow.uses(block, v)
		if uses[len(uses)-1].Pos() > stmt.End() {
			return nil
		}
		return stmt
	}
	return nil
}

// isWrite reports whether a call is w.Write(v) of an interface.
func (flow *flowSearch) isWrite(call *ast.CallExpr, v *types.Var) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Write" || len(call.Args) != 1 || !flow.isPart(call.Args[0], v) {
		return false
	}
	selection := flow.TypesInfo.Selections[sel]
	return selection != nil && types.IsInterface(selection.Recv()) &&
		types.TypeString(selection.Obj().Type(), nil) == "func(p []byte) (n int, err error)"
}

// isPart reports whether an expression is the slice or a part of it.
func (flow *flowSearch) isPart(e ast.Expr, v *types.Var) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return flow.TypesInfo.ObjectOf(e) == v
	case *ast.SliceExpr:
		return flow.isPart(e.X, v)
	}
	return false
}

// fills are functions of the standard library that keep nothing of the first argument.
var fills = []string{
	"(encoding/binary.bigEndian).PutUint16", "(encoding/binary.bigEndian).PutUint32",
	"(encoding/binary.bigEndian).PutUint64", "(encoding/binary.littleEndian).PutUint16",
	"(encoding/binary.littleEndian).PutUint32", "(encoding/binary.littleEndian).PutUint64",
	"encoding/binary.PutUvarint", "encoding/binary.PutVarint", "encoding/hex.Encode", "unicode/utf8.EncodeRune",
	"hash/crc32.ChecksumIEEE", "hash/adler32.Checksum", "bytes.Equal", "bytes.IndexByte", "bytes.Index",
}

// appends are functions of the standard library that return their first argument, or a longer copy of it.
var appends = []string{
	"strconv.AppendInt", "strconv.AppendUint", "strconv.AppendFloat", "strconv.AppendBool", "strconv.AppendQuote",
	"fmt.Append", "fmt.Appendf", "fmt.Appendln", "(time.Time).AppendFormat", "unicode/utf8.AppendRune",
	"(encoding/binary.bigEndian).AppendUint16", "(encoding/binary.bigEndian).AppendUint32",
	"(encoding/binary.bigEndian).AppendUint64", "(encoding/binary.littleEndian).AppendUint16",
	"(encoding/binary.littleEndian).AppendUint32", "(encoding/binary.littleEndian).AppendUint64",
	"encoding/binary.AppendUvarint", "encoding/binary.AppendVarint", "encoding/hex.AppendEncode",
}

// keepsNothing reports whether body lets no alias of the slice v outlive the call. It may use the slice's bytes and its
// length, and assign to the variable. If returned is not nil, it may also return the slice, which sets *returned.
func (flow *flowSearch) keepsNothing(body ast.Node, v *types.Var, returned *bool) bool {
	if flow.visiting[v] {
		return false // a recursion
	}
	flow.visiting[v] = true
	defer delete(flow.visiting, v)
	fine := true
	ast.PreorderStack(body, nil, func(n ast.Node, stack []ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && flow.TypesInfo.Uses[name] == v {
			fine = fine && flow.isFine(name, stack, v, returned)
		}
		return fine
	})
	return fine
}

// isFine reports whether one use of the slice, in the given nodes, lets no alias outlive the call.
func (flow *flowSearch) isFine(use ast.Expr, stack []ast.Node, v *types.Var, returned *bool) bool {
	for _, outer := range stack {
		switch outer.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			return false
		}
	}
	parent := func() ast.Node { return stack[len(stack)-1] }
	for {
		if e, ok := parent().(ast.Expr); !ok || !flow.isPart(e, v) {
			break
		}
		use, stack = parent().(ast.Expr), stack[:len(stack)-1] // a part of the slice
	}
	switch p := parent().(type) {
	case *ast.IndexExpr:
		return !isAddress(stack[:len(stack)-1])
	case *ast.RangeStmt:
		return p.X == use
	case *ast.ReturnStmt:
		if returned != nil {
			*returned = true
		}
		return returned != nil
	case *ast.AssignStmt:
		if len(p.Lhs) != len(p.Rhs) {
			return false
		}
		at := slices.Index(append(slices.Clip(p.Lhs), p.Rhs...), use) % len(p.Lhs)
		return flow.isVariable(p.Lhs[at], v) && (flow.isPart(p.Rhs[at], v) || flow.extends(p.Rhs[at], v))
	case *ast.CallExpr:
		stack = stack[:len(stack)-1]
		switch assign := parent().(type) {
		case *ast.AssignStmt: // to the slice itself
			assigned := len(assign.Lhs) == 1 && assign.Tok == token.ASSIGN && flow.isVariable(assign.Lhs[0], v)
			return flow.isFineArgument(p, use, v, assigned)
		case *ast.ReturnStmt:
			if returned != nil && flow.extends(p, v) {
				*returned = true
				return flow.isFineArgument(p, use, v, true)
			}
		}
		return flow.isFineArgument(p, use, v, false)
	}
	return false
}

// extends reports whether an expression is a call that returns the slice, its first argument, or a longer copy of it.
func (flow *flowSearch) extends(e ast.Expr, v *types.Var) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	if flow.builtin(call) == "append" || flow.calls(call, appends...) {
		return flow.isPart(call.Args[0], v)
	}
	for _, arg := range call.Args {
		if returned := false; flow.isPart(arg, v) && flow.parameter(call, arg, &returned) && returned {
			return true
		}
	}
	return false
}

// isFineArgument reports whether a call keeps nothing of the slice, its argument. What it returns of the slice has to
// be assigned to the slice, or returned.
func (flow *flowSearch) isFineArgument(call *ast.CallExpr, arg ast.Expr, v *types.Var, assigned bool) bool {
	name := flow.builtin(call)
	switch isFirst := call.Args[0] == arg; {
	case name == "append" && !isFirst:
		return call.Ellipsis.IsValid() // its bytes are copied
	case name == "append", flow.calls(call, appends...):
		return isFirst && assigned
	case name != "":
		return slices.Contains([]string{"len", "cap", "copy", "clear"}, name)
	case flow.TypesInfo.Types[call.Fun].IsType():
		return isString(flow.TypesInfo.TypeOf(call)) // a copy
	case flow.isWrite(call, v):
		flow.writes = append(flow.writes, call)
		return true
	case flow.calls(call, fills...):
		return true
	}
	returned := false
	return flow.parameter(call, arg, &returned) && (assigned || !returned)
}

// parameter reports whether the called function is of the package and keeps nothing of an argument, and sets whether it
// returns it.
func (flow *flowSearch) parameter(call *ast.CallExpr, arg ast.Expr, returned *bool) bool {
	f := flow.callee(call)
	decl := flow.functions[f]
	at := slices.Index(call.Args, arg)
	if f == nil || decl == nil || decl.Body == nil || f.Signature().Variadic() || at >= f.Signature().Params().Len() {
		return false
	}
	for r := range f.Signature().Results().Variables() {
		if _, ok := r.Type().Underlying().(*types.Basic); r.Name() != "" && !ok {
			return false // a result that a bare return gives
		}
	}
	before := flow.writes
	defer func() { flow.writes = before }()
	return flow.keepsNothing(decl.Body, f.Signature().Params().At(at), returned) && len(flow.writes) == len(before)
}
