package escape

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"slices"
	"strings"
)

// MarkBoxed sets Boxed in the diagnostics for which isBoxed is true, and adds the step that stores the value in an
// interface to their flows. It calls isBoxed only where the message leaves open what is on the heap: "T{...} escapes
// to heap" is about a copy in an interface if T is a struct, and about an array if T is a slice.
func MarkBoxed(diagnostics []Diagnostic, isBoxed func(Diagnostic) bool) {
	for i := range diagnostics {
		d := &diagnostics[i]
		if d.Kind != Escape || d.Boxed || StorageOf(*d) != Other || !isBoxed(*d) {
			continue
		}
		d.Boxed = true
		subject := Subject(*d)
		d.Flow = slices.Clone(d.Flow) // other copies of the diagnostic may share it
		for j := range d.Flow {
			if s := &d.Flow[j]; s.Message == "" && s.Text == "from "+subject+" (spill)" {
				s.Message = shown(subject) + " is stored in an interface"
			}
		}
	}
}

// A declared is what the files of a package declare, by name.
type declared struct {
	types   map[string][]ast.Expr
	fields  map[string]bool
	methods map[string]bool
}

// BoxedIn returns a function for MarkBoxed that knows what the given files of a package declare: its structs and
// arrays, and their fields. It needs no types, and answers false for what other packages declare.
func BoxedIn(files map[string][]byte) func(Diagnostic) bool {
	all := declared{types: map[string][]ast.Expr{}, fields: map[string]bool{}, methods: map[string]bool{}}
	for name, text := range files {
		if strings.HasSuffix(name, ".go") {
			if file, _ := goparser.ParseFile(token.NewFileSet(), "", text, goparser.SkipObjectResolution); file != nil {
				all.add(file)
			}
		}
	}
	return func(d Diagnostic) bool {
		subject := Subject(d)
		if t, ok := literalType(subject); ok {
			t, _, _ = strings.Cut(t, "[")
			return all.value(t, 0)
		}
		_, name, ok := cutLast(subject, ".")
		return ok && all.fields[name] && !all.methods[name] // not a method value
	}
}

func (a *declared) add(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil {
				a.methods[n.Name.Name] = true
			}
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					a.methods[name.Name] = true
				}
			}
		case *ast.TypeSpec:
			a.types[n.Name.Name] = append(a.types[n.Name.Name], n.Type)
		case *ast.StructType:
			for _, f := range n.Fields.List {
				for _, name := range f.Names {
					a.fields[name.Name] = true
				}
			}
		}
		return true
	})
}

// value reports whether all types of that name are structs with fields, or arrays.
func (a *declared) value(name string, depth int) bool {
	const most = 10 // of types that are declared as one another, which may be a cycle
	types := a.types[name]
	return len(types) > 0 && depth < most && !slices.ContainsFunc(types, func(t ast.Expr) bool {
		switch t := ast.Unparen(t).(type) {
		case *ast.StructType:
			return len(t.Fields.List) == 0
		case *ast.ArrayType:
			return t.Len == nil
		case *ast.Ident:
			return !a.value(t.Name, depth+1)
		case *ast.IndexExpr: // of a generic type
			generic, ok := t.X.(*ast.Ident)
			return !ok || !a.value(generic.Name, depth+1)
		}
		return true
	})
}
