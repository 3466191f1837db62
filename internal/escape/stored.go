package escape

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"slices"
	"strings"
)

// MarkStorage sets Stored in the diagnostics on values that escape, or do not, where the message leaves open what is
// stored: "T{...} escapes to heap" is about a copy in an interface if T is a struct, and about an array if T is a
// slice. stored tells it, and returns Other if it does not know. A step that stores the value in an interface is added
// to the flow of a value that is boxed.
func MarkStorage(diagnostics []Diagnostic, stored func(Diagnostic) Storage) {
	for i := range diagnostics {
		d := &diagnostics[i]
		if d.Kind != Escape && d.Kind != Stays || d.Stored != Other || !open(*d) {
			continue
		}
		if d.Stored = stored(*d); d.Stored != Boxed || d.Kind != Escape {
			continue
		}
		subject := Subject(*d)
		d.Flow = slices.Clone(d.Flow) // other copies of the diagnostic may share it
		for j := range d.Flow {
			if s := &d.Flow[j]; s.Message == "" && s.Text == "from "+subject+" (spill)" {
				s.Message = shown(unqualified(subject, d.inlined)) + " is stored in an interface"
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

// ParseSource parses the Go files among files, by name, as far as they can be parsed.
func ParseSource(files map[string][]byte) (parsed []*ast.File) {
	for name, text := range files {
		if strings.HasSuffix(name, ".go") {
			if file, _ := goparser.ParseFile(token.NewFileSet(), "", text, goparser.SkipObjectResolution); file != nil {
				parsed = append(parsed, file)
			}
		}
	}
	return parsed
}

// StoredIn returns a function for MarkStorage that knows what the given files of a package declare: the types of its
// structs, arrays, slices, maps and channels, and fields. It needs no types, and answers Other for what other packages
// declare.
func StoredIn(files []*ast.File) func(Diagnostic) Storage {
	all := declared{types: map[string][]ast.Expr{}, fields: map[string]bool{}, methods: map[string]bool{}}
	for _, file := range files {
		all.add(file)
	}
	return func(d Diagnostic) Storage {
		subject := Subject(d)
		t, isType := literalType(subject)
		if callee, args, ok := call(subject); ok && callee == "make" {
			t, _, _ = cutTop(args, ", ")
			isType = true
		}
		if kind, _ := storageOf(subject); kind == Pointee {
			_, args, isNew := call(subject)
			if pointee := strings.TrimPrefix(t, "&"); isType && all.storage(pointee, 0) == Empty ||
				isNew && (args == "struct {}" || all.storage(args, 0) == Empty) || pointee == "struct {}" {
				return Empty
			}
			return Other
		}
		if isType {
			t, _, _ = strings.Cut(t, "[")
			return all.storage(t, 0)
		}
		if _, name, ok := cutLast(subject, "."); ok && all.fields[name] && !all.methods[name] { // not a method value
			return Boxed
		}
		return Other
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

// storage returns what a literal of the type of that name has storage for, Other unless all types of that name agree.
func (a *declared) storage(name string, depth int) (all Storage) {
	const most = 10 // of types that are declared as one another, which may be a cycle
	if depth == most {
		return Other
	}
	for i, t := range a.types[name] {
		kind := Other
		switch t := ast.Unparen(t).(type) {
		case *ast.StructType:
			if kind = Boxed; len(t.Fields.List) == 0 {
				kind = Empty
			}
		case *ast.ArrayType:
			if kind = Array; t.Len != nil {
				kind = Boxed
			}
		case *ast.MapType:
			kind = Map
		case *ast.ChanType:
			kind = Channel
		case *ast.Ident:
			kind = a.storage(t.Name, depth+1)
		case *ast.IndexExpr: // of a generic type
			if generic, ok := t.X.(*ast.Ident); ok {
				kind = a.storage(generic.Name, depth+1)
			}
		}
		if i > 0 && kind != all {
			return Other
		}
		all = kind
	}
	return all
}
