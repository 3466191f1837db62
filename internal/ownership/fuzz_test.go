package ownership

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzCheck checks that no source makes the check fail, and that each finding has a place in the file and is a full
// sentence.
func FuzzCheck(f *testing.F) {
	names, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			f.Add(withImports(string(file.Data)))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "x.go", text, parser.SkipObjectResolution)
		if err != nil {
			return
		}
		found, unchecked := Check(fset, "onthestack/x", []*ast.File{file})
		if unchecked != nil {
			found = append(found, *unchecked)
			if strings.Contains(unchecked.Message, "internal error") {
				t.Error(unchecked.Message)
			}
		}
		for _, finding := range found {
			if !finding.Pos.IsValid() || finding.Pos > file.FileEnd || len(finding.Message) < 20 {
				t.Errorf("%d of %d: %q", finding.Pos, file.FileEnd, finding.Message)
			}
		}
	})
}

// chain returns functions of which each calls the one before it in the source, and any function besides.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("NEW", name(n-i), "OLD",
			name(n-i+1)).Replace("func NEW(w *W, p []byte) { OLD(w, p); w.f(w, p[1:]) }\n"))
	}
	return b.String() + strings.ReplaceAll("func NEW(w *W, p []byte) {}\nfunc xii(w *W, p []byte) { y1(w, p) }\n",
		"NEW",
		name(n+1))
}

func name(n int) string { return "y" + strconv.Itoa(n) }

// TestBounds checks that what would take the type checker long, or much memory, is not given to it. Without the bounds
// these tests would not come to an end.
func TestBounds(t *testing.T) {
	repeat := func(format string, n int) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			b.WriteString(strings.NewReplacer("NEW", "x"+strings.Repeat("i", i), "OLD", "x"+strings.Repeat("i",
				i-1)).Replace(format))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"doubled constants": "const x = `0123456789`\n" + repeat("const NEW = OLD + OLD\n", 60) + "const n = len(x" +
			strings.Repeat("i", 60) + ")\n",
		"constants in scopes": "func f() {\nconst b = `0123456789`\n" +
			strings.Repeat("{ const a = b + b\n{ const b = a + a\n", 40) + "_ = len(b)" + strings.Repeat("}", 81),
		"doubled structs": "type x struct{ n int }\n" + repeat("type NEW struct{ a, b OLD }\n", 60) + "var c = x" +
			strings.Repeat("i", 60) + "{} == x" + strings.Repeat("i", 60) + "{}\n",
		"doubled aliases": "type x = struct{ n int }\n" + repeat("type NEW = struct{ a, b OLD }\n", 60),
		"nested type arguments": "type x[T any] struct{ a, b T }\n" +
			repeat("type NEW[T any] struct{ a OLD[OLD[T]] }\n", 12),
		"nested instances": "type x[T any] struct{ a, b T }\nvar v " + strings.Repeat("x[", 60) + "int" +
			strings.Repeat("]", 60),
		"nested inferred instances": "func d[T any](x T) (r struct{ a, b T }) { return }\nvar v = " +
			strings.Repeat("d(", 26) + "0" + strings.Repeat(")", 26),
		"inferred functions": "func d[T any](x T) func(T) T { return nil }\nfunc f() { _ = " + strings.Repeat("d(", 60) +
			"0" + strings.Repeat(")", 60) + " }\n",
		"a chain of functions": "type W struct{ f func(*W, []byte) }\nfunc (w *W) Write(p []byte) (int, error) { " +
			"xii(w, p); return 0, nil }\n" + chain(1500),
		"nesting": "const x = " + strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000),
	} {
		found, unchecked, _ := check(t, "package x\n"+text)
		if unchecked == nil || !strings.Contains(unchecked.Message, "so the policy cannot check it: ") {
			t.Errorf("%s: %v, %v", name, found, unchecked)
		}
	}
}
