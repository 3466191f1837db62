package benchmark

import (
	"bytes"
	"fmt"
	"go/build/constraint"
	"go/format"
	"go/token"
	"go/types"
	"go/version"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"onthestack/internal/owncode/userpkg"
)

// A writer writes the file of one benchmark.
type writer struct {
	program *program
	f       *function
	name    string            // of the benchmark
	taken   map[string]bool   // names that would hide another one, or be hidden
	imports map[string]string // names by import path
	renamed map[string]bool   // import paths whose name is not the package's own
	text    string            // the name of the constant with a text, "" for none
	parts   int               // that the present input has so far
	setup   []string          // statements before the loop
	each    []string          // statements before each call
	missing []string
}

func newWriter(p *program, f *function, name string) *writer {
	w := &writer{program: p, f: f, name: name, taken: map[string]bool{"b": true, "i": true}, imports: map[string]string{},
		renamed: map[string]bool{}}
	for _, names := range [][]string{p.types.Scope().Names(), types.Universe.Names()} {
		for _, name := range names {
			w.taken[name] = true
		}
	}
	w.pkg("testing", "testing")
	return w
}

// pkg returns the name of an imported package.
func (w *writer) pkg(importPath, name string) string {
	known, ok := w.imports[importPath]
	if !ok {
		known = w.unused(name)
		w.imports[importPath] = known
		w.renamed[importPath] = known != name
	}
	return known
}

// typ writes a type, and imports what it needs.
func (w *writer) typ(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.program.types {
			return ""
		}
		return w.pkg(p.Path(), p.Name())
	})
}

// short qualifies the name of a type for a reader.
func (w *writer) short(p *types.Package) string {
	if p == w.program.types {
		return ""
	}
	return p.Name()
}

var imported = regexp.MustCompile(`\{([a-z/]+)\}\.`)

// fill completes a part of a recipe.
func (w *writer) fill(part string) string {
	part = imported.ReplaceAllStringFunc(part, func(m string) string {
		importPath := m[1 : len(m)-2]
		return w.pkg(importPath, path.Base(importPath)) + "."
	})
	if strings.Contains(part, "TEXT") {
		if w.text == "" {
			w.text = w.unused("text")
		}
		part = strings.ReplaceAll(part, "TEXT", w.text)
	}
	return part
}

// unused returns a name that is not taken, and takes it.
func (w *writer) unused(name string) string {
	free := name
	for i := 2; w.taken[free] || token.IsKeyword(free); i++ {
		free = fmt.Sprintf("%s%d", name, i)
	}
	w.taken[free] = true
	return free
}

// variable returns the name of the variable for a parameter, which may have none.
func (w *writer) variable(name string, t types.Type) string {
	if name == "" || name == "_" {
		name = "input"
		if named, ok := types.Unalias(withoutPointer(t)).(*types.Named); ok {
			first, size := utf8.DecodeRuneInString(named.Obj().Name())
			name = string(unicode.ToLower(first)) + named.Obj().Name()[size:]
		}
	}
	return w.unused(name)
}

// nameable reports whether a type can be written in another file of the package.
func (w *writer) nameable(t types.Type) bool {
	switch t := t.(type) {
	case *types.Alias:
		return w.visible(t.Obj()) || w.nameable(types.Unalias(t))
	case *types.Named:
		if !w.visible(t.Obj()) {
			return false
		}
		for argument := range t.TypeArgs().Types() {
			if !w.nameable(argument) {
				return false
			}
		}
		return true
	case *types.Basic:
		return t.Kind() != types.Invalid // of cgo, for example
	case *types.Map:
		return w.nameable(t.Key()) && w.nameable(t.Elem())
	case interface{ Elem() types.Type }: // a pointer, a slice, an array or a channel
		return w.nameable(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !w.nameable(f.Type()) || !f.Exported() && f.Pkg() != w.program.types {
				return false
			}
		}
	case *types.Signature:
		for _, all := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range all.Variables() {
				if !w.nameable(v.Type()) {
					return false
				}
			}
		}
	}
	return true
}

// visible reports whether the package can name a type: it is predeclared, its own at package level, or exported.
func (w *writer) visible(o *types.TypeName) bool {
	switch {
	case o.Pkg() == nil:
		return true
	case o.Pkg() == w.program.types:
		return o.Parent() == o.Pkg().Scope()
	}
	return o.Exported()
}

// declaredInTest reports whether a function is declared in a test file.
func (w *writer) declaredInTest(f *types.Func) bool {
	return strings.HasSuffix(w.program.fset.Position(f.Pos()).Filename, "_test.go")
}

// file returns the text of the file.
func (w *writer) file() ([]byte, error) {
	called, err := w.call()
	if err != nil {
		return nil, err
	}
	made := len(w.setup) > 0
	sinks, loop := w.loop(called)
	var b bytes.Buffer
	if line := w.constraint(); line != "" {
		fmt.Fprintf(&b, "%s\n\n", line)
	}
	fmt.Fprintf(&b, "package %s\n\nimport (\n", w.program.Name)
	for _, importPath := range slices.Sorted(maps.Keys(w.imports)) {
		if w.renamed[importPath] {
			fmt.Fprintf(&b, "%s ", w.imports[importPath])
		}
		fmt.Fprintf(&b, "%q\n", importPath)
	}
	b.WriteString(")\n\n")
	if len(sinks) > 0 {
		b.WriteString("// Results are kept, as callers keep them: otherwise they might stay on the stack.\nvar (\n")
		b.WriteString(strings.Join(sinks, "\n") + "\n)\n\n")
	}
	fmt.Fprintf(&b, "// %s measures %s.\n", w.name, w.f.name)
	if made {
		b.WriteString("//\n// Its inputs are made up. Replace them with inputs like those in production: " +
			"what the function allocates may\n// depend on them.\n")
	}
	fmt.Fprintf(&b, "func %s(b *%s.B) {\n", w.name, w.imports["testing"])
	if len(w.missing) > 0 {
		fmt.Fprintf(&b, "b.Fatal(%q)\n", w.name+": fill in "+strings.Join(w.missing, ", ")+", and remove this line")
	}
	if w.text != "" {
		fmt.Fprintf(&b, "const %s = %s\n", w.text, sampleText)
	}
	for _, statement := range w.setup {
		fmt.Fprintln(&b, statement)
	}
	fmt.Fprintf(&b, "b.ReportAllocs()\n%s}\n", loop)
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, argumentErrorf("no benchmark for %s can be written (%v): write one by hand", w.f.name, err)
	}
	return text, nil
}

// call makes the inputs, and returns the call of the function.
func (w *writer) call() (string, error) {
	s := w.f.signature
	called := w.f.decl.Name.Name
	for _, all := range []*types.Tuple{s.Params(), types.NewTuple(s.Recv())} {
		for v := range all.Variables() {
			if v != nil && !w.nameable(v.Type()) {
				return "", argumentErrorf("%s takes %s, whose type a test file cannot name: write its benchmark by hand",
					w.f.name, v.Name())
			}
		}
	}
	switch {
	case s.Recv() != nil:
		called = w.input(s.Recv().Name(), s.Recv().Type()) + "." + called
	case len(w.f.arguments) > 0:
		var arguments []string
		for _, t := range w.f.arguments {
			arguments = append(arguments, w.typ(t))
		}
		called += "[" + strings.Join(arguments, ", ") + "]"
	}
	var arguments []string
	for i, p := range slices.Collect(s.Params().Variables()) {
		if s.Variadic() && i == s.Params().Len()-1 {
			// Options, say, are left out.
			if _, ok := w.value(p.Type(), 0, false); ok && !isFunc(p.Type()) {
				arguments = append(arguments, w.input(p.Name(), p.Type())+"...")
			}
			continue
		}
		arguments = append(arguments, w.input(p.Name(), p.Type()))
	}
	return called + "(" + strings.Join(arguments, ", ") + ")", nil
}

func isFunc(slice types.Type) bool {
	_, ok := slice.(*types.Slice).Elem().Underlying().(*types.Signature)
	return ok
}

// loop returns the declarations of the variables that keep results, and the loop around the call.
func (w *writer) loop(call string) (sinks []string, loop string) {
	modern := version.Compare("go"+w.program.Module.GoVersion, "go1.24") >= 0
	var left []string // of the assignment
	fails := false
	for i, r := range slices.Collect(w.f.signature.Results().Variables()) {
		last := i == w.f.signature.Results().Len()-1
		switch {
		case last && isError(r.Type()):
			fails = true
		case w.nameable(r.Type()) && (!modern || userpkg.HasPointers(r.Type())):
			name := w.unused("sink" + strings.TrimPrefix(w.name, "Benchmark"))
			sinks = append(sinks, name+" "+w.typ(r.Type()))
			left = append(left, name)
		default:
			left = append(left, "_")
		}
	}
	statement := call
	failure := fmt.Sprintf("b.Fatal(%q, ", w.name+": fill in inputs for which "+w.f.name+" succeeds:")
	switch {
	case fails && len(sinks) > 0:
		name := w.unused("err")
		w.setup = append(w.setup, "var "+name+" error")
		statement = fmt.Sprintf("if %s = %s; %s != nil {\n%s%s)\n}", strings.Join(append(left, name), ", "), call, name,
			failure, name)
	case fails:
		statement = fmt.Sprintf("if %s := %s; err != nil {\n%serr)\n}", strings.Join(append(left, "err"), ", "), call,
			failure)
	case len(sinks) > 0:
		statement = strings.Join(left, ", ") + " = " + call
	}
	head := "for b.Loop() {\n"
	if !modern {
		head = "b.ResetTimer()\nfor i := 0; i < b.N; i++ {\n"
	}
	for _, each := range w.each {
		head += each + "\n"
	}
	return sinks, head + statement + "\n}\n"
}

// constraint returns the build constraint that the file of the function has, "" for none: elsewhere there is no such
// function. A name such as "poll_linux.go" is a constraint too.
func (w *writer) constraint() string {
	var all []string
	for _, group := range w.f.file.Comments {
		for _, c := range group.List {
			if c.Pos() < w.f.file.Package && constraint.IsGoBuild(c.Text) {
				all = append(all, "("+strings.TrimSpace(strings.TrimPrefix(c.Text, "//go:build"))+")")
			}
		}
	}
	name := strings.TrimSuffix(w.program.fset.File(w.f.file.FileStart).Name(), ".go")
	words := strings.Split(name, "_")[1:]
	for _, word := range words[max(0, len(words)-2):] {
		if word == w.program.GOOS || word == w.program.GOARCH {
			all = append(all, word)
		}
	}
	if len(all) == 0 {
		return ""
	}
	parsed, err := constraint.Parse("//go:build " + strings.Join(all, " && "))
	if err != nil {
		return ""
	}
	return "//go:build " + parsed.String()
}
