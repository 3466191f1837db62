package mutation

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/harness"
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

// size replaces the length or the capacity of a slice that e makes or grows by constants.
func (m *maker) size(e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return
	}
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		if fun.Name != "make" || len(call.Args) < 2 {
			return
		}
		slice, ok := call.Args[0].(*ast.ArrayType)
		if !ok {
			return
		}
		for _, k := range sizes(slice.Elt) {
			last := call.Args[len(call.Args)-1]
			if len(call.Args) == 3 {
				m.add(Size, m.replace(last, strconv.Itoa(k)))
				continue
			}
			if _, constant := last.(*ast.BasicLit); constant {
				continue
			}
			m.add(Size, m.replace(call, fmt.Sprintf("make(%s, %d)[:%s]", m.text(slice), k, m.text(last))))
			m.add(Limit, m.replace(last, fmt.Sprintf("min(%s, %d)", m.text(last), k)))
		}
	case *ast.SelectorExpr:
		if fun.Sel.Name != "Grow" || len(call.Args) == 0 {
			return
		}
		for _, k := range bytesSizes {
			m.add(Size, m.replace(call.Args[len(call.Args)-1], strconv.Itoa(k)))
		}
	}
}

// arrayOrPool changes the length of an array, and replaces a sync.Pool by a list without a lock.
func (m *maker) arrayOrPool(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ArrayType:
		if e.Len == nil {
			return
		}
		if _, dots := e.Len.(*ast.Ellipsis); dots {
			return
		}
		for _, k := range sizes(e.Elt) {
			m.add(Size, m.replace(e.Len, strconv.Itoa(k)))
		}
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok && id.Name == "sync" && e.Sel.Name == "Pool" {
			m.add(Lock, m.replace(e, "unlockedList"), m.insert(m.file.FileEnd, unlockedList))
		}
	}
}

// unlockedList is a free list without a lock, which learners write in place of a sync.Pool.
const unlockedList = `
type unlockedList struct {
	New  func() any
	free []any
}

func (l *unlockedList) Get() any {
	if last := len(l.free) - 1; last >= 0 {
		x := l.free[last]
		l.free = l.free[:last]
		return x
	}
	return l.New()
}

func (l *unlockedList) Put(x any) { l.free = append(l.free, x) }
`

// limitArguments truncates slices and strings to constant lengths: arguments of exported functions, and exported fields
// of their receivers.
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
				m.add(Limit, m.insert(d.Body.Lbrace+1, fmt.Sprintf(" %[1]s = %[1]s[:min(len(%[1]s), %[2]d)]; ",
					name.Name, k)))
			}
		}
	}
	receiver, t := m.receiver(d)
	if t == nil {
		return
	}
	for _, f := range t.Fields.List {
		elem, ok := element(f.Type)
		if !ok {
			continue
		}
		for _, name := range f.Names {
			if !name.IsExported() {
				continue
			}
			var uses []ast.Expr
			ast.Inspect(d.Body, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == name.Name && m.text(s.X) == receiver {
					uses = append(uses, s)
				}
				return true
			})
			for _, k := range sizes(elem) {
				var edits []harness.Edit
				for _, use := range uses {
					edits = append(edits, m.replace(use, fmt.Sprintf("%[1]s[:min(len(%[1]s), %[2]d)]", m.text(use), k)))
				}
				if len(edits) > 0 {
					m.add(Limit, edits...)
				}
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

// receiver returns the name of a method's receiver and the struct that it points to, or nil.
func (m *maker) receiver(d *ast.FuncDecl) (string, *ast.StructType) {
	if d.Recv == nil || len(d.Recv.List) != 1 || len(d.Recv.List[0].Names) != 1 {
		return "", nil
	}
	if _, pointer := d.Recv.List[0].Type.(*ast.StarExpr); !pointer {
		return "", nil
	}
	return d.Recv.List[0].Names[0].Name, m.structs[typeName(d.Recv.List[0].Type)]
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
		m.add(Limit, m.insert(s.End(), fmt.Sprintf("; %[1]s = (%[1]s)[:min(len(%[1]s), %[2]d)]", m.text(to), k)))
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

// narrower maps a type to the smaller type to which a number is converted first.
var narrower = map[string]string{
	"int": "int16", "int64": "int32", "int32": "int16", "int16": "int8", "uint": "uint16", "uint64": "uint32",
	"uint32": "uint16", "uint16": "uint8",
}

// narrow converts a number to a smaller type first.
func (m *maker) narrow(e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return
	}
	if to := narrower[called(call)]; to != "" {
		m.add(Narrow, m.replace(call.Args[0], to+"("+m.text(call.Args[0])+")"))
	}
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
			m.add(Copy, m.replace(call, fmt.Sprintf("min(len(%s), len(%s))", first, m.text(call.Args[1]))))
		}
	case "slices.Clone", "bytes.Clone", "strings.Clone", "maps.Clone", "string":
		m.add(Copy, m.replace(call, first))
	case "append":
		if len(call.Args) == 2 && call.Ellipsis.IsValid() && fresh(call.Args[0], first) {
			m.add(Copy, m.replace(call, m.text(call.Args[1])))
		}
	}
}

// fresh reports whether append to e is a copy: e is x[:0], []T(nil) or []T{}.
func fresh(e ast.Expr, text string) bool {
	switch e := e.(type) {
	case *ast.SliceExpr:
		return isEmptySlice(e)
	case *ast.CallExpr:
		_, array := e.Fun.(*ast.ArrayType)
		return array && strings.HasSuffix(text, "(nil)")
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	}
	return false
}

// leaveOutReslice replaces x[:0] by x.
func (m *maker) leaveOutReslice(e ast.Expr) {
	if s, ok := e.(*ast.SliceExpr); ok && isEmptySlice(s) {
		m.add(Reset, m.replace(s, m.text(s.X)))
	}
}

func isEmptySlice(s *ast.SliceExpr) bool {
	high, ok := s.High.(*ast.BasicLit)
	return ok && high.Value == "0" && s.Max == nil
}

// statementOperator returns the operator that leaves out s.
func statementOperator(s ast.Stmt) string {
	var call ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		call = s.X
	case *ast.DeferStmt:
		call = s.Call
	case *ast.AssignStmt:
		if len(s.Rhs) != 1 || s.Tok != token.ASSIGN {
			return Statement
		}
		if _, local := s.Lhs[0].(*ast.Ident); !local && isZero(s.Rhs[0]) {
			return Reset
		}
		return Statement
	}
	c, ok := call.(*ast.CallExpr)
	if !ok {
		return Statement
	}
	switch name := called(c); {
	case name == "copy":
		return Copy
	case name == "clear", strings.HasSuffix(name, ".Reset"):
		return Reset
	}
	return Statement
}

// isZero reports whether e is a zero value.
func isZero(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "nil" || e.Name == "false"
	case *ast.BasicLit:
		return e.Value == "0" || e.Value == `""`
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	}
	return false
}

// leaveOutLocks makes a mutant for each lock of a function, without all of its locking and unlocking.
func (m *maker) leaveOutLocks(d *ast.FuncDecl) {
	calls := map[string][]harness.Edit{}
	var order []string
	ast.Inspect(d.Body, func(n ast.Node) bool {
		var call *ast.CallExpr
		switch s := n.(type) {
		case *ast.ExprStmt:
			call, _ = s.X.(*ast.CallExpr)
		case *ast.DeferStmt:
			call = s.Call
		}
		if call == nil || len(call.Args) > 0 {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); ok &&
			slices.Contains([]string{"Lock", "Unlock", "RLock", "RUnlock"}, f.Sel.Name) {
			lock := m.text(f.X)
			if calls[lock] == nil {
				order = append(order, lock)
			}
			calls[lock] = append(calls[lock], m.replace(n, "{}"))
		}
		return true
	})
	for _, lock := range order {
		m.add(Lock, calls[lock]...)
	}
}

// slabs are the sizes of slabs, in elements.
var slabs = []int{1 << 10, 64 << 10}

// cutFromSlab takes memory that a method allocates, or a part of its receiver that it reuses, from a slab in the
// receiver. If the method returns memory to a list, another mutant also leaves that out, so that nothing is reused.
func (m *maker) cutFromSlab(d *ast.FuncDecl) {
	receiver, t := m.receiver(d)
	if t == nil {
		return
	}
	type site struct {
		e    ast.Expr
		elem string
		call string // the expression that replaces e
	}
	var sites []site
	add := func(e ast.Expr, elem, format string, args ...any) {
		sites = append(sites, site{e, elem, fmt.Sprintf(format, append([]any{"&" + receiver + ".slab"}, args...)...)})
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.CallExpr:
			if name := called(e); name == "new" && len(e.Args) == 1 {
				add(e, m.text(e.Args[0]), "newFromSlab(%s)")
			} else if name == "make" && len(e.Args) > 1 {
				if slice, ok := e.Args[0].(*ast.ArrayType); ok {
					add(e, m.text(slice.Elt), "cutFromSlab(%s, %s, %s)", m.text(e.Args[1]),
						m.text(e.Args[len(e.Args)-1]))
				}
			}
		case *ast.SliceExpr:
			s, ok := e.X.(*ast.SelectorExpr)
			if !ok || m.text(s.X) != receiver || e.High == nil || e.Low != nil || e.Max != nil {
				return true
			}
			for _, f := range t.Fields.List {
				if a, ok := f.Type.(*ast.ArrayType); ok && slices.ContainsFunc(f.Names, func(id *ast.Ident) bool {
					return id.Name == s.Sel.Name
				}) {
					add(e, m.text(a.Elt), "cutFromSlab(%s, %s, max(%s, 128))", m.text(e.High), m.text(e.High))
				}
			}
		}
		return true
	})
	for _, s := range sites {
		for _, k := range slabs {
			m.add(Slab, m.replace(s.e, s.call),
				m.insert(t.Fields.Opening+1, " slab []"+s.elem+"; "), m.insert(m.file.FileEnd, fmt.Sprintf(slab, k)))
			for _, back := range m.returnsToList(receiver) {
				m.add(Slab, m.replace(s.e, s.call), m.replace(back, "{ "+m.locals(back)+"}"),
					m.insert(t.Fields.Opening+1, " slab []"+s.elem+"; "),
					m.insert(m.file.FileEnd, fmt.Sprintf(slab, k)))
			}
		}
	}
}

// returnsToList returns the statements of the file that put memory into a list of the receiver's: x.free =
// append(x.free, …).
func (m *maker) returnsToList(receiver string) (back []ast.Stmt) {
	ast.Inspect(m.file, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok {
			to, _ := appended(s)
			if f, field := to.(*ast.SelectorExpr); field && m.text(f.X) == receiver {
				back = append(back, s)
			}
		}
		return true
	})
	return back
}

// slab is the code that cuts memory from a slab.
const slab = `
func newFromSlab[T any](slab *[]T) *T {
	return &cutFromSlab(slab, 1, 1)[0]
}

func cutFromSlab[T any](slab *[]T, n, most int) []T {
	if len(*slab) < most {
		*slab = make([]T, max(%d, most))
	}
	cut := (*slab)[:n:most]
	*slab = (*slab)[most:]
	return cut
}
`
