package verdict

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"onthestack/internal/exercise"
)

// snippets returns the files of an archive in testdata/lent, by name, with a package clause and imports in front on one line.
func snippets(t testing.TB, name string) map[string]string {
	t.Helper()
	a, err := txtar.ParseFile("testdata/lent/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range a.Files {
		all[f.Name] = `package x; import "bytes"; import "fmt"; import "io"; import "slices"; import "strings";` +
			string(f.Data)
	}
	return all
}

// TestLent checks that each line that ends in "// refused: WORD" is refused with that word and no other line is.
func TestLent(t *testing.T) {
	for _, archive := range []string{"refused", "accepted"} {
		for name, text := range snippets(t, archive) {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, "x.go", text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			found := map[int]string{}
			for _, p := range lent(fset, []*ast.File{file}) {
				found[p.Line] += p.Message
			}
			if (len(found) > 0) != (archive == "refused") {
				t.Errorf("%s of %s: %v", name, archive, found)
			}
			for i, line := range strings.Split(text, "\n") {
				_, word, want := strings.Cut(line, "// refused: ")
				if want != (found[i+1] != "") || !strings.Contains(found[i+1], word) {
					t.Errorf("%s: line %d: %q\n%s", name, i+1, found[i+1], line)
				}
			}
		}
	}
}

// FuzzLent checks that lent ends with no panic for every file that parses.
func FuzzLent(f *testing.F) {
	for _, archive := range []string{"refused", "accepted"} {
		for _, text := range snippets(f, archive) {
			f.Add(text)
		}
	}
	f.Add("package x; func () Write(p []byte) (int, error) { x.y(p); return len(p), nil }")
	f.Fuzz(func(t *testing.T, text string) {
		fset := token.NewFileSet()
		if file, err := parser.ParseFile(fset, "x.go", text, parser.SkipObjectResolution); err == nil {
			lent(fset, []*ast.File{file})
		}
	})
}

// TestLocations checks which assignments through a pointer are refused in an exercise with package time.
func TestLocations(t *testing.T) {
	const declarations = `
type mine time.Location
type same = time.Location
type zone interface{ Zone() *time.Location }
type embedding struct{ *time.Location }
type holder struct {
	z    *time.Location
	list []*time.Location
	n    int
}
func set(loc *time.Location) { _ = loc }
func get() *time.Location { return time.UTC }
`
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	for body, refused := range map[string]bool{
		"z := time.UTC; *z = *time.Local":                                        true,
		"z := time.UTC; y := z; (*y) = zero":                                     true,
		"var t time.Time; *t.Location() = zero":                                  true,
		"var t time.Time; g := t.Location; *g() = zero":                          true,
		"var p *T; *p = time.Location{}":                                         true,
		"*get() = zero":                                                          true,
		"var h holder; *h.z = zero":                                              true,
		"var h holder; *h.list[0] = zero":                                        true,
		"var h holder; for _, p := range h.list { *p = zero }":                   true,
		"var h holder; p := &h.z; **p = zero":                                    true,
		"var m map[int]*time.Location; *m[1] = zero":                             true,
		"var ch chan *time.Location; *<-ch = zero":                               true,
		"var x any = time.UTC; *x.(*time.Location) = zero":                       true,
		"switch x := x.(type) { case *time.Location: *x = zero }":                true,
		"var z zone; *z.Zone() = zero":                                           true,
		"m := (*mine)(y); *m = zero":                                             true,
		"m := (*same)(y); *m = zero":                                             true,
		"var e embedding; *e.Location, _ = zero, 1":                              true,
		"var e embedding; *e.Location, _ = two()":                                true,
		"z := time.UTC; for *z = range zones { }":                                true,
		"z := time.UTC; for _, *z = range list { }":                              true,
		"z := time.UTC; select { case *z = <-zones: }":                           true,
		"func() { z := time.UTC; func() { *z = zero }() }()":                     true,
		"}; func other[T any](p *T, v T) { *p = v":                               true,
		"}; type box[T any] struct{ p *T }; func (b box[T]) set(v T) { *b.p = v": true,
		"var b holder; p := &b; *p = holder{n: 1}; p.z = time.UTC":               false,
		"p := new(int); *p = 1; *p += f(); *p++":                                 false,
		"room := &teams[0]; before := *room; *room = t[1]; *room = before":       false,
		"utc := time.UTC; u := t.In(utc); if utc == time.Local { f(u) }":         false,
	} {
		e := catalog.Lookup("exercise10")
		files := maps.Clone(e.Solution)
		files["zz_added.go"] = []byte("package " + e.Package + "\n\nimport \"time\"\n" + declarations + "func f() {\n" +
			body + "\n}\n")
		problems, unparsed := Policy(e, files)
		found := slices.ContainsFunc(problems, func(p Problem) bool { return strings.Contains(p.Message, "*time.Location") })
		if found != refused || len(unparsed) > 0 || !refused && len(problems) > 0 {
			t.Errorf("%s: %v %v", body, problems, unparsed)
		}
	}
}
