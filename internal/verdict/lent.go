package verdict

import (
	"cmp"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"onthestack/internal/harness"
)

// lendingMethods are the methods of a solver's types that other packages call with memory of their own, with the
// numbers of their parameters and results. Package fmt lends the buffer of a pool to a Write, and io.Discard one to a
// Read. A solution that keeps it has memory that no benchmark counts, and shares it with the next who gets it from the
// pool. Tests notice only if that happens while the solution uses the memory.
var lendingMethods = map[string][2]int{
	"Write": {1, 2}, "WriteAt": {2, 2}, "Read": {1, 2}, "ReadAt": {2, 2}, "Format": {2, 0}, "Scan": {2, 1},
}

// A lentCheck finds parameters of lendingMethods that are not used in place. It knows no types: a use that it does not
// recognize is refused. It ignores scopes, so a name is one variable in all of a function.
type lentCheck struct {
	functions map[string]*function // by name, methods by "Type.Method"
	defined   map[string]bool      // names of variables, constants, types, fields and methods of interfaces
	checked   map[lentParameter]bool
	report    func(pos token.Pos, does string)
}

type lentParameter struct {
	name     *ast.Ident
	writable bool // the memory was lent to be written
}

type function struct {
	inspector.Cursor
	decl *ast.FuncDecl
}

// lent returns the uses of lent memory in the files that may keep it, or write into it though it was lent for reading.
func lent(fset *token.FileSet, files []*ast.File) (problems []Problem) {
	c := &lentCheck{
		functions: map[string]*function{}, defined: map[string]bool{}, checked: map[lentParameter]bool{},
		report: func(pos token.Pos, does string) {
			at := fset.PositionFor(pos, false)
			problems = append(problems, Problem{File: at.Filename, Line: at.Line, Col: at.Column, Message: does +
				", which is not allowed here: it belongs to the caller, who uses it again after the call: copy what " +
				"you need of it"})
		},
	}
	root := inspector.New(files).Root()
	for cursor := range root.Preorder((*ast.FuncDecl)(nil)) {
		d := cursor.Node().(*ast.FuncDecl)
		c.functions[harness.QualifiedName(d)] = &function{cursor, d}
	}
	for id := range root.Preorder((*ast.Ident)(nil)) {
		if kind := id.ParentEdgeKind(); kind == edge.TypeSpec_Name || kind == edge.Field_Names || declares(id) {
			c.defined[id.Node().(*ast.Ident).Name] = true
		}
	}
	for _, f := range c.functions {
		numbers, lends := lendingMethods[f.decl.Name.Name]
		if !lends || f.decl.Recv == nil || f.decl.Type.Params.NumFields() != numbers[0] ||
			f.decl.Type.Results.NumFields() != numbers[1] {
			continue
		}
		if names := f.decl.Type.Params.List[0].Names; len(names) > 0 {
			c.parameter(f, names[0], strings.HasPrefix(f.decl.Name.Name, "Read"))
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Col-b.Col)
	})
	return slices.Compact(problems)
}

// declares reports whether an identifier may declare a variable or a constant.
func declares(id inspector.Cursor) bool {
	kind := id.ParentEdgeKind()
	switch parent := id.Parent().Node().(type) {
	case *ast.AssignStmt:
		return parent.Tok == token.DEFINE && kind == edge.AssignStmt_Lhs
	case *ast.RangeStmt:
		return parent.Tok == token.DEFINE && kind != edge.RangeStmt_X
	case *ast.ValueSpec:
		return kind == edge.ValueSpec_Names
	}
	return false
}

// parameter checks the uses of a parameter of f, and of the variables of f that it is assigned to.
func (c *lentCheck) parameter(f *function, name *ast.Ident, writable bool) {
	p := lentParameter{name, writable}
	if c.checked[p] || f.decl.Body == nil {
		return
	}
	c.checked[p] = true
	u := &lentUses{lentCheck: c, function: f, lentParameter: p, names: map[string]bool{name.Name: true},
		locals: map[string]bool{name.Name: true}}
	for id := range f.Preorder((*ast.Ident)(nil)) {
		if declares(id) {
			u.locals[id.Node().(*ast.Ident).Name] = true
		}
	}
	if f.decl.Type.Results != nil {
		for _, field := range f.decl.Type.Results.List {
			for _, result := range field.Names {
				delete(u.locals, result.Name) // what seems to declare it may assign to it
			}
		}
	}
	for known := 0; known < len(u.names); {
		known, u.refused = len(u.names), map[token.Pos]string{}
		for id := range f.Preorder((*ast.Ident)(nil)) {
			if u.names[id.Node().(*ast.Ident).Name] {
				u.use(id)
			}
		}
	}
	for pos, does := range u.refused {
		c.report(pos, does)
	}
}

// lentUses are the uses of one parameter in a function.
type lentUses struct {
	*lentCheck
	*function
	lentParameter
	names   map[string]bool // variables that may refer to it
	locals  map[string]bool // variables that end with the call
	refused map[token.Pos]string
}

func (u *lentUses) keeps(e inspector.Cursor) {
	u.refused[e.Node().Pos()] = "this may keep memory that was lent for one call"
}

func (u *lentUses) writes(e inspector.Cursor) {
	if !u.writable {
		u.refused[e.Node().Pos()] = "this may write into memory that was lent for reading, or behind it"
	}
}

// use follows an identifier that may refer to lent memory outward, through the expressions that may refer to it too.
func (u *lentUses) use(id inspector.Cursor) {
	for range id.Enclosing((*ast.FuncLit)(nil)) {
		u.keeps(id) // the literal may outlive the call
		return
	}
	many := false // e is a list of slices that refer to it
	for e := id; ; e = e.Parent() {
		kind, i := e.ParentEdge()
		switch kind {
		case edge.ParenExpr_X:
			continue
		case edge.SliceExpr_X, edge.IndexExpr_X:
			if many {
				u.keeps(e)
			} else if kind == edge.SliceExpr_X {
				continue
			} else {
				u.element(e.Parent())
			}
		case edge.CallExpr_Args:
			call := e.Parent().Node().(*ast.CallExpr)
			if refers, list := u.refers(call); refers && !many {
				many = list
				continue
			} else if many && u.callee(call) != "len" {
				u.keeps(e)
			} else {
				u.argument(e, call, i)
			}
		case edge.SelectorExpr_X:
			// A method of fmt.State or fmt.ScanState, of which Token returns memory of package fmt. A slice has another
			// type where it has methods, which this package declares.
			if sel := e.Parent(); sel.ParentEdgeKind() != edge.CallExpr_Fun || u.hasMethod(sel) {
				u.keeps(e)
			} else if sel.Node().(*ast.SelectorExpr).Sel.Name == "Token" {
				e = sel
				continue
			}
		case edge.CallExpr_Fun: // of the method Token
			continue
		case edge.AssignStmt_Rhs:
			s := e.Parent().Node().(*ast.AssignStmt)
			if to := s.Lhs; many {
				u.keeps(e)
			} else if len(s.Rhs) == len(to) {
				u.assign(e, to[i])
			} else {
				u.assign(e, to[:len(to)-1]...) // the last is found or an error
			}
		case edge.ValueSpec_Values:
			if s := e.Parent().Node().(*ast.ValueSpec); many || len(s.Names) != len(s.Values) {
				u.keeps(e)
			} else {
				u.assign(e, s.Names[i])
			}
		case edge.RangeStmt_X:
			s := e.Parent().Node().(*ast.RangeStmt)
			if to := cmp.Or[ast.Expr](s.Value, s.Key); many && to != nil { // the key if it is a sequence
				u.assign(e, to)
			}
		case edge.UnaryExpr_X:
			if e.Parent().Node().(*ast.UnaryExpr).Op != token.NOT {
				u.keeps(e)
			}
		// Declarations of the name, fields and methods of that name, and values that refer to nothing.
		case edge.AssignStmt_Lhs, edge.ValueSpec_Names, edge.RangeStmt_Key, edge.RangeStmt_Value, edge.Field_Names,
			edge.FuncDecl_Name, edge.SelectorExpr_Sel, edge.KeyValueExpr_Key, edge.BinaryExpr_X, edge.BinaryExpr_Y,
			edge.IfStmt_Cond, edge.IndexExpr_Index, edge.SliceExpr_Low, edge.SliceExpr_High, edge.ExprStmt_X:
		default:
			u.keeps(e)
		}
		return
	}
}

// assign follows lent memory into variables that end with the call, and refuses others.
func (u *lentUses) assign(from inspector.Cursor, to ...ast.Expr) {
	for _, e := range to {
		if id, ok := ast.Unparen(e).(*ast.Ident); !ok || id.Name != "_" && !u.locals[id.Name] {
			u.keeps(from)
		} else {
			u.names[id.Name] = true
		}
	}
}

// element checks the use of an element of lent memory, which is a byte.
func (u *lentUses) element(e inspector.Cursor) {
	for e.ParentEdgeKind() == edge.ParenExpr_X {
		e = e.Parent()
	}
	switch e.ParentEdgeKind() {
	case edge.AssignStmt_Lhs, edge.IncDecStmt_X, edge.RangeStmt_Key, edge.RangeStmt_Value:
		u.writes(e)
	case edge.UnaryExpr_X:
		if e.Parent().Node().(*ast.UnaryExpr).Op == token.AND {
			u.keeps(e)
		}
	}
}

// callee returns the name of the function that is called: "Type.Method" for another method of f's receiver, ".Method"
// for one of anything else, "path.Func" for a function of another package, and a name alone for one of this package or
// a builtin. It is "" if that is not known.
func (u *lentUses) callee(call *ast.CallExpr) string {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		if !u.defined[fun.Name] {
			return fun.Name
		}
	case *ast.SelectorExpr:
		x, ok := fun.X.(*ast.Ident)
		switch {
		case u.defined[fun.Sel.Name]:
			return "" // it may be a field that is a function
		case !ok:
			return "." + fun.Sel.Name
		}
		if name := imported(u.Parent().Node().(*ast.File), fun); name != "" && !u.defined[x.Name] {
			return name
		}
		if recv := u.decl.Recv; recv.NumFields() == 1 && len(recv.List[0].Names) == 1 &&
			recv.List[0].Names[0].Name == x.Name && !u.locals[x.Name] {
			typeName, _, _ := strings.Cut(harness.QualifiedName(u.decl), ".")
			if name := typeName + "." + fun.Sel.Name; u.functions[name] != nil {
				return name
			}
		}
		return "." + fun.Sel.Name
	}
	return ""
}

// refers reports whether the result of a call refers to the memory of its arguments, and whether it is a list or a
// sequence of slices that do.
func (u *lentUses) refers(call *ast.CallExpr) (refers, list bool) {
	name, ok := strings.CutPrefix(u.callee(call), "bytes.")
	has := func(prefix string) bool { return ok && strings.HasPrefix(name, prefix) }
	list = has("Fields") || has("Split") || has("Lines")
	return list || has("Trim") || has("Cut"), list
}

// hasMethod reports whether this package declares a method of the name that a selector has.
func (u *lentUses) hasMethod(selector inspector.Cursor) bool {
	for _, f := range u.functions {
		if f.decl.Recv != nil && f.decl.Name.Name == selector.Node().(*ast.SelectorExpr).Sel.Name {
			return true
		}
	}
	return false
}

// inPlace matches the functions that only read all of their arguments, apart from packages bytes and fmt.
var inPlace = regexp.MustCompile(`^(len|string|io\.WriteString|\.(Write|Uint16|Uint32|Uint64)|` +
	`slices\.(Clone|Compare|Contains|Equal|Index|Max|Min)\w*|unicode/utf8\.(Decode|Full|RuneCount|Valid)\w*|` +
	`encoding/hex\.EncodeToString|encoding/binary\.U?[vV]arint)$`)

// argument checks a call whose result does not refer to its arguments, of which number i refers to lent memory.
func (u *lentUses) argument(e inspector.Cursor, call *ast.CallExpr, i int) {
	name := u.callee(call)
	if f := u.functions[name]; f != nil {
		u.pass(e, f, i)
		return
	}
	path, function, _ := strings.Cut(name, ".")
	if path == "" {
		for _, f := range u.functions {
			if f.decl.Recv != nil && f.decl.Name.Name == function {
				u.pass(e, f, i) // the call may be one of this method
			}
		}
	}
	array, _ := ast.Unparen(call.Fun).(*ast.ArrayType)
	switch {
	case inPlace.MatchString(name), name == "copy" && i == 1,
		(name == "append" || name == "slices.Insert") && i > 0 && call.Ellipsis.IsValid(),
		path == "bytes" && !strings.HasPrefix(function, "New"),
		path == "fmt" && (i > 0 || !strings.HasPrefix(function, "Append")),
		array != nil && array.Len != nil: // a conversion, which copies
	case name == "copy", name == "clear", name == "io.ReadFull", name == "io.ReadAtLeast", name == ".Read":
		u.writes(e)
	default:
		u.keeps(e)
	}
}

// pass checks parameter i of a function of this package, which gets e.
func (u *lentUses) pass(e inspector.Cursor, f *function, i int) {
	for _, field := range f.decl.Type.Params.List {
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			break
		}
		if n := max(1, len(field.Names)); i >= n {
			i -= n
			continue
		}
		if len(field.Names) > 0 {
			u.parameter(f, field.Names[i], u.writable)
		}
		return
	}
	u.keeps(e)
}
