package benchmark

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/why"
)

// A program is a package that was type-checked together with its own tests.
type program struct {
	*userpkg.Package
	fset     *token.FileSet
	files    []*ast.File
	info     *types.Info
	types    *types.Package
	importer types.Importer
	web      bool // it imports net/http, so httptest costs it little
}

// helpers are packages that inputs may need which the function does not mention.
const helpers = "package p\nimport (\"bytes\"; \"errors\"; \"io\"; \"strings\"; \"testing\")\n"

const webHelpers = "package p\nimport \"net/http/httptest\"\n"

// check type-checks a package. The error is the first mistake in it.
func check(ctx context.Context, p *userpkg.Package) (*program, error) {
	program := &program{Package: p, fset: token.NewFileSet()}
	texts := maps.Clone(p.Texts)
	texts[" helpers.go"] = []byte(helpers)
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles) {
		file, err := parser.ParseFile(program.fset, name, p.Texts[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, mistake(p, err)
		}
		program.files = append(program.files, file)
		for _, s := range file.Imports {
			if s.Path.Value == `"net/http"` {
				program.web, texts[" web.go"] = true, []byte(webHelpers)
			}
		}
	}
	exports, err := p.Exports(ctx, texts)
	if err != nil {
		return nil, err
	}
	program.importer = exports.Importer(program.fset)
	program.info = &types.Info{Defs: map[*ast.Ident]types.Object{}}
	if program.types, err = program.check(program.files, program.info); err != nil {
		return nil, mistake(p, err)
	}
	return program, nil
}

// mistake returns the error for a package that does not compile.
func mistake(p *userpkg.Package, err error) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s does not compile: %s", p.ImportPath, first)
}

func (p *program) check(files []*ast.File, info *types.Info) (*types.Package, error) {
	config := types.Config{Importer: p.importer, FakeImportC: true, Sizes: types.SizesFor("gc", p.GOARCH)}
	return config.Check(p.ImportPath, p.fset, files, info)
}

// accepts returns the first mistake in a file that is added to the package.
func (p *program) accepts(name string, text []byte) error {
	file, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
	if err == nil {
		_, err = p.check(append(slices.Clip(p.files), file), nil)
	}
	return err
}

// A function is a function to measure.
type function struct {
	name      string // as the runtime writes it, without type arguments: "(*Server).find"
	decl      *ast.FuncDecl
	file      *ast.File
	object    *types.Func
	signature *types.Signature // with type arguments
	arguments []types.Type     // the type arguments, none for a function that is not generic
}

// method reports whether the function has a receiver.
func (f *function) method() bool { return f.object.Signature().Recv() != nil }

var brackets = regexp.MustCompile(`\[.*\]`)

// PlainName returns a function's name without its receiver's asterisk and type arguments: "Server.find". A shell needs
// no quotes for it.
func PlainName(function string) string {
	return strings.NewReplacer("(", "", ")", "", "*", "").Replace(brackets.ReplaceAllString(function, ""))
}

var declarable = regexp.MustCompile(`^[\pL_][\pL\p{Nd}_]*(\.[\pL_][\pL\p{Nd}_]*)?$`)

// Possible reports whether a benchmark can call a function of that name: the runtime alone calls init and main, and
// initializers of variables are no functions.
func Possible(function string) bool {
	plain := PlainName(function)
	return declarable.MatchString(plain) && plain != "init" && plain != "main" && !strings.HasPrefix(plain, "map.init") &&
		!strings.HasPrefix(plain, "init.")
}

// Same reports whether a name that the reader writes, such as "find" or "Server.find", means a function or the function
// around a closure.
func Same(function, written string) bool {
	full, short := PlainName(why.Outermost(function)), PlainName(strings.TrimSpace(written))
	return short != "" && (full == short || strings.HasSuffix(full, "."+short) || PlainName(why.Outermost(short)) == full)
}

// find returns the function that a name means.
func (p *program) find(name string) (*function, error) {
	wanted := PlainName(strings.TrimSpace(name))
	declared := p.functions()
	f := declared[wanted]
	if f == nil { // the name of a closure
		wanted = PlainName(why.Outermost(strings.TrimSpace(name)))
		f = declared[wanted]
	}
	if f == nil {
		var methods []string
		for _, known := range slices.Sorted(maps.Keys(declared)) {
			if strings.HasSuffix(known, "."+wanted) {
				methods = append(methods, known)
			}
		}
		if len(methods) > 1 {
			return nil, argumentErrorf("%s is a method of several types: name one, such as %s", wanted,
				present.List(methods[:min(len(methods), 3)], "or"))
		}
		if len(methods) == 1 {
			f = declared[methods[0]]
		}
	}
	if f == nil {
		return nil, p.notFound(wanted)
	}
	switch {
	case strings.HasSuffix(p.fset.File(f.file.FileStart).Name(), "_test.go"):
		return nil, argumentErrorf("%s is declared in a test file: name a function of the package itself", wanted)
	case !Possible(f.name):
		return nil, argumentErrorf("%s cannot be called by a benchmark: name a function that it calls", f.name)
	}
	return f, nil
}

// notFound returns the error for a name that is no function of the package.
func (p *program) notFound(name string) error {
	receiver, _, _ := strings.Cut(name, ".")
	if o := p.types.Scope().Lookup(receiver); o != nil {
		if _, ok := o.(*types.TypeName); ok && types.IsInterface(o.Type()) {
			return argumentErrorf("%s is an interface: name a method of a type that implements it", receiver)
		}
	}
	return argumentErrorf("%s: %s declares no function or method of that name; write a method as Server.find",
		name, p.ImportPath)
}

// functions returns all declared functions and methods by their plain names.
func (p *program) functions() map[string]*function {
	all := map[string]*function{}
	for _, file := range p.files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Name.Name == "_" {
				continue
			}
			object, ok := p.info.Defs[decl.Name].(*types.Func)
			if !ok {
				continue
			}
			name := brackets.ReplaceAllString(why.FuncName(decl), "")
			all[PlainName(name)] = &function{name: name, decl: decl, file: file, object: object}
		}
	}
	return all
}
