package why

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
)

// A callGraph is the call graph of a package. It is based on names alone, without types, and therefore
// over-approximates: it follows every declaration with a name that occurs in a function's body.
type callGraph struct {
	importPath string
	fset       *token.FileSet
	named      map[string][]declaration // by name; methods by the name of their type
	inits      []declaration            // func init
}

type declaration struct {
	node    ast.Node
	imports map[string]string // the imports of its file: path by name
}

// newCallGraph parses the package's files. It leaves out files that do not parse, since the compiler rejects those too.
func newCallGraph(p *Package) *callGraph {
	g := &callGraph{
		importPath: p.ImportPath,
		fset:       token.NewFileSet(),
		named:      map[string][]declaration{},
	}
	for name, text := range p.Files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(g.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		imports := map[string]string{}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				name := PackageName(path)
				if path == p.ImportPath {
					name = strings.TrimSuffix(file.Name.Name, "_test")
				}
				if spec.Name != nil {
					name = spec.Name.Name
				}
				imports[name] = path
			}
		}
		for _, d := range file.Decls {
			g.declare(d, imports)
		}
	}
	return g
}

func (g *callGraph) declare(d ast.Decl, imports map[string]string) {
	add := func(name string, node ast.Node) { g.named[name] = append(g.named[name], declaration{node, imports}) }
	switch d := d.(type) {
	case *ast.FuncDecl:
		switch {
		case d.Recv != nil && len(d.Recv.List) == 1:
			// Code that uses the type may call the method, directly or through an interface.
			ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					add(id.Name, d)
				}
				return true
			})
		case d.Name.Name == "init":
			g.inits = append(g.inits, declaration{d, imports})
		default:
			add(d.Name.Name, d)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name.Name, spec)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					add(name.Name, spec)
				}
			}
		}
	}
}

// reachableFrom returns the declarations reachable from the named function, its own included.
func (g *callGraph) reachableFrom(name string) []declaration {
	found := slices.Concat(g.inits, g.named[name])
	seen := map[ast.Node]bool{}
	seenNames := map[string]bool{name: true}
	for i := 0; i < len(found); i++ {
		if seen[found[i].node] {
			continue
		}
		seen[found[i].node] = true
		imports := found[i].imports
		ast.Inspect(found[i].node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && imports[x.Name] != "" && imports[x.Name] != g.importPath {
					return false // another package's
				}
			case *ast.Ident:
				if !seenNames[n.Name] {
					seenNames[n.Name] = true
					found = append(found, g.named[n.Name]...)
				}
			}
			return true
		})
	}
	return found
}

// withoutInitializers replaces each variable by the function literals in its initial value: the rest of that value was
// computed before any benchmark ran.
func withoutInitializers(list []declaration) []declaration {
	var found []declaration
	for _, d := range list {
		if _, ok := d.node.(*ast.ValueSpec); !ok {
			found = append(found, d)
			continue
		}
		ast.Inspect(d.node, func(n ast.Node) bool {
			f, ok := n.(*ast.FuncLit)
			if ok {
				found = append(found, declaration{f, d.imports})
			}
			return !ok
		})
	}
	return found
}

// nonAllocating are calls that cannot allocate without a -m diagnostic: builtin functions, conversions to basic types,
// methods of *testing.B, and the functions that the harness calls in place of those methods.
var nonAllocating = []string{
	"cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min", "new", "panic", "print",
	"println", "real", "recover",

	"any", "bool", "byte", "complex128", "complex64", "error", "float32", "float64", "int", "int16", "int32", "int64",
	"int8", "rune", "string", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr",

	"Cleanup", "Elapsed", "Helper", "Loop", "ReportAllocs", "ResetTimer", "SetBytes", "StartTimer", "StopTimer",
	"zzTimed", "zzStopped", "zzStarted",
}

// mayAllocate reports whether e may allocate without a diagnostic in this package: a call of append, of a function of
// another package, or of a function value.
func (g *callGraph) mayAllocate(e *ast.CallExpr, d declaration) bool {
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		return !slices.Contains(nonAllocating, f.Name) && g.named[f.Name] == nil
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && d.imports[x.Name] == g.importPath {
			return false
		}
		return !slices.Contains(nonAllocating, f.Sel.Name)
	case *ast.FuncLit, *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.ChanType, *ast.FuncType, *ast.StarExpr:
		return false
	}
	return true
}

// tinyAllocSites counts, for each line reachable from a benchmark, what may allocate a tiny object (under 16 bytes,
// without pointers): heap values that the compiler announces, and calls, each of which counts for several. If own is
// true, test files are left out: an exercise's own tests are written not to allocate.
func (g *callGraph) tinyAllocSites(
	benchmark string,
	escapes []escape.Diagnostic,
	own bool,
	typeOf typeFunc,
) map[sourceLine]int {
	const many = 2
	found := map[sourceLine]int{}
	reached := map[sourceLine]bool{}
	for _, d := range withoutInitializers(g.reachableFrom(benchmark)) {
		first, last := g.fset.Position(d.node.Pos()), g.fset.Position(d.node.End())
		if own && strings.HasSuffix(first.Filename, "_test.go") {
			continue
		}
		for line := first.Line; line <= last.Line; line++ {
			reached[sourceLine{first.Filename, line}] = true
		}
		ast.Inspect(d.node, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && g.mayAllocate(call, d) {
				at := g.fset.Position(call.Pos())
				found[sourceLine{at.Filename, at.Line}] += many
			}
			return true
		})
	}
	inlined := map[position]bool{}
	for _, d := range escapes {
		if escape.InlinesCall(d) {
			inlined[positionOf(d)] = true
		}
	}
	for _, d := range escapes {
		// At an inlined call the compiler repeats the diagnostics of the callee's own lines, or reports values of
		// another package.
		if at := positionOf(d); reached[at.sourceLine] && !inlined[at] && IsHeapDiagnostic(d) &&
			!hasPointers(escape.Subject(d)) {
			if v, known := typeOf(d); !known || mayBeTiny(v) {
				found[at.sourceLine]++
			}
		}
	}
	return found
}

// hasPointers reports whether the heap value of an expression, as the compiler prints it, certainly contains pointers.
func hasPointers(expr string) bool {
	return expr == "func literal" || slices.ContainsFunc([]string{"map[", "make(map", "make(chan", "[]*", "[]string{",
		"[]any{", "[]interface {}{"},
		func(begin string) bool { return strings.HasPrefix(expr, begin) })
}
