// Package benchmark writes a benchmark to begin with for a function of the user's: a line that allocates in production
// is then measured exactly, and an edit of it can be proven.
//
// [New] finds the function (find.go), chooses type arguments for a generic one (generic.go), makes a value for each
// input (input.go, known.go), and writes the file (text.go). What cannot be made, such as a server with its
// connections, is for the reader to fill in: until then the benchmark fails and says so. The file is in the package
// itself, so that it can call what is not exported. It is type-checked before it is written.
package benchmark

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"onthestack/internal/owncode/userpkg"
)

// A Benchmark is a benchmark of one function, in a file of its own.
type Benchmark struct {
	Package string `json:"package"` // the import path
	Func    string `json:"func"`    // "(*Server).find"
	Name    string `json:"benchmark"`
	File    string `json:"file"` // the full name; there is no such file before Write
	// Missing are the inputs that the reader has to fill in, by their names and types: "s (*Server)".
	Missing []string `json:"missing"`

	text []byte
}

// NameOf returns the name of the benchmark for a function: "BenchmarkServerFind" for "(*Server).find".
func NameOf(function string) string {
	name := "Benchmark"
	for word := range strings.SplitSeq(PlainName(function), ".") {
		first, size := utf8.DecodeRuneInString(word)
		name += string(unicode.ToUpper(first)) + word[size:]
	}
	return name
}

// fileOf returns the base name of the file for the benchmark of a function: "server_find_alloc_test.go".
func fileOf(function string) string {
	name := strings.ToLower(strings.ReplaceAll(PlainName(function), ".", "_"))
	return strings.TrimLeft(name, "_") + "_alloc_test.go" // the go command ignores files that begin with "_"
}

// New returns a benchmark for a function of a package, which is named "find", "Server.find" or "(*Server).find". The
// error is a userpkg.ArgumentError if there is no such function, if it cannot be called, or if its benchmark or the
// benchmark's file is there already.
func New(ctx context.Context, p *userpkg.Package, function string) (*Benchmark, error) {
	if p.Standard || p.Copied() {
		return nil, argumentErrorf("%s is not in a module that is being worked on: no file is written there", p.ImportPath)
	}
	program, err := check(ctx, p)
	if err != nil {
		return nil, err
	}
	return program.benchmark(function)
}

// benchmark returns a benchmark for a function of the program; see New.
func (p *program) benchmark(function string) (*Benchmark, error) {
	f, err := p.find(function)
	if err != nil {
		return nil, err
	}
	b := &Benchmark{Package: p.ImportPath, Func: f.name, Name: NameOf(f.name), Missing: []string{},
		File: filepath.Join(p.Dir, fileOf(f.name))}
	if err := b.checkUnused(p.Package); err != nil {
		return nil, err
	}
	if f.signature, err = p.instantiate(f); err != nil {
		return nil, err
	}
	w := newWriter(p, f, b.Name)
	if b.text, err = w.file(); err != nil {
		return nil, err
	}
	b.Missing = append(b.Missing, w.missing...)
	if err := p.accepts(fileOf(f.name), b.text); err != nil {
		return nil, argumentErrorf("no benchmark for %s can be written (%v): write one by hand", f.name, err)
	}
	return b, nil
}

// checkUnused returns an error if the benchmark or its file is there already.
func (b *Benchmark) checkUnused(p *userpkg.Package) error {
	files, err := p.Sources()
	if err != nil {
		return err
	}
	for name, text := range files {
		file, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		if slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)
			return ok && f.Recv == nil && f.Name.Name == b.Name
		}) {
			return argumentErrorf("%s is in %s already: --bench '^%s$' measures it", b.Name, name, b.Name)
		}
	}
	if _, err := os.Lstat(b.File); err == nil {
		return exists(b.File)
	}
	return nil
}

// Write writes the file. It never replaces one.
func (b *Benchmark) Write() error {
	file, err := os.OpenFile(b.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return exists(b.File)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(b.text)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(b.File))
	}
	return nil
}

func exists(file string) error {
	return argumentErrorf("%s exists already, and is not replaced: rename it, or remove it", filepath.Base(file))
}

func argumentErrorf(format string, args ...any) error {
	return userpkg.NewArgumentError(fmt.Sprintf(format, args...))
}
