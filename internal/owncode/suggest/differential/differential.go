// Package differential compares functions with their edited versions on drawn inputs. It writes a test file that has
// the functions as they were under another name, and draws the arguments of both from the same seeds.
//
// Only functions are called whose parameters and results are data and that cannot reach files, the network or other
// processes. Otherwise a drawn argument could be the name of a file, which the function removes.
package differential

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// File is the base name of the test file, and Test the name of its test.
const (
	File = "zz_checkalloc_drawn_test.go"
	Test = "TestZZCheckallocDrawn"
)

// A Package is a package that was type-checked.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	Types *types.Package
	Info  *types.Info
	Texts map[string][]byte // by base name
}

// text returns the source of a node.
func (p *Package) text(n ast.Node) string {
	f := p.Fset.File(n.Pos())
	return string(p.Texts[f.Name()][f.Offset(n.Pos()):f.Offset(n.End())])
}

// A function is a declaration and what it declares.
type function struct {
	decl   *ast.FuncDecl
	file   *ast.File
	object *types.Func
}

// functions returns the functions and methods outside of tests by name, "f" or "(*T).m".
func (p *Package) functions() map[string]function {
	all := map[string]function{}
	for _, file := range p.Files {
		if strings.HasSuffix(p.Fset.File(file.FileStart).Name(), "_test.go") {
			continue
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Name.Name == "init" || decl.Name.Name == "_" {
				continue
			}
			if object, ok := p.Info.Defs[decl.Name].(*types.Func); ok {
				all[nameOf(object)] = function{decl, file, object}
			}
		}
	}
	return all
}

func nameOf(f *types.Func) string {
	if recv := f.Signature().Recv(); recv != nil {
		return "(" + types.TypeString(recv.Type(), func(*types.Package) string { return "" }) + ")." + f.Name()
	}
	return f.Name()
}

// TestFile returns the test that compares the functions of a package with what an edit has made of them. It is nil if
// none can be compared.
func TestFile(old, new *Package) []byte {
	before, after := old.functions(), new.functions()
	w := &writer{old: old, copies: map[types.Object]string{}, imports: map[string]string{}, draws: map[string]string{}}
	var changed []string // in order
	for _, name := range slices.Sorted(maps.Keys(before)) {
		f := before[name]
		if g, ok := after[name]; ok && old.text(f.decl) == new.text(g.decl) {
			continue
		}
		s := f.object.Signature()
		if f.decl.Body == nil || s.TypeParams() != nil || s.RecvTypeParams() != nil {
			return nil
		}
		changed = append(changed, name)
		w.copies[f.object] = f.decl.Name.Name + "BeforeEdit"
	}
	for _, name := range changed {
		if !w.copyOf(before[name]) {
			return nil
		}
	}
	cases := 0
	for _, name := range changed {
		f, g := before[name], after[name]
		if g.decl == nil || signature(old, f.decl) != signature(new, g.decl) || !old.reachesNothing(f) ||
			!new.reachesNothing(g) {
			continue
		}
		if w.addCase(cases, name, f) {
			cases++
		}
	}
	if cases == 0 {
		return nil
	}
	return w.file(cases)
}

// signature returns the receiver, the parameters and the results as text.
func signature(p *Package, decl *ast.FuncDecl) string {
	text := p.text(decl.Type)
	if decl.Recv != nil {
		text = p.text(decl.Recv) + text
	}
	return text
}

// A writer collects the parts of the test file.
type writer struct {
	old     *Package
	copies  map[types.Object]string // the names of the functions as they were
	imports map[string]string       // paths by name
	draws   map[string]string       // functions that draw a value, by type
	named   int                     // how many of these have a name
	code    bytes.Buffer
}

// copyOf writes a function as it was, under its other name. If a copy calls a function that has changed too, it calls
// that function's copy.
func (w *writer) copyOf(f function) bool {
	source := w.old.text(f.decl)
	base := f.decl.Pos()
	var b strings.Builder
	at, fine := 0, true
	ast.Inspect(f.decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		object := w.old.Info.ObjectOf(id)
		if pkg, ok := object.(*types.PkgName); ok {
			if was, known := w.imports[pkg.Name()]; known && was != pkg.Imported().Path() {
				fine = false
			}
			w.imports[pkg.Name()] = pkg.Imported().Path()
		} else if object != nil && object.Pkg() != nil && object.Pkg() != w.old.Types &&
			object.Parent() == object.Pkg().Scope() {
			// An exported name of another package is qualified, unless that is imported as ".".
			fine = fine && w.qualified(f.decl, id)
		}
		if name, ok := w.copies[object]; ok {
			start := int(id.Pos() - base)
			b.WriteString(source[at:start] + name)
			at = start + len(id.Name)
		}
		return true
	})
	b.WriteString(source[at:])
	fmt.Fprintf(&w.code, "\n%s\n", b.String())
	return fine
}

func (w *writer) qualified(in ast.Node, id *ast.Ident) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel == id {
			found = true
		}
		return !found
	})
	return found
}

// A call collects the parts of the function that calls one function with drawn arguments. They are source text.
type call struct {
	arguments []string // variables, with the receiver first if there is one
	drawn     []string // statements that draw them
	values    []string // their values as text
	results   []string // variables
	texts     []string // the results as text
}

// addCase writes a function that draws arguments, calls the function or its copy, and returns both as text. It reports
// whether the parameters and results allow that.
func (w *writer) addCase(n int, name string, f function) bool {
	s := f.object.Signature()
	if s.Variadic() && s.Params().Len() == 0 || s.Results().Len() == 0 && s.Params().Len() == 0 && s.Recv() == nil {
		return false
	}
	var c call
	if recv := s.Recv(); recv != nil && !w.addArgument(&c, recv.Type()) {
		return false
	}
	for v := range s.Params().Variables() {
		if !w.addArgument(&c, v.Type()) {
			return false
		}
	}
	for v := range s.Results().Variables() {
		if !c.addResult(v.Type()) {
			return false
		}
	}
	values := strings.Join(c.values, ", ")
	fmt.Fprintf(&w.code, `
func drawnCase%d(drawnSeed int64, drawnOld bool) (drawnInput, drawnOutput string) {
	drawnRand := drawnrand.New(drawnrand.NewSource(drawnSeed))
	_ = drawnRand
	%s
	drawnInput = %q + "(" + drawnJoin(%s) + ")"
	drawnOutput = drawnOutcome(func() string {
		if drawnOld {
			%s
		}
		%s
	})
	return drawnInput, drawnOutput + drawnAfter(%s)
}
`, n, strings.Join(c.drawn, "\n\t"), name, values,
		c.statements(s, w.copies[f.object]), c.statements(s, f.object.Name()), values)
	return true
}

// addArgument adds an argument of type t, or reports that there is none.
func (w *writer) addArgument(c *call, t types.Type) (ok bool) {
	arg := fmt.Sprintf("drawnArg%d", len(c.arguments))
	value := arg
	if p, isPointer := t.(*types.Pointer); isPointer {
		t, value = p.Elem(), "*"+arg
	}
	draw, ok := w.draw(t)
	if !ok || !printable(t, map[types.Type]bool{}) {
		return false
	}
	if value != arg {
		c.drawn = append(c.drawn, fmt.Sprintf("%sValue := %s(drawnRand, 0)\n\t%s := &%[1]sValue", arg, draw, arg))
	} else {
		c.drawn = append(c.drawn, fmt.Sprintf("%s := %s(drawnRand, 0)", arg, draw))
	}
	c.arguments = append(c.arguments, arg)
	c.values = append(c.values, "drawnText("+value+")")
	return true
}

// addResult adds a result of type t, or reports that it has no text.
func (c *call) addResult(t types.Type) (ok bool) {
	r := fmt.Sprintf("drawnResult%d", len(c.results))
	switch {
	case types.Identical(t, types.Universe.Lookup("error").Type()):
		c.texts = append(c.texts, "drawnError("+r+")")
	case printable(t, map[types.Type]bool{}):
		c.texts = append(c.texts, "drawnText("+r+")")
	default:
		return false
	}
	c.results = append(c.results, r)
	return true
}

// statements calls the named function, which has the signature s, and returns the text of its results.
func (c *call) statements(s *types.Signature, function string) string {
	arguments := c.arguments
	if s.Recv() != nil {
		function = arguments[0] + "." + function
		arguments = arguments[1:]
	}
	list := strings.Join(arguments, ", ")
	if s.Variadic() {
		list += "..."
	}
	text := function + "(" + list + ")\n"
	if len(c.results) > 0 {
		text = strings.Join(c.results, ", ") + " := " + text
	}
	return text + "return drawnJoin(" + strings.Join(c.texts, ", ") + ")\n"
}

// file returns the test file.
func (w *writer) file(cases int) []byte {
	for _, name := range slices.Sorted(maps.Keys(w.draws)) {
		w.code.WriteString(w.draws[name])
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n\tdrawnfmt \"fmt\"\n\tdrawnrand \"math/rand\"\n"+
		"\tdrawnruntime \"runtime\"\n\tdrawntesting \"testing\"\n\tdrawntime \"time\"\n", w.old.Types.Name())
	for _, name := range slices.Sorted(maps.Keys(w.imports)) {
		if bytes.Contains(w.code.Bytes(), []byte(name+".")) {
			fmt.Fprintf(&b, "\t%s %q\n", name, w.imports[name])
		}
	}
	b.WriteString(")\n")
	b.Write(w.code.Bytes())
	fmt.Fprintf(&b, "\nfunc %s(t *drawntesting.T) {\n", Test)
	fmt.Fprintf(&b, "\tdrawnEnd := drawntime.Now().Add(%d)\n\tdrawnAgreed := 0\n", mostTime)
	for i := range cases {
		fmt.Fprintf(&b, "\tif drawnDiffers(drawnCase%d, drawnEnd, &drawnAgreed) {\n\t\treturn\n\t}\n", i)
	}
	fmt.Fprintf(&b, "\tdrawnfmt.Printf(%q, drawnAgreed, \"\", \"\", \"\")\n}\n", marker+" %d %q %q %q\n")
	b.WriteString(runtimeText)
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil
	}
	return text
}
