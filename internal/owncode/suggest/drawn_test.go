package suggest

import (
	"go/importer"
	"go/token"
	"strings"
	"testing"

	"onthestack/internal/owncode/suggest/fix"
)

// TestComparison says which edits are compared on drawn inputs. The old text has {} where the new one has something
// else. The test file has to type-check.
func TestComparison(t *testing.T) {
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", nil)
	for _, test := range []struct {
		name, source, edit string
		want               string // in the test file, "" for none
	}{
		{"data", "func f(m map[string][]float64, s [2]bool) (n int, err error) { {}; return }", "n++", "fBeforeEdit("},
		{"a method", `
			type t struct{ n int; s []t }
			func (x *t) f(y int) int { {}; return x.f(y) }`, "y++", "(x *t) fBeforeEdit(y int)"},
		{"its receiver is drawn", `
			type t struct{ n int }
			func (x *t) f() int { {}; return 1 }`, "x.n++",
			`drawnDiffers("(*t).f", (*t).fBeforeEdit, (*t).f, end, &agreed)`},
		{"a variadic function", "func f(all ...string) int { {}; return len(all) }", "all = all[1:]",
			"fBeforeEdit(all ...string) int"},
		{"an imported type", `
			import "time"
			func f(d time.Duration) int { {}; return int(d) }`, "d++", "fBeforeEdit(d time.Duration)"},
		{"a named package", `
			import str "strings"
			func f(s string) string { {}; return str.ToUpper(s) }`, "s += s", `str "strings"`},
		{"a helper", `
			func f(n int) int { return g(n) }
			func g(n int) int { {}; return n }`, "n++", "gBeforeEdit"},
		{"nothing changed", "func f(n int) int { return n }\nvar x = 1{}", " + 1", ""},
		{"a function", "func f(do func()) int { {}; return 1 }", "do()", ""},
		{"an interface", "func f(v any) int { {}; return 1 }", "_ = v", ""},
		{"a pointer in a result", "func f(n int) *int { {}; return &n }", "n++", ""},
		{"a generic function", "func f[T any](v T) int { {}; return 1 }", "_ = v", ""},
		{"files", `
			import "os"
			func f(name string) error { {}; return os.RemoveAll(name) }`, "name += name", ""},
		{"files in a helper", `
			import "os"
			func f(s string) int { {}; g(s); return 1 }
			func g(s string) { os.Remove(s) }`, "s += s", ""},
		{"files in a method", `
			import "os"
			type n string
			func (s n) String() string { os.Remove(string(s)); return "" }
			func f(s n) string { {}; return g(s) }
			func g(v interface{ String() string }) string { return v.String() }`, "s += s", ""},
		{"files by the new code", `
			import "os"
			var _ = os.Args
			func f(name string) int { {}; return 1 }`, "os.Remove(name)", ""},
		{"a variable that can be called", `
			var out func(string)
			func f(s string) int { {}; out(s); return 1 }`, "s += s", ""},
		{"output", `
			import "fmt"
			func f(s string) int { {}; fmt.Println(s); return 1 }`, "s += s", ""},
		{"a goroutine", "func f(s string) int { {}; go f(s); return 1 }", "s += s", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			side := func(edit string) *fix.Program {
				source := strings.Replace(test.source, "{}", edit, 1)
				texts := map[string][]byte{"p.go": []byte("package p\n\n" + source + "\n")}
				p, err := fix.Check(fix.Source{ImportPath: "example.com/p", GOARCH: "amd64", GoVersion: "1.26",
					Names: []string{"p.go"}, Texts: texts, Importer: imports, Fset: fset})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			edited := side(test.edit)
			text := comparison(side(""), edited)
			if (text != nil) != (test.want != "") || !strings.Contains(string(text), test.want) {
				t.Fatalf("got %s, want %q", text, test.want)
			}
			if text != nil {
				if _, err := edited.With(map[string][]byte{drawnFile: text}); err != nil {
					t.Errorf("%v\n%s", err, text)
				}
			}
		})
	}
}

// TestParseDrawn reads the line of the test among other output.
func TestParseDrawn(t *testing.T) {
	for _, test := range []struct {
		output string
		agreed int
		input  string // of the difference
	}{
		{"PASS\n", 0, ""},
		{"checkalloc-drawn: 200 \"\" \"\" \"\"\nPASS\n", 200, ""},
		{"hello\ncheckalloc-drawn: 3 \"f(\\\"a b\\\")\" \"1\" \"2\"\nPASS\n", 3, `f("a b")`},
		{"checkalloc-drawn: 3 \"f(", 0, ""},
	} {
		agreed, d := parseDrawn([]byte(test.output))
		if agreed != test.agreed || (d != nil) != (test.input != "") || d != nil && d.input != test.input {
			t.Errorf("%q: %d, %v", test.output, agreed, d)
		}
	}
}
