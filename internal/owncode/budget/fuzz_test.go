package budget

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"testing"
)

// FuzzParse proves what Parse promises for any file: each comment of a directive's form is a directive or a mistake,
// once, at its place, and a directive asks for something.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"package x\n\n//checkalloc:allocs<=1 bytes<=64 bench=A/.*|B // why\nfunc BenchmarkX(b *testing.B) {}\n",
		"package x\nfunc f(a int) { //checkalloc:noescape\n\t//checkalloc:noescape\n\tx := &a\n" +
			"\t_ = x //Checkalloc:noescape\n}\n",
		"package x\r\nvar x = 1 //checkalloc:noescape\r\n/*checkalloc:noescape\r\n*/ //checkalloc:alloc<=1,2\r\n",
		"package x\nfunc f() {\n//line y.go:1\n\tx() //checkalloc:noescape\n/*line :7:8*/\n\ty() " +
			"//checkalloc:noescape\n}",
		"\ufeff//checkalloc:noescape\npackage x\nfunc f( {",
		"package x\nvar _ = func() { /* a */ //checkalloc:bytes<=1.5 // b\n}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		name := "x_test.go"
		if len(src)%2 == 0 {
			name = "x.go"
		}
		directives, mistakes := Parse(name, []byte(src))
		if _, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution); err != nil {
			if len(directives) > 0 || len(mistakes) > 1 {
				t.Fatalf("of a file that does not parse: %v %v", directives, mistakes)
			}
			return
		}
		type place struct{ line, col int }
		said := map[place]int{}
		for _, d := range directives {
			said[place{d.Line, d.Col}]++
			lines := strings.Count(src, "\n") + 1
			switch {
			case d.NoEscape() && (d.Target < d.Line || d.Target > lines || d.Allocs != nil || d.Bytes != nil):
				t.Errorf("%+v", d)
			case !d.NoEscape() && d.Allocs == nil && d.Bytes == nil:
				t.Errorf("%+v limits nothing", d)
			case d.Allocs != nil && !(*d.Allocs >= 0):
				t.Errorf("%+v: allocs<=%v", d, *d.Allocs)
			}
			if again, _, problem := read(strings.TrimPrefix(d.Text, prefix)); problem != "" || again.Text != d.Text {
				t.Errorf("%q, read again, is %q: %s", d.Text, again.Text, problem)
			}
		}
		for _, m := range mistakes {
			said[place{m.Line, m.Col}]++
			if m.Message == "" {
				t.Errorf("%+v", m)
			}
		}
		fset := token.NewFileSet()
		file := fset.AddFile(name, -1, len(src))
		var s scanner.Scanner
		s.Init(file, []byte(src), nil, scanner.ScanComments)
		for {
			pos, tok, text := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok != token.COMMENT {
				continue
			}
			at := fset.PositionFor(pos, false)
			n := said[place{at.Line, at.Column}]
			delete(said, place{at.Line, at.Column})
			if n > 1 || n == 0 && strings.HasPrefix(text, prefix) {
				t.Errorf("%q at %v: said %d times", text, at, n)
			}
		}
		for p := range said {
			t.Errorf("no comment at %v", p)
		}
	})
}
