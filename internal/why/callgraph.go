package why

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/harness"
)

// A callGraph is the call graph of a package. It is based on names alone, without types, and therefore
// over-approximates: it follows every declaration with a name that occurs in a function's body.
//
// It is needed where tiny objects share blocks: if a single line opened blocks, its count is exact unless another line
// that the benchmark reaches may have put objects into them. Without the graph each such count would be an estimate: of
// the 23 lines with tiny objects whose count TestCauses and TestCounts know, 20 are exact.
type callGraph struct {
	pkg   *Package
	named map[string][]declaration // by name; methods by the name of their type
	inits []declaration            // func init
}

type declaration struct {
	node    ast.Node
	imports map[string]string // the imports of its file: path by name
}

// newCallGraph leaves out files that do not parse, since the compiler rejects those too.
func newCallGraph(p *Package) *callGraph {
	g := &callGraph{pkg: p, named: map[string][]declaration{}}
	for name := range p.Files {
		file := p.file(name)
		if file == nil {
			continue
		}
		imports := map[string]string{}
		for _, spec := range file.Imports {
			path := harness.Imported(spec)
			name := PackageName(path)
			if path == p.ImportPath {
				name = strings.TrimSuffix(file.Name.Name, "_test")
			}
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = path
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
				if x, ok := n.X.(*ast.Ident); ok && imports[x.Name] != "" && imports[x.Name] != g.pkg.ImportPath {
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

// benchmarkMethods are the methods of *testing.B that cannot allocate.
var benchmarkMethods = []string{"Cleanup", "Elapsed", "Helper", "Loop", "ReportAllocs", "ResetTimer", "SetBytes",
	"StartTimer", "StopTimer"}

// mayAllocate reports whether e may allocate without a diagnostic in this package: a call of append, of a function of
// another package, or of a function value. Other builtin functions, and conversions, do not.
func (g *callGraph) mayAllocate(e *ast.CallExpr, d declaration) bool {
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		return g.named[f.Name] == nil && (types.Universe.Lookup(f.Name) == nil || f.Name == "append")
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && d.imports[x.Name] == g.pkg.ImportPath {
			return false
		}
		inTest := strings.HasSuffix(g.pkg.Fset.Position(e.Pos()).Filename, "_test.go")
		return !inTest || !slices.Contains(benchmarkMethods, f.Sel.Name)
	case *ast.FuncLit, *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.ChanType, *ast.FuncType, *ast.StarExpr:
		return false
	}
	return true
}

// tinyAllocSites counts, for each line reachable from a benchmark, what may allocate a tiny object (under 16 bytes,
// without pointers): heap values that the compiler reports, and calls, each of which counts for several. The test files
// of an exercise are left out: they are written not to allocate.
func (g *callGraph) tinyAllocSites(benchmark string) map[sourceLine]int {
	const many = 2
	found := map[sourceLine]int{}
	reached := map[sourceLine]bool{}
	for _, d := range withoutInitializers(g.reachableFrom(benchmark)) {
		first, last := g.pkg.Fset.Position(d.node.Pos()), g.pkg.Fset.Position(d.node.End())
		if g.pkg.Exercise && strings.HasSuffix(first.Filename, "_test.go") {
			continue
		}
		for line := first.Line; line <= last.Line; line++ {
			reached[sourceLine{first.Filename, line}] = true
		}
		ast.Inspect(d.node, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && g.mayAllocate(call, d) {
				at := g.pkg.Fset.Position(call.Pos())
				found[sourceLine{at.Filename, at.Line}] += many
			}
			return true
		})
	}
	inlined := map[position]bool{}
	for _, d := range g.pkg.Diagnostics {
		if escape.InlinesCall(d) {
			inlined[positionOf(d)] = true
		}
	}
	for _, d := range g.pkg.Diagnostics {
		// At an inlined call the compiler repeats the diagnostics of the callee's own lines, or reports values of
		// another package.
		if at := positionOf(d); reached[at.sourceLine] && !inlined[at] && IsHeapDiagnostic(d) &&
			!hasPointers(escape.Subject(d)) {
			found[at.sourceLine]++
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
