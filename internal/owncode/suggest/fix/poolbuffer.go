package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// mostKept bounds the buffers that poolBuffer keeps for later calls, in bytes.
const mostKept = 4096

// poolBuffer takes a []byte that a function fills and hands to the Write method of an interface from a sync.Pool, and
// puts it back after the call. The compiler must assume that Write keeps the slice; the contract of io.Writer forbids
// it. Nothing else in the function may keep it: the rule follows it through functions of the package.
var poolBuffer = newAnalyzer("poolbuffer", "use the buffer of an earlier Write again", func(s *search) {
	functions := map[types.Object]*ast.FuncDecl{}
	for c := range s.inspector.Root().Preorder((*ast.FuncDecl)(nil)) {
		decl := c.Node().(*ast.FuncDecl)
		functions[s.TypesInfo.Defs[decl.Name]] = decl
	}
	s.each((*ast.FuncDecl)(nil), func(c inspector.Cursor) {
		decl := c.Node().(*ast.FuncDecl)
		if decl.Body == nil || decl.Type.TypeParams != nil || hasDirective(decl) {
			return
		}
		for i, stmt := range decl.Body.List {
			assign, ok := stmt.(*ast.AssignStmt)
			if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
				continue
			}
			call, ok := assign.Rhs[0].(*ast.CallExpr)
			if !ok || s.builtin(call) != "make" || s.text(call.Args[0]) != "[]byte" || len(call.Args) < 2 ||
				!allOf(call.Args[1:], s.isInt) || !allOf(call.Args[1:], s.pure) {
				continue
			}
			v, ok := s.TypesInfo.Defs[assign.Lhs[0].(*ast.Ident)].(*types.Var)
			if !ok {
				continue
			}
			flow := flowSearch{search: s, functions: functions, visiting: map[*types.Var]bool{}}
			if write := flow.lastWrite(decl.Body, i, v); write != nil {
				s.poolBuffer(decl, assign, call, write, v)
			}
		}
	})
})

func (s *search) poolBuffer(
	decl *ast.FuncDecl,
	made *ast.AssignStmt,
	call *ast.CallExpr,
	write ast.Stmt,
	v *types.Var,
) {
	file := s.file(decl)
	var imports []analysis.TextEdit
	var names [2]string
	for i, path := range []string{"sync", "slices"} {
		name, more := s.importing(file, path)
		if name == "" {
			return
		}
		names[i], imports = name, append(imports, more...)
	}
	pool, pointer := s.free(decl.Name.Name+"Buffers", file), s.free(v.Name()+"Kept", file)
	if ast.IsExported(pool) {
		pool = s.free("buffersOf"+decl.Name.Name, file)
	}
	in := s.indent(made.Pos())
	length := s.text(call.Args[1])
	get := fmt.Sprintf("%s := %s.Get().(*[]byte)\n%s", pointer, pool, in)
	value := fmt.Sprintf("%s.Grow((*%s)[:0], %s)[:%s]", names[1], pointer, s.text(call.Args[len(call.Args)-1]), length)
	clear := fmt.Sprintf("%sclear(%s)\n", in, v.Name())
	if tv := s.TypesInfo.Types[call.Args[1]]; tv.Value != nil && tv.Value.ExactString() == "0" {
		value, clear = fmt.Sprintf("%s.Grow((*%s)[:0], %s)", names[1], pointer, s.text(call.Args[len(call.Args)-1])), ""
	}
	put := fmt.Sprintf("%sif cap(%s) <= %d {\n%s\t*%s = %s\n%s\t%s.Put(%s)\n%s}\n", in, v.Name(), mostKept, in, pointer,
		v.Name(), in, pool, pointer, in)
	at := decl.Pos()
	if decl.Doc != nil {
		at = decl.Doc.Pos()
	}
	end, after := s.lineEnd(made.End()), s.lineEnd(write.End())
	edits := append(imports,
		edit(at, at, fmt.Sprintf("// %s keeps buffers from one call of %s for later ones.\n"+
			"var %s = %s.Pool{New: func() any { return new([]byte) }}\n\n", pool, decl.Name.Name, pool, names[0])),
		edit(made.Pos(), made.Pos(), get), edit(call.Pos(), call.End(), value), edit(after, after, put))
	if clear != "" {
		edits = append(edits, edit(end, end, clear))
	}
	s.propose(made, fmt.Sprintf("the Writer keeps nothing of %s: use it again in a later call", v.Name()),
		[]token.Pos{write.Pos()}, edits...)
}

// A flowSearch follows a slice to find out whether something other than a Writer might keep it.
type flowSearch struct {
	*search
	functions map[types.Object]*ast.FuncDecl
	visiting  map[*types.Var]bool
	writes    int
}

// lastWrite returns the statement of a block that hands a slice, which the statement at an index makes, to a Writer. It
// is nil if something may keep the slice, or uses it after that statement.
func (flow *flowSearch) lastWrite(block *ast.BlockStmt, made int, v *types.Var) ast.Stmt {
	if !flow.keepsNothing(block, v, nil) || flow.writes != 1 {
		return nil
	}
	for i, stmt := range block.List[made+1:] {
		writes := false
		ast.Inspect(stmt, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && flow.isWrite(call, v) {
				writes = true
			}
			return true
		})
		if !writes {
			continue
		}
		assign, ok := stmt.(*ast.AssignStmt)
		if !ok || len(assign.Rhs) != 1 { // in a loop or a branch, it may be used again
			return nil
		}
		for _, later := range block.List[made+2+i:] {
			if len(flow.uses(later, v)) > 0 {
				return nil
			}
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
	good := 0
	fine := true
	ast.PreorderStack(body, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			if len(flow.uses(n, v)) > 0 {
				fine = false
			}
		case *ast.IndexExpr:
			if flow.isPart(n.X, v) {
				address, ok := parentOf(stack).(*ast.UnaryExpr)
				if !ok || address.Op != token.AND {
					good++
				}
			}
		case *ast.RangeStmt:
			if flow.isPart(n.X, v) {
				good++
			}
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				if flow.isPart(r, v) && returned != nil {
					*returned = true
					good++
				}
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if !flow.isVariable(l, v) {
					continue
				}
				if len(n.Lhs) != len(n.Rhs) {
					fine = false
					continue
				}
				good++ // on the left
				if flow.isPart(n.Rhs[i], v) {
					good++
				} else if call, ok := ast.Unparen(n.Rhs[i]).(*ast.CallExpr); !ok || !flow.extends(call, v) {
					fine = fine && n.Tok == token.DEFINE
					if n.Tok == token.DEFINE {
						good-- // a definition is no use
					}
				}
			}
		case *ast.CallExpr:
			good += flow.arguments(n, v, parentOf(stack), returned)
		}
		return fine
	})
	return fine && good == len(flow.uses(body, v))
}

func parentOf(stack []ast.Node) ast.Node {
	if len(stack) == 0 {
		return nil
	}
	return stack[len(stack)-1]
}

// extends reports whether a call returns the slice, its first argument, or a longer copy of it.
func (flow *flowSearch) extends(call *ast.CallExpr, v *types.Var) bool {
	if len(call.Args) == 0 {
		return false
	}
	if flow.builtin(call) == "append" || flow.calls(call, appends...) {
		return flow.isPart(call.Args[0], v)
	}
	decl, at := flow.inPackage(call, v)
	if decl == nil {
		return false
	}
	returned := false
	return flow.parameter(decl, at, &returned) && returned
}

// arguments returns how many arguments of a call are the slice, if the call keeps nothing of it.
func (flow *flowSearch) arguments(call *ast.CallExpr, v *types.Var, parent ast.Node, returned *bool) (good int) {
	parts := 0
	for _, a := range call.Args {
		if flow.isPart(a, v) {
			parts++
		}
	}
	if parts == 0 {
		return 0
	}
	assigned := false // to the slice itself, or returned
	switch p := parent.(type) {
	case *ast.AssignStmt:
		assigned = len(p.Lhs) == 1 && flow.isVariable(p.Lhs[0], v) && p.Tok == token.ASSIGN
	case *ast.ReturnStmt:
		assigned = returned != nil
		if assigned {
			*returned = true
		}
	}
	switch flow.builtin(call) {
	case "len", "cap", "copy", "clear":
		return parts
	case "append":
		switch {
		case call.Ellipsis.IsValid() && !flow.isPart(call.Args[0], v):
			return parts // its bytes are copied
		case assigned && flow.isPart(call.Args[0], v):
			return parts
		}
		return 0
	}
	switch {
	case flow.TypesInfo.Types[call.Fun].IsType():
		if b, ok := flow.TypesInfo.TypeOf(call).Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return parts // a copy
		}
		return 0
	case flow.isWrite(call, v):
		flow.writes++
		return parts
	case flow.calls(call, fills...):
		return parts
	case flow.calls(call, appends...):
		if assigned && parts == 1 && flow.isPart(call.Args[0], v) {
			return parts
		}
		return 0
	}
	decl, at := flow.inPackage(call, v)
	if decl == nil || parts > 1 {
		return 0
	}
	out := false
	if !flow.parameter(decl, at, &out) || out && !assigned {
		return 0
	}
	return parts
}

// inPackage returns the function of the package that a call names, and the index of the argument that is the slice.
func (flow *flowSearch) inPackage(call *ast.CallExpr, v *types.Var) (*ast.FuncDecl, int) {
	f := flow.callee(call)
	if f == nil || flow.functions[f] == nil || flow.functions[f].Body == nil || f.Signature().Variadic() {
		return nil, 0
	}
	for i, a := range call.Args {
		if flow.isPart(a, v) {
			return flow.functions[f], i
		}
	}
	return nil, 0
}

// parameter reports whether a function keeps nothing of a parameter, and sets whether it returns it.
func (flow *flowSearch) parameter(decl *ast.FuncDecl, at int, returned *bool) bool {
	if decl.Type.Results != nil {
		for _, r := range decl.Type.Results.List {
			if _, ok := flow.TypesInfo.TypeOf(r.Type).Underlying().(*types.Basic); len(r.Names) > 0 && !ok {
				return false // a result that a bare return gives
			}
		}
	}
	i := 0
	for _, f := range decl.Type.Params.List {
		for _, name := range f.Names {
			if i == at {
				v, ok := flow.TypesInfo.Defs[name].(*types.Var)
				writes := flow.writes
				defer func() { flow.writes = writes }()
				return ok && flow.keepsNothing(decl.Body, v, returned) && flow.writes == writes
			}
			i++
		}
	}
	return false
}
