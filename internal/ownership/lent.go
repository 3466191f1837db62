package ownership

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A loan tells of a value that it leads to memory which another package lent for the time of a call.
type loan uint8

const (
	kept    loan = 1 << iota // must not be kept beyond the call
	written                  // nor be written into
)

// lenders are the packages whose interfaces a solver's types may implement. Each slice that such a method is called with is lent:
// io.Writer and the others forbid to keep it, and package fmt uses it again for the next one who prints.
var lenders = []string{"encoding", "encoding/binary", "fmt", "hash", "io"}

// maxSteps bounds what following lent memory costs, in looks at an expression or a function.
const maxSteps = 5_000_000

// A loans follows lent memory through a package. It knows neither the order of statements nor which object a field belongs to, but
// a field is only followed in variables that hold something lent.
type loans struct {
	*checker
	vars      map[types.Object]loan // variables, fields of the package's own structs among them
	results   map[ast.Node][]loan   // of *ast.FuncDecl and *ast.FuncLit, by index
	functions []function
	byObject  map[types.Object]*function
	captured  map[*ast.FuncLit][]types.Object
	changed   bool
	reporting bool
	steps     int
}

type function struct {
	node      ast.Node // *ast.FuncDecl or *ast.FuncLit
	name      string
	body      *ast.BlockStmt
	signature *types.Signature
	inside    *function // for a literal the declared function around it, nil elsewhere
	root      bool      // another package may call it with lent memory
	returns   bool      // and gets that memory back
}

// lent finds where memory that was lent for a call is kept, returned or written into. It returns a finding of its own if that takes
// too long to find out, nil otherwise.
func (c *checker) lent(files []*ast.File) *Finding {
	l := &loans{checker: c, vars: map[types.Object]loan{}, results: map[ast.Node][]loan{}, byObject: map[types.Object]*function{},
		captured: map[*ast.FuncLit][]types.Object{}}
	for _, file := range files {
		l.collect(file)
	}
	for i := range l.functions {
		f := &l.functions[i]
		if d, ok := f.node.(*ast.FuncDecl); ok {
			l.byObject[c.info.Defs[d.Name]] = f
		}
		for j := i - 1; j >= 0 && f.inside == nil; j-- {
			if g := &l.functions[j]; g.name != "" && g.node.Pos() < f.node.Pos() && f.node.End() <= g.node.End() {
				f.inside = g
			}
		}
	}
	lending := map[string][]*types.Signature{}
	for _, path := range lenders {
		pkg, err := standard.Import(path)
		if err != nil {
			continue // TestAPI reads them all
		}
		for _, name := range pkg.Scope().Names() {
			if i, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Interface); ok && token.IsExported(name) {
				for m := range i.Methods() {
					lending[m.Name()] = append(lending[m.Name()], m.Signature())
				}
			}
		}
	}
	for i := range l.functions {
		f := &l.functions[i]
		if f.signature.Recv() == nil {
			continue
		}
		for _, s := range lending[f.name] {
			if types.Identical(withoutReceiver(f.signature), withoutReceiver(s)) {
				l.lend(f)
				break
			}
		}
	}
	if len(l.vars) == 0 && !l.hasCallbacks(files) {
		return nil
	}
	for l.changed = true; l.changed && l.steps < maxSteps; {
		l.changed = false
		l.pass()
	}
	l.reporting = true
	l.pass()
	if l.steps >= maxSteps {
		return &Finding{files[0].Name.Pos(), "this package has too many functions that pass memory on to each other, so the policy cannot check it: write fewer"}
	}
	return nil
}

func withoutReceiver(s *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}

// collect lists the functions and function literals of a file.
func (l *loans) collect(file *ast.File) {
	var literals []*ast.FuncLit
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if f, ok := l.info.Defs[n.Name].(*types.Func); ok && n.Body != nil {
				l.functions = append(l.functions, function{node: n, name: n.Name.Name, body: n.Body, signature: f.Signature()})
			}
		case *ast.FuncLit:
			if s, ok := core(l.typeOf(n)).(*types.Signature); ok {
				l.functions = append(l.functions, function{node: n, body: n.Body, signature: s})
				literals = append(literals, n)
			}
		}
		return true
	})
	for _, lit := range literals {
		ast.Inspect(lit, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := l.info.Uses[id].(*types.Var); ok && !v.IsField() && (v.Pos() < lit.Pos() || v.Pos() > lit.End()) {
					l.captured[lit] = append(l.captured[lit], v)
				}
			}
			return true
		})
	}
}

// lend marks what f gets from its caller, which is another package.
func (l *loans) lend(f *function) {
	mask := kept
	if strings.HasPrefix(f.name, "Write") {
		mask |= written
	}
	for p := range f.signature.Params().Variables() {
		_, slice := p.Type().Underlying().(*types.Slice)
		if name := types.TypeString(p.Type(), nil); slice || name == "fmt.State" || name == "fmt.ScanState" {
			f.root = true
			l.mark(p, mask)
		}
	}
	for r := range f.signature.Results().Variables() {
		if _, ok := r.Type().Underlying().(*types.Slice); ok {
			f.returns = true // AppendText(b []byte) ([]byte, error)
		}
	}
}

// hasCallbacks reports whether a function is given to another package, which may call it with memory of its own.
func (l *loans) hasCallbacks(files []*ast.File) bool {
	found := false
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || found {
				return !found
			}
			if f := l.callee(call); l.isForeign(f) {
				for _, a := range call.Args {
					_, isFunc := core(l.typeOf(a)).(*types.Signature)
					found = found || isFunc
				}
			}
			return true
		})
	}
	return found
}

func (l *loans) mark(o types.Object, mask loan) {
	v, ok := o.(*types.Var)
	if !ok || mask == 0 || v.Name() == "_" || !carries(v.Type()) {
		return
	}
	v = v.Origin()
	if l.vars[v]|mask != l.vars[v] {
		l.vars[v] |= mask
		l.changed = true
	}
}

// carries reports whether a value of type t can lead to memory.
func carries(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Array:
		return carries(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if carries(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// pass goes through all functions once.
func (l *loans) pass() {
	for i := range l.functions {
		l.function(&l.functions[i])
	}
}

func (l *loans) refuse(pos token.Pos, does string) {
	if l.reporting {
		l.report(pos, "%s, which is not allowed here: it belongs to the caller, who uses it again after the call: copy what you need of it", does)
	}
}

func (l *loans) function(f *function) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // it is a function of its own
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
					if len(n.Lhs) == len(n.Rhs) {
						l.assign(f, to, l.value(n.Rhs[i]), n.Rhs[i])
					} else {
						l.assign(f, to, l.part(n.Rhs[0], i), n.Rhs[0])
					}
				}
				l.change(to)
			}
		case *ast.IncDecStmt:
			l.change(n.X)
		case *ast.ValueSpec:
			for i, to := range n.Names {
				if len(n.Names) == len(n.Values) {
					l.assign(f, to, l.value(n.Values[i]), n.Values[i])
				} else if len(n.Values) == 1 {
					l.assign(f, to, l.part(n.Values[0], i), n.Values[0])
				}
			}
		case *ast.RangeStmt:
			if mask := l.value(n.X); mask != 0 {
				for _, to := range []ast.Expr{n.Key, n.Value} {
					if to != nil && l.typeOf(to) != nil && carries(l.typeOf(to)) {
						l.assign(f, to, mask, n.X)
					}
				}
			}
		case *ast.TypeSwitchStmt:
			if a, ok := n.Assign.(*ast.AssignStmt); ok {
				mask := l.value(a.Rhs[0].(*ast.TypeAssertExpr).X)
				for _, s := range n.Body.List {
					l.mark(l.info.Implicits[s], mask)
				}
			}
		case *ast.SendStmt:
			if mask := l.value(n.Value); mask != 0 {
				if v := l.variable(n.Chan); l.fresh(v) {
					l.mark(v, mask)
				} else {
					l.refuse(n.Pos(), "this sends memory on a channel that was lent for one call")
				}
			}
		case *ast.ReturnStmt:
			for i, e := range n.Results {
				if len(n.Results) == 1 && f.signature.Results().Len() > 1 {
					for i := range f.signature.Results().Len() {
						l.result(f, i, l.part(e, i), e.Pos())
					}
				} else {
					l.result(f, i, l.value(e), e.Pos())
				}
			}
		case *ast.CallExpr:
			l.call(f, n)
		}
		return true
	})
}

func (l *loans) result(f *function, i int, mask loan, pos token.Pos) {
	if mask == 0 || i >= f.signature.Results().Len() || !carries(f.signature.Results().At(i).Type()) {
		return
	}
	if f.root && !f.returns {
		l.refuse(pos, "this returns memory that was lent for one call")
	}
	if l.results[f.node] == nil {
		l.results[f.node] = make([]loan, f.signature.Results().Len())
	}
	if r := l.results[f.node]; r[i]|mask != r[i] {
		r[i] |= mask
		l.changed = true
	}
}

// assign notes that to gets a value with the given loan, which is that of from.
func (l *loans) assign(f *function, to ast.Expr, mask loan, from ast.Expr) {
	if t := l.typeOf(to); mask == 0 || t == nil || !carries(t) {
		return
	}
	if v := l.variable(to); v != nil {
		l.mark(v, mask)
		if f.inside != nil && (v.Pos() < f.node.Pos() || v.Pos() > f.node.End()) && !l.borrows(f.inside) {
			l.refuse(to.Pos(), "this keeps memory that was lent for one call")
		}
		for i := range f.signature.Results().Len() {
			if f.signature.Results().At(i) == v {
				l.result(f, i, mask, to.Pos())
			}
		}
		return
	}
	root, steps, direct := l.path(to, mask)
	switch {
	case root != nil && steps == 0,
		root != nil && steps == 1 && direct && l.fresh(root),
		root != nil && l.vars[root] != 0 && l.onlyOf(from, root, map[types.Object]bool{}):
		l.mark(root, mask)
	default:
		l.refuse(to.Pos(), "this keeps memory that was lent for one call")
	}
}

// borrows reports whether a function is itself called with lent memory. Where it is not, a literal in it that is must not leave any
// in the variables around it.
func (l *loans) borrows(f *function) bool {
	if r := f.signature.Recv(); r != nil && l.vars[r.Origin()] != 0 {
		return true
	}
	for p := range f.signature.Params().Variables() {
		if l.vars[p.Origin()] != 0 {
			return true
		}
	}
	return false
}

// path returns the variable in which a place begins, how many pointers, slices and maps lead from there to it, and whether the
// variable itself is the one. It marks the fields on the way.
func (l *loans) path(e ast.Expr, mask loan) (root *types.Var, steps int, direct bool) {
	for {
		e = ast.Unparen(e)
		var x ast.Expr
		indirect := false
		switch e := e.(type) {
		case *ast.Ident:
			return l.variable(e), steps, direct
		case *ast.StarExpr:
			x, indirect = e.X, true
		case *ast.IndexExpr:
			x = e.X
			_, array := core(l.typeOf(x)).(*types.Array)
			indirect = !array
		case *ast.SelectorExpr:
			s := l.info.Selections[e]
			if s == nil {
				return nil, steps, false
			}
			x, indirect = e.X, s.Indirect()
			l.fields(s, mask)
			if len(s.Index()) > 1 && indirect {
				steps++ // the pointer may be the embedded one
			}
		case *ast.SliceExpr:
			x = e.X
		default:
			return nil, steps, false
		}
		if indirect {
			steps++
			direct = l.variable(x) != nil
		}
		e = x
	}
}

// fields marks the fields that a selection goes through.
func (l *loans) fields(s *types.Selection, mask loan) {
	t := s.Recv()
	for _, i := range s.Index() {
		st, ok := pointee(t).Underlying().(*types.Struct)
		if !ok || i >= st.NumFields() {
			return
		}
		l.mark(st.Field(i), mask)
		t = st.Field(i).Type()
	}
}

// onlyOf reports whether what is lent in e comes from one variable alone, as in "c.rest = c.rest[1:]", or by way of local variables.
func (l *loans) onlyOf(e ast.Expr, v *types.Var, seen map[types.Object]bool) bool {
	only := true
	ast.Inspect(e, func(n ast.Node) bool {
		if _, literal := n.(*ast.FuncLit); literal {
			only = false
		}
		id, ok := n.(*ast.Ident)
		if !ok || !only {
			return only
		}
		o, ok := l.info.Uses[id].(*types.Var)
		if !ok || o.IsField() || o == v || l.vars[o.Origin()] == 0 || seen[o] {
			return true
		}
		seen[o] = true
		only = len(l.values[o]) > 0 || l.zero[o]
		for _, from := range l.values[o] {
			only = only && from != nil && l.onlyOf(from, v, seen)
		}
		return only
	})
	return only
}

// change refuses to write to e if that is an element of memory that must not be written.
func (l *loans) change(to ast.Expr) {
	var x ast.Expr
	switch e := ast.Unparen(to).(type) {
	case *ast.IndexExpr:
		x = e.X
	case *ast.StarExpr:
		x = e.X
	default:
		return
	}
	if t := l.typeOf(to); t != nil && !carries(t) && l.value(x)&written != 0 {
		l.refuse(to.Pos(), "this writes into memory that was lent for reading")
	}
}

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
		if v, ok := s.Obj().(*types.Var); ok && !l.isForeign(v) && mask != 0 {
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

// part returns the loan of a result of a call, or of the value of an expression with "ok".
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
	if l.isForeign(f) && !l.dynamic(f) {
		return l.foreignResult(call, f, i)
	}
	var mask loan
	if l.isForeign(f) {
		mask = l.foreignResult(call, f, i)
	}
	for _, own := range l.targets(call, f) {
		if r := l.results[own.node]; i < len(r) {
			mask |= r[i]
		}
	}
	return mask
}

// dynamic reports whether f is an interface's method.
func (l *loans) dynamic(f *types.Func) bool {
	return f != nil && f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type())
}

// targets returns the package's own functions that a call may run.
func (l *loans) targets(call *ast.CallExpr, f *types.Func) []*function {
	if f != nil && !l.dynamic(f) {
		if own := l.byObject[f.Origin()]; own != nil {
			return []*function{own}
		}
		return nil
	}
	if l.steps += len(l.functions); l.steps >= maxSteps {
		return nil
	}
	var found []*function
	s, _ := core(l.typeOf(call.Fun)).(*types.Signature)
	for i := range l.functions {
		own := &l.functions[i]
		switch {
		case f != nil && own.name == f.Name() && own.signature.Recv() != nil && own.signature.Params().Len() == f.Signature().Params().Len(),
			f == nil && s != nil && types.Identical(withoutReceiver(own.signature), withoutReceiver(s)):
			found = append(found, own)
		}
	}
	return found
}

// copying are functions of other packages whose result has none of the memory of their arguments, as far as elements hold none.
var copying = []string{
	"bytes.Clone", "bytes.Join", "bytes.Map", "bytes.Repeat", "bytes.Replace", "bytes.ReplaceAll", "bytes.Title", "bytes.ToLower", "bytes.ToTitle",
	"bytes.ToUpper", "bytes.ToValidUTF8", "slices.Clone", "slices.Concat", "slices.Repeat", "slices.Sorted", "slices.Collect",
}

// foreignResult is part for a call of another package's function: a result may have the memory of every argument.
func (l *loans) foreignResult(call *ast.CallExpr, f *types.Func, i int) loan {
	results := f.Signature().Results()
	if i >= results.Len() {
		return 0
	}
	args := call.Args
	if t := results.At(i).Type(); types.TypeString(t, nil) == "error" {
		// No error has the bytes that were written or read, but fmt.Errorf and errors.Join keep the errors that they get.
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
	case slices.Contains(copying, name):
		if s, ok := core(l.typeOf(call)).(*types.Slice); ok && !carries(s.Elem()) {
			return 0
		}
	case strings.HasPrefix(f.Name(), "Append") || f.Name() == "Sum" || f.Pkg().Path() == "slices" && (f.Name() == "Insert" || f.Name() == "Replace"):
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

// keeping are methods of other packages' types that keep an argument.
var keeping = []string{"Reset", "Store", "LoadOrStore", "Swap", "CompareAndSwap", "Put", "PushBack", "PushFront", "InsertBefore", "InsertAfter", "Buffer"}

// writing are functions of other packages that write into a slice that they get.
func writing(f *types.Func, argument int) bool {
	name := f.Name()
	switch {
	case f.Pkg().Path() == "bytes" && name == "NewBuffer":
		return true
	case f.Pkg().Path() == "slices" || f.Pkg().Path() == "sort":
		for _, prefix := range []string{"Sort", "Stable", "Reverse", "Insert", "Delete", "Replace", "Compact", "Grow", "Append"} {
			if strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, "Sorted") {
				return argument == 0
			}
		}
		return false
	case strings.HasPrefix(name, "Append") || name == "Sum" || name == "Encode" || name == "EncodeRune":
		return argument == 0
	}
	return strings.HasPrefix(name, "Read") || strings.HasPrefix(name, "Put") || name == "CopyBuffer"
}

// call notes what a call hands over.
func (l *loans) call(f *function, call *ast.CallExpr) {
	if l.isConversion(call) {
		return
	}
	switch l.builtin(call) {
	case "":
	case "panic":
		if l.value(call.Args[0]) != 0 {
			l.refuse(call.Pos(), "this panics with memory that was lent for one call")
		}
		return
	case "copy":
		l.changeAll(call.Args[0])
		if s, ok := core(l.typeOf(call.Args[0])).(*types.Slice); ok && carries(s.Elem()) {
			if mask := l.value(call.Args[1]); mask != 0 {
				if v := l.variable(call.Args[0]); !l.fresh(v) {
					l.refuse(call.Pos(), "this keeps memory that was lent for one call")
				} else {
					l.mark(v, mask)
				}
			}
		}
		return
	case "clear", "cap":
		l.changeAll(call.Args[0])
		return
	case "append":
		if s, ok := ast.Unparen(call.Args[0]).(*ast.SliceExpr); !ok || !s.Slice3 {
			l.changeAll(call.Args[0])
		}
		return
	default:
		return
	}
	callee := l.callee(call)
	var all loan
	for _, a := range call.Args {
		all |= l.value(a)
	}
	receiver := l.receiver(call)
	if l.isForeign(callee) {
		for i, a := range call.Args {
			if writing(callee, i) {
				l.changeAll(a)
			}
		}
	}
	if l.isForeign(callee) && !l.dynamic(callee) {
		if callee.Signature().Recv() != nil && slices.Contains(keeping, callee.Name()) && all != 0 {
			x := ast.Unparen(call.Fun).(*ast.SelectorExpr).X
			root, steps, direct := l.path(x, all)
			if root != nil && !isParameter(f, root) && (steps == 0 && !isPointer(root.Type()) || steps <= 1 && direct && l.fresh(root) || steps == 0 && l.fresh(root)) {
				l.mark(root, all)
			} else {
				l.refuse(call.Pos(), "this keeps memory that was lent for one call")
			}
		}
		l.callback(call, callee, all|receiver)
		if callee.Pkg().Path() != "container/heap" || callee.Name() != "Push" {
			return
		}
		for i := range l.functions {
			if own := &l.functions[i]; own.name == "Push" && own.signature.Recv() != nil && own.signature.Params().Len() == 1 {
				l.mark(own.signature.Params().At(0), all)
			}
		}
		return
	}
	for _, own := range l.targets(call, callee) {
		params := own.signature.Params()
		args := call.Args
		for i, a := range args {
			if params.Len() == 0 {
				break
			}
			if inner, ok := ast.Unparen(a).(*ast.CallExpr); ok && len(args) == 1 && params.Len() > 1 {
				for j := range params.Len() { // f(g())
					l.mark(params.At(j), l.part(inner, j))
				}
				break
			}
			l.mark(params.At(min(i, params.Len()-1)), l.value(a))
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && l.info.Selections[sel] != nil && l.info.Selections[sel].Kind() == types.MethodExpr {
			// T.method(receiver, arguments...)
			if own.signature.Recv() != nil && len(args) > 0 {
				l.mark(own.signature.Recv(), l.value(args[0]))
				for i, a := range args[1:] {
					l.mark(params.At(min(i, params.Len()-1)), l.value(a))
				}
			}
		} else if own.signature.Recv() != nil {
			l.mark(own.signature.Recv(), receiver)
		}
	}
}

func isParameter(f *function, v *types.Var) bool {
	for p := range f.signature.Params().Variables() {
		if p == v {
			return true
		}
	}
	return f.signature.Recv() == v
}

// callback marks what own functions are called with that another package got as arguments: what it lends by itself, and what it
// got that is lent already.
func (l *loans) callback(call *ast.CallExpr, callee *types.Func, all loan) {
	signature := callee.Signature()
	for i, a := range call.Args {
		s, ok := core(l.typeOf(a)).(*types.Signature)
		if !ok {
			continue
		}
		lends := loan(0)
		if signature.TypeParams().Len() == 0 && signature.Params().Len() > 0 {
			lends = kept
			if t := signature.Params().At(min(i, signature.Params().Len()-1)).Type(); types.IsInterface(t) {
				lends = 0
			}
		}
		for j := range l.functions {
			own := &l.functions[j]
			if own.node != ast.Unparen(a) && (l.byObject[l.named(a)] != own) && !(l.named(a) != nil && l.byObject[l.named(a)] == nil && types.Identical(withoutReceiver(own.signature), withoutReceiver(s))) {
				continue
			}
			for p := range own.signature.Params().Variables() {
				_, slice := p.Type().Underlying().(*types.Slice)
				if slice {
					l.mark(p, lends)
				}
				l.mark(p, all)
			}
		}
	}
}

// changeAll refuses to write elements of e if that is memory that must not be written.
func (l *loans) changeAll(e ast.Expr) {
	var elem types.Type
	switch u := core(l.typeOf(e)).(type) {
	case *types.Slice:
		elem = u.Elem()
	case *types.Interface:
		return
	}
	if elem != nil && !carries(elem) && l.value(e)&written != 0 {
		l.refuse(e.Pos(), "this writes into memory that was lent for reading, or behind it")
	}
}
