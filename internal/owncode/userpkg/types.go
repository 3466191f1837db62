package userpkg

import (
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"onthestack/internal/escape"
	"onthestack/internal/gocommand"
	"onthestack/internal/harness"
)

// Exports are the packages that a package imports, directly or not, by import path.
type Exports map[string]Export

// An Export is a package that was compiled.
type Export struct {
	Name string
	File string // with its compiled declarations
}

// Names returns the names of the packages by import path.
func (e Exports) Names() map[string]string {
	names := map[string]string{}
	for path, export := range e {
		names[path] = export.Name
	}
	return names
}

// Exports asks the go command for the compiled declarations of all packages that the given files import. They are in
// the build cache once the package was compiled.
func (p *Package) Exports(ctx context.Context, files map[string][]byte) (Exports, error) {
	imports := p.imports(files)
	if len(imports) == 0 {
		return Exports{}, nil
	}
	// The go command compiles what is not in its cache. Killed, it leaves its temporary folder.
	work, err := os.MkdirTemp("", buildFolder)
	if err != nil {
		return nil, err
	}
	defer removeAll(work)
	return p.config.exports(ctx, append(p.readableEnv(), "GOTMPDIR="+work), []string{"-e"}, imports)
}

// exports asks the go command for the compiled declarations of packages and of all that they import.
func (c Config) exports(ctx context.Context, env, flags, importPaths []string) (Exports, error) {
	const format = "{{if .Export}}{{.ImportPath}}={{.Name}}={{.Export}}{{end}}"
	args := slices.Concat([]string{"list", "-export", "-deps", "-f", format}, flags, c.buildFlags(), []string{"--"},
		importPaths)
	out, err := gocommand.Run(ctx, c.goOptions(env), args...)
	if err != nil {
		return nil, goError(err)
	}
	exports := Exports{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.SplitN(strings.TrimSpace(line), "=", 3); len(fields) == 3 {
			exports[fields[0]] = Export{fields[1], fields[2]}
		}
	}
	return exports, nil
}

// imports returns the import paths of other packages in the given files, each once.
func (p *Package) imports(files map[string][]byte) (paths []string) {
	for name, text := range files {
		imported, _ := harness.Imports(name, text) // the compiler reports the error
		paths = append(paths, imported...)
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(path string) bool {
		return path == "C" || path == "unsafe" || path == p.ImportPath
	})
}

// readableEnv returns the settings for a build whose compiled declarations this program can read. It cannot read
// declarations that a newer release of Go than its own compiled, so its own release compiles them.
func (p *Package) readableEnv() []string {
	ours := runtime.Version()
	if !version.IsValid(ours) || version.Compare(version.Lang(p.Go), version.Lang(ours)) <= 0 {
		return slices.Clone(p.env)
	}
	return append(slices.Clone(p.env), "GOTOOLCHAIN="+ours)
}

// Types are the types of expressions of a package.
type Types struct {
	fset  *token.FileSet
	info  *types.Info // of the package and of its external tests
	sizes types.Sizes
	// found has the expressions and the declared names that begin on a line.
	found map[sourceLine][]ast.Expr
}

type sourceLine struct {
	file string
	line int
}

// Types type-checks the functions of the package that touched selects by file and lines. Mistakes in the package, and
// imports whose declarations cannot be read, leave types unknown.
func (p *Package) Types(exports Exports, touched func(file string, from, to int) bool) *Types {
	t := &Types{
		fset: token.NewFileSet(), sizes: types.SizesFor("gc", p.GOARCH), found: map[sourceLine][]ast.Expr{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}},
	}
	if t.sizes == nil {
		return t
	}
	imported := exports.Importer(t.fset)
	pkg := t.check(p.ImportPath, slices.Concat(p.GoFiles, p.TestGoFiles), p.Texts, touched, imported)
	if len(p.XTestGoFiles) > 0 {
		t.check(p.ImportPath+"_test", p.XTestGoFiles, p.Texts, touched,
			importerFunc(func(path string) (*types.Package, error) {
				if path == p.ImportPath {
					return pkg, nil
				}
				return imported.Import(path)
			}))
	}
	all := slices.Collect(maps.Keys(t.info.Types))
	for name := range t.info.Defs {
		all = append(all, name)
	}
	for _, e := range all {
		at := t.fset.Position(e.Pos())
		k := sourceLine{at.Filename, at.Line}
		t.found[k] = append(t.found[k], e)
	}
	return t
}

// Importer returns an importer that reads the compiled declarations.
func (e Exports) Importer(fset *token.FileSet) types.Importer {
	compiled := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if file := e[path].File; file != "" {
			return os.Open(file)
		}
		return nil, fmt.Errorf("no compiled declarations of %s", path)
	})
	return importerFunc(func(path string) (pkg *types.Package, err error) {
		defer func() {
			if why := recover(); why != nil { // declarations of a newer release of Go
				pkg, err = nil, fmt.Errorf("read the compiled declarations of %s: %v", path, why)
			}
		}()
		return compiled.Import(path)
	})
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

func (t *Types) check(
	path string,
	names []string,
	files map[string][]byte,
	touched func(file string, from, to int) bool,
	imports types.Importer,
) *types.Package {
	var parsed []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(t.fset, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range file.Decls {
			// The bodies of functions take most of the memory and time.
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil &&
				!touched(name, t.fset.Position(f.Pos()).Line, t.fset.Position(f.End()).Line) {
				f.Body = nil
			}
		}
		parsed = append(parsed, file)
	}
	config := types.Config{
		Importer: imports, Sizes: t.sizes, FakeImportC: true, DisableUnusedImportCheck: true, Error: func(error) {},
	}
	pkg, _ := config.Check(path, t.fset, parsed, t.info)
	return pkg
}

// Value returns what a diagnostic on a value that escapes, or does not, has storage for, and whether that is known.
func (t *Types) Value(d escape.Diagnostic) (v escape.Value, ok bool) {
	defer func() {
		if recover() != nil { // the size of a type with an error in it, or of a type parameter
			v, ok = escape.Value{}, false
		}
	}()
	subject := plain(escape.Subject(d))
	generic := strings.Contains(subject, "go.shape.")
	if d.Kind != escape.Moved {
		switch escape.StorageOf(d) {
		case escape.Closure:
			return t.closure(d), true
		case escape.Map, escape.Channel:
			return escape.Value{Size: -1, Pointers: true}, true
		case escape.Concatenation, escape.Conversion:
			return escape.Value{Size: -1}, true
		case escape.Variadic:
			return t.variadic(d)
		case escape.Append:
			return t.appended(d)
		}
	}
	if number, ok := strings.CutPrefix(subject, "~r"); ok && d.Kind != escape.Moved {
		return t.result(d, number)
	}
	for _, e := range t.found[sourceLine{d.File, d.Line}] {
		switch {
		case d.Kind == escape.Moved && d.Source != "":
			if call, isCall := e.(*ast.CallExpr); isCall && t.fset.Position(call.Lparen).Column == d.Col {
				return t.stored(call) // new, with an expression
			}
		case d.Kind == escape.Moved:
			if name, isName := e.(*ast.Ident); isName && name.Name == subject {
				if o := t.info.Defs[name]; o != nil && o.Type() != types.Typ[types.Invalid] {
					return t.value(o.Type()), true
				}
			}
		case plain(types.ExprString(e)) == subject:
			return t.stored(e)
		case generic && withoutArguments(plain(types.ExprString(e))) == withoutArguments(subject):
			// What copies a value into an interface in a generic function depends on the type arguments.
			if v, ok = t.stored(e); v.Convert == "" {
				return v, ok
			}
		}
	}
	return escape.Value{}, false
}

// closure returns what a function literal has storage for: nothing if it captures nothing, because it is then made at
// link time.
func (t *Types) closure(d escape.Diagnostic) escape.Value {
	for _, e := range t.found[sourceLine{d.File, d.Line}] {
		if f, ok := e.(*ast.FuncLit); ok && t.fset.Position(f.Pos()).Column == d.Col && !t.captures(f) {
			return escape.Value{}
		}
	}
	return escape.Value{Size: -1, Pointers: true}
}

// captures reports whether a function literal may refer to variables of the functions around it.
func (t *Types) captures(f *ast.FuncLit) bool {
	for n := range ast.Preorder(f.Body) {
		name, _ := n.(*ast.Ident)
		v, ok := t.info.Uses[name].(*types.Var)
		if ok && !v.IsField() && v.Pkg() != nil && v.Parent() != v.Pkg().Scope() &&
			(v.Pos() < f.Pos() || v.Pos() > f.End()) {
			return true
		}
	}
	return false
}

// result returns what the copy of a result of an inlined call has storage for. The compiler names the position of a
// call's opening parenthesis.
func (t *Types) result(d escape.Diagnostic, number string) (escape.Value, bool) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return escape.Value{}, false // an expression around the result
	}
	for _, e := range t.found[sourceLine{d.File, d.Line}] {
		call, isCall := e.(*ast.CallExpr)
		if !isCall || t.fset.Position(call.Lparen).Column != d.Col {
			continue
		}
		typ := t.typeOf(call)
		if all, ok := typ.(*types.Tuple); ok && n < all.Len() {
			typ = all.At(n).Type()
		} else if ok || n > 0 {
			return escape.Value{}, false
		}
		if typ == nil {
			return escape.Value{}, false
		}
		return t.boxed(typ), true
	}
	return escape.Value{}, false
}

// plain removes the differences between the compiler's notation of an expression and the notation of go/types.
func plain(expr string) string {
	return strings.NewReplacer("interface {}", "any", "interface{}", "any", " ", "", "…", "...").Replace(expr)
}

// withoutArguments removes what is in brackets behind a name: the compiler prints the type arguments of a generic
// function, its source has the type parameters.
func withoutArguments(expr string) string {
	var b strings.Builder
	depth, name := 0, false
	for i := range len(expr) {
		c := expr[i]
		switch {
		case c == '[' && (depth > 0 || name):
			depth++
		case c == ']' && depth > 0:
			depth--
		case depth == 0:
			b.WriteByte(c)
		}
		name = c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	return b.String()
}

// typeOf returns the type of an expression, nil if it is not known.
func (t *Types) typeOf(e ast.Expr) types.Type {
	if typ := t.info.Types[e].Type; typ != types.Typ[types.Invalid] {
		return typ
	}
	return nil
}

// stored returns what an expression has storage for.
func (t *Types) stored(e ast.Expr) (escape.Value, bool) {
	e = ast.Unparen(e)
	typ := t.typeOf(e)
	if typ == nil {
		return escape.Value{}, false
	}
	if call, ok := e.(*ast.CallExpr); ok {
		name, _ := ast.Unparen(call.Fun).(*ast.Ident)
		switch {
		case name == nil:
		case name.Name == "new":
			return t.value(typ.Underlying().(*types.Pointer).Elem()), true
		case name.Name == "make":
			return made(typ), true
		}
	}
	switch x := e.(type) {
	case *ast.UnaryExpr:
		if pointer, ok := typ.Underlying().(*types.Pointer); ok && x.Op == token.AND {
			return t.value(pointer.Elem()), true
		}
	case *ast.BinaryExpr:
		if b, ok := typ.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return escape.Value{}, false // a new string, or one that is copied into an interface
		}
	case *ast.CompositeLit:
		switch typ.Underlying().(type) {
		case *types.Slice, *types.Map:
			return made(typ), true
		}
	}
	if _, ok := typ.Underlying().(*types.Signature); ok { // a method value
		return escape.Value{Size: -1, Pointers: true}, true
	}
	return t.boxed(typ), true
}

// boxed returns what the copy of a value in an interface has storage for.
func (t *Types) boxed(typ types.Type) escape.Value {
	v := t.value(typ)
	v.Convert = t.convert(typ, v)
	return v
}

// made returns what a slice, a map or a channel has storage for.
func made(typ types.Type) escape.Value {
	v := escape.Value{Size: -1, Pointers: true}
	switch u := typ.Underlying().(type) {
	case *types.Slice:
		v.Storage, v.Pointers = escape.Array, HasPointers(u.Elem())
	case *types.Map:
		v.Storage = escape.Map
	case *types.Chan:
		v.Storage = escape.Channel
	}
	return v
}

// convert returns the function of the runtime that copies a value into an interface: dataWordFuncName in
// cmd/compile/internal/walk/convert.go.
func (t *Types) convert(typ types.Type, v escape.Value) string {
	switch u := soleComponent(typ).(type) {
	case *types.Slice:
		return "runtime.convTslice"
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return "runtime.convTstring"
		}
	}
	aligned := t.sizes.Alignof(typ) == v.Size
	switch {
	case v.Pointers:
		return "runtime.convT"
	case v.Size == 2 && aligned:
		return "runtime.convT16"
	case v.Size == 4 && aligned:
		return "runtime.convT32"
	case v.Size == 8 && aligned:
		return "runtime.convT64"
	}
	return "runtime.convTnoptr"
}

// soleComponent returns the underlying type of a type's only field or element or, if it has not exactly one, of the
// type itself, like SoleComponent in cmd/compile/internal/types.
func soleComponent(typ types.Type) types.Type {
	switch u := typ.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() == 1 {
			return soleComponent(u.Field(0).Type())
		}
	case *types.Array:
		if u.Len() == 1 {
			return soleComponent(u.Elem())
		}
	}
	return typ.Underlying()
}

// appended returns what append makes on a line: the compiler does not say by which call.
func (t *Types) appended(d escape.Diagnostic) (v escape.Value, ok bool) {
	for _, e := range t.found[sourceLine{d.File, d.Line}] {
		call, isCall := e.(*ast.CallExpr)
		if !isCall {
			continue
		}
		name, _ := ast.Unparen(call.Fun).(*ast.Ident)
		typ := t.typeOf(call)
		if name == nil || name.Name != "append" || typ == nil {
			continue
		}
		slice, isSlice := typ.Underlying().(*types.Slice)
		if !isSlice || ok && v.Pointers != HasPointers(slice.Elem()) {
			return escape.Value{}, false
		}
		v, ok = escape.Value{Size: -1, Pointers: HasPointers(slice.Elem())}, true
	}
	return v, ok
}

// variadic returns what the arguments of the only variadic call on a line have storage for.
func (t *Types) variadic(d escape.Diagnostic) (v escape.Value, ok bool) {
	for _, e := range t.found[sourceLine{d.File, d.Line}] {
		call, isCall := e.(*ast.CallExpr)
		if !isCall || call.Ellipsis.IsValid() {
			continue
		}
		f := t.typeOf(call.Fun)
		if f == nil {
			return escape.Value{}, false
		}
		if signature, isFunc := f.Underlying().(*types.Signature); isFunc && signature.Variadic() &&
			len(call.Args) >= signature.Params().Len() {
			if ok {
				return escape.Value{}, false
			}
			last := signature.Params().Len() - 1
			elem := signature.Params().At(last).Type().(*types.Slice).Elem()
			v = escape.Value{Size: int64(len(call.Args)-last) * t.sizes.Sizeof(elem), Pointers: HasPointers(elem)}
			ok = true
		}
	}
	return v, ok
}

func (t *Types) value(typ types.Type) escape.Value {
	return escape.Value{Size: t.sizes.Sizeof(typ), Pointers: HasPointers(typ)}
}

// HasPointers reports whether values of a type have pointers. It panics for a type parameter.
func HasPointers(typ types.Type) bool {
	switch u := typ.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Array:
		return u.Len() > 0 && HasPointers(u.Elem())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(u.Fields()), func(f *types.Var) bool { return HasPointers(f.Type()) })
	case *types.Interface:
		if _, ok := typ.(*types.TypeParam); ok {
			panic("a type parameter")
		}
	}
	return true
}
