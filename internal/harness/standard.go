package harness

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
)

// The packages of the standard library whose sources EditStandard changes, for a program that measures a UserPackage.
const (
	runtimePackage = "runtime"
	testingPackage = "testing"
)

// Standard lists the import paths of the packages that EditStandard changes.
func Standard() []string { return []string{runtimePackage, testingPackage} }

//go:embed standard.go
var standardEdits []byte

// StandardVersion identifies the changes that EditStandard makes.
func StandardVersion() string { return fmt.Sprintf("%x", sha256.Sum256(standardEdits))[:16] }

// HooksFlag is the name of the flag whose value the changed package testing calls when a benchmark uses its timer, runs
// a sub-benchmark or is skipped. A flag is how a package can be handed to package testing without adding to what that
// declares, so that packages which were compiled against the original link with the changed archive.
const HooksFlag = "checkalloc.hooks"

// A hook is a call that is inserted in a method of package testing. Verbs stand for the names of the method's receiver
// and of its parameters.
type hook struct {
	file, receiver, method string
	parameters             int
	atEnd                  bool   // of the method rather than at its beginning
	wants                  string // the methods that the flag's value has to have
	call                   string // of methods of h, that value
}

// timerHook are the methods by which the flag's value is told what a timer does.
const timerHook = "Current() *B; Timer(method string)"

// The statements are on one line. A timer that is stopped or reset is so when its method ends; what a benchmark
// allocates after it started its timer counts. Parameters that do not escape must not do so by a hook: whether they do
// is part of the export data.
var testingHooks = []hook{
	{"benchmark.go", "B", "StartTimer", 0, false, timerHook, `if h.Current() == %s { h.Timer("StartTimer") }`},
	{"benchmark.go", "B", "StopTimer", 0, true, timerHook, `if h.Current() == %s { h.Timer("StopTimer") }`},
	{"benchmark.go", "B", "ResetTimer", 0, true, timerHook, `if h.Current() == %s { h.Timer("ResetTimer") }`},
	{"benchmark.go", "B", "Run", 2, false, "Run(b *B, name string, f func(b *B)) (ran, ok bool)",
		"if ran, ok := h.Run(%s, %s, %s); ran { return ok }"},
	{"benchmark.go", "B", "runN", 1, false, "Name(b *B) string",
		`if name := h.Name(%[1]s); name != "" { %[1]s.name = name }; _ = %[2]s`},
	{"testing.go", "common", "Skip", 1, false, "Skipping(why string)", "_ = %s; h.Skipping(fmt.Sprintln(%s...))"},
	{"testing.go", "common", "Skipf", 2, false, "Skipping(why string)", "_ = %s; h.Skipping(fmt.Sprintf(%s, %s...))"},
}

// statement returns the statement to insert, given the names of the receiver and of the parameters.
func (h hook) statement(names []any) string {
	return fmt.Sprintf(" if zz := flag.Lookup(%q); zz != nil { if h, ok := zz.Value.(interface { %s }); ok { %s } }; ",
		HooksFlag, h.wants, fmt.Sprintf(h.call, names...))
}

// EditStandard returns the source of a file of the standard library as a program that measures a UserPackage has it,
// nil if the file stays as it is. Code stays on its line, and nothing exported changes, so that compiled packages link
// with either. The error says what the source of this Go release does not have.
//
//   - In package runtime, tiny objects share no block while each allocation is recorded, so that each of them is in the
//     profile, with its size.
//   - Package testing tells HooksFlag's value what a benchmark does with its timer, by whatever name it does so.
func EditStandard(importPath, base string, source []byte) ([]byte, error) {
	switch {
	case importPath == runtimePackage && bytes.Contains(source, []byte("maxTinySize")):
		return editRuntime(base, source)
	case importPath == testingPackage && (base == "benchmark.go" || base == "testing.go"):
		return editTesting(base, source)
	}
	return nil, nil
}

// editRuntime adds a condition to each place that puts a tiny object into a block with others:
//
//	if off+size <= maxTinySize && c.tiny != 0 {
//
// Up to Go 1.26 that is one in malloc.go. Since Go 1.27 functions for one size class have it too. The block is recorded
// by profilealloc, which gets the size of the object in mp.mallocing: the runtime uses that as a flag until the object
// is recorded.
func editRuntime(base string, source []byte) ([]byte, error) {
	file, at, err := parseStandard(base, source)
	if err != nil {
		return nil, err
	}
	var edits []Edit
	recorded := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == "profilealloc" && n.Body != nil {
				from := at(n.Body.Lbrace) + 1
				edits = append(edits, Edit{from, from, " if MemProfileRate == 1 && size == maxTinySize && " +
					"mp.mallocing > 1 { size = uintptr(mp.mallocing) - 1 };"})
				recorded = true
			}
		case *ast.IfStmt:
			if fitsBlock.MatchString(types.ExprString(n.Cond)) {
				from := at(n.Cond.Pos())
				edits = append(edits, Edit{from, from, "mp.mallocing = int32(size) + 1; MemProfileRate != 1 && "})
			}
		}
		return true
	})
	if base == "malloc.go" && (!recorded || len(edits) < 2) {
		return nil, fmt.Errorf("runtime/malloc.go has no condition on the rest of a block of tiny objects, or no " +
			"function profilealloc")
	}
	if len(edits) == 0 {
		return nil, nil
	}
	return Apply(source, edits), nil
}

// fitsBlock matches a condition on the rest of a block.
var fitsBlock = regexp.MustCompile(`^[^&|]+ \+ size <= maxTinySize && [^&|]+$`)

// editTesting inserts the hooks of a file of package testing.
func editTesting(base string, source []byte) ([]byte, error) {
	file, at, err := parseStandard(base, source)
	if err != nil {
		return nil, err
	}
	var edits []Edit
	for _, path := range []string{"flag", "fmt"} {
		if !slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool {
			return s.Name == nil && s.Path.Value == strconv.Quote(path)
		}) {
			return nil, fmt.Errorf("testing/%s does not import %s", base, path)
		}
	}
	for _, h := range testingHooks {
		if h.file != base {
			continue
		}
		decl, names := method(file, h.receiver, h.method)
		if decl == nil || len(names) != 1+h.parameters {
			return nil, fmt.Errorf("testing/%s has no method %s.%s with %d parameters", base, h.receiver, h.method,
				h.parameters)
		}
		from := at(decl.Body.Lbrace) + 1
		if h.atEnd {
			from = at(decl.Body.Rbrace)
		}
		edits = append(edits, Edit{from, from, h.statement(names)})
	}
	return Apply(source, edits), nil
}

// parseStandard parses a file, and returns a function that turns a position into an offset.
func parseStandard(base string, source []byte) (*ast.File, func(token.Pos) int, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, base, source, parser.SkipObjectResolution)
	return file, func(p token.Pos) int { return fset.Position(p).Offset }, err
}

// method returns the method of a receiver with that name, and the names of its receiver and parameters.
func method(file *ast.File, receiver, name string) (*ast.FuncDecl, []any) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Body == nil || QualifiedName(f) != receiver+"."+name {
			continue
		}
		var names []any
		for _, field := range slices.Concat(f.Recv.List, f.Type.Params.List) {
			for _, n := range field.Names {
				names = append(names, n.Name)
			}
		}
		return f, names
	}
	return nil, nil
}
