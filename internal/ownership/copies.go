package ownership

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

const (
	whyBuilder = "the strings that were handed out share the Builder's memory, so writing to a copy can change them"
	whyBuffer  = "copy and original write into the same memory"
	whyLock    = "a copy has a state of its own and no longer guards what the original guards"
)

// uncopied has the types whose values must not be copied after first use, with the reason.
var uncopied = map[string]string{
	"strings.Builder": whyBuilder,
	"bytes.Buffer":    whyBuffer, "bufio.Reader": whyBuffer, "bufio.Scanner": whyBuffer, "bufio.Writer": whyBuffer,
	"sync.Cond": whyLock, "sync.Map": whyLock, "sync.Mutex": whyLock, "sync.Once": whyLock, "sync.Pool": whyLock,
	"sync.RWMutex": whyLock, "sync.WaitGroup": whyLock,
	"sync/atomic.Bool": whyLock, "sync/atomic.Int32": whyLock, "sync/atomic.Int64": whyLock,
	"sync/atomic.Pointer": whyLock, "sync/atomic.Uint32": whyLock,
	"sync/atomic.Uint64": whyLock, "sync/atomic.Uintptr": whyLock, "sync/atomic.Value": whyLock,
}

// uncopyable returns the type in uncopied that a value of type t is or contains, "" for none.
func (c *checker) uncopyable(t types.Type) string {
	if t == nil {
		return ""
	}
	if name, ok := c.copied[t]; ok {
		return name
	}
	if c.copied == nil {
		c.copied = map[types.Type]string{}
	}
	c.copied[t] = ""
	name := ""
	switch u := t.Underlying().(type) {
	case *types.Array:
		name = c.uncopyable(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hidden, ok := strings.CutPrefix(f.Name(), hiddenField); ok && c.isExternal(f) &&
				uncopied[f.Pkg().Path()+"."+hidden] != "" {
				name = f.Pkg().Path() + "." + hidden
			} else if name == "" {
				name = c.uncopyable(f.Type())
			}
		}
	}
	c.copied[t] = name
	return name
}

// copies finds copies of values that must not be copied: by assigning, passing, returning or sending them, or passing
// them to generic code.
func (c *checker) copies(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, e := range n.Rhs {
				if id, ok := n.Lhs[i].(*ast.Ident); !ok || id.Name != "_" || len(n.Lhs) != len(n.Rhs) {
					c.reportValues(e)
				}
			}
		case *ast.ValueSpec:
			c.reportValues(n.Values...)
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if pair, ok := e.(*ast.KeyValueExpr); ok {
					e = pair.Value
				}
				c.reportValues(e)
			}
		case *ast.ReturnStmt:
			c.reportValues(n.Results...)
		case *ast.SendStmt:
			c.reportValues(n.Value)
		case *ast.CallExpr:
			c.callCopies(n)
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil {
					c.reportType(e.Pos(), c.typeOf(e), "this loop copies")
				}
			}
		case *ast.CaseClause:
			if v := c.info.Implicits[n]; v != nil {
				c.reportType(n.Pos(), v.Type(), "this case copies")
			}
		case *ast.FuncDecl:
			for f := range fields(n.Recv) {
				c.reportType(f.Pos(), c.typeOf(f.Type), "this receiver is a copy of")
			}
		case *ast.FuncType:
			for f := range fields(n.Params) {
				c.reportType(f.Pos(), c.typeOf(f.Type), "this parameter is a copy of")
			}
			for f := range fields(n.Results) {
				if len(f.Names) > 0 {
					c.reportType(f.Pos(), c.typeOf(f.Type), "this result is a copy of")
				}
			}
		}
		return true
	})
	c.instances(file, func(id *ast.Ident, generic types.Object, argument types.Type) {
		if _, isType := generic.(*types.TypeName); isType && c.isExternal(generic) {
			return // atomic.Pointer[T] and iter.Seq[T] hold no T
		}
		c.reportType(id.Pos(), argument, "generic code may copy its values, and here it gets")
	})
}

// callCopies finds the copies that a call or conversion makes of its arguments.
func (c *checker) callCopies(call *ast.CallExpr) {
	name := c.builtin(call)
	switch {
	case c.isConversion(call):
		if types.IsInterface(c.typeOf(call)) {
			c.reportValues(call.Args[0])
		}
	case name == "copy":
		c.reportElements(call.Args[0])
	case name == "len" || name == "cap" || name == "new":
	default:
		c.reportValues(call.Args...)
		if name == "append" && call.Ellipsis.IsValid() {
			c.reportElements(call.Args[1])
		}
	}
}

// reportValues reports the expressions whose values must not be copied, except for values without another reference.
func (c *checker) reportValues(expressions ...ast.Expr) {
	for _, e := range expressions {
		if e != nil && !c.unshared(e) {
			c.reportType(e.Pos(), c.typeOf(e), "this copies")
		}
	}
}

// reportElements reports a slice whose elements must not be copied.
func (c *checker) reportElements(slice ast.Expr) {
	if s, ok := core(c.typeOf(slice)).(*types.Slice); ok {
		c.reportType(slice.Pos(), s.Elem(), "this copies elements, each")
	}
}

// reportType reports a copy at pos if values of type t must not be copied. The finding begins with how it is made.
func (c *checker) reportType(pos token.Pos, t types.Type, how string) {
	name := c.uncopyable(t)
	if name == "" {
		return
	}
	name, why := name[strings.LastIndex(name, "/")+1:], uncopied[name]
	what := "a " + name
	if strings.HasPrefix(name, "atomic.") {
		what = "an " + name
	}
	if s := c.typeName(t); s != name && !strings.ContainsAny(s, "{ ") {
		what = s + ", which holds " + what
	}
	c.report(pos, "%s %s, which is not allowed here: %s: use a pointer", how, what, why)
}

// unshared reports whether e is the only reference to its value, as for a literal or the result of a call.
func (c *checker) unshared(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		return !c.isConversion(e) || c.unshared(e.Args[0])
	case *ast.StarExpr:
		// *bytes.NewBuffer(data)
		call, ok := ast.Unparen(e.X).(*ast.CallExpr)
		if !ok {
			return false
		}
		if c.builtin(call) == "new" {
			return true
		}
		f := c.callee(call)
		return c.isExternal(f) && f.Signature().Recv() == nil && strings.HasPrefix(f.Name(), "New")
	}
	return false
}

// core returns the underlying type of t or, if t is a type parameter whose constraint has a core type, the underlying
// type of that core type.
func core(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		if i, ok := p.Constraint().Underlying().(*types.Interface); ok {
			for e := range i.EmbeddedTypes() {
				if u, ok := e.(*types.Union); ok && u.Len() > 0 {
					return core(u.Term(0).Type())
				}
				return core(e)
			}
		}
	}
	return t.Underlying()
}
