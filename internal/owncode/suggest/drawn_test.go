package suggest

import (
	"go/importer"
	"go/token"
	"strings"
	"testing"

	"onthestack/internal/owncode/suggest/fix"
)

// TestComparison says which edits are compared on drawn inputs. The old text has {} where the new one has something
// else.
func TestComparison(t *testing.T) {
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", nil)
	for _, test := range []struct {
		name, source, edit string
		want               string // in the test file, "" for none
	}{
		{"data", "func f(m map[string][]float64, s [2]bool) (n int, err error) { {}; return }", "n++", `("f", f)`},
		{"a method", `
			type t struct{ n int; s []t }
			func (x *t) f(y int) int { {}; return x.f(y) }`, "y++", `("(*t).f", (*t).f)`},
		{"its receiver is drawn", `
			type t struct{ n int }
			func (x *t) f() int { {}; return 1 }`, "x.n++",
			`drawnCalls("(*t).f", (*t).f)`},
		{"a variadic function", "func f(all ...string) int { {}; return len(all) }", "all = all[1:]", `("f", f)`},
		{"an imported type", `
			import "time"
			func f(d time.Duration) int { {}; return int(d) }`, "d++", `("f", f)`},
		{"a named package", `
			import str "strings"
			func f(s string) string { {}; return str.ToUpper(s) }`, "s += s", `("f", f)`},
		{"a helper", `
			func f(n int) int { return g(n) }
			func g(n int) int { {}; return n }`, "n++", `("g", g)`},
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
			text := comparison(side(""), side(test.edit))
			if (text != nil) != (test.want != "") || !strings.Contains(string(text), test.want) {
				t.Fatalf("got %s, want %q", text, test.want)
			}
		})
	}
}

// TestAgree compares the lines that the test prints among other output.
func TestAgree(t *testing.T) {
	const one = "checkalloc-drawn: \"f\" \"f(1)\" \"2\" \"2\"\n"
	for _, test := range []struct {
		name, old, new string
		agreed         int
		why            string // of the refusal, "" for none
	}{
		{"nothing printed", "PASS\n", "PASS\n", 0, ""},
		{"the same", "hello\n" + one + "PASS\n", one, 1, ""},
		{"a difference", one, strings.Replace(one, "2\" \"2", "\\\"a b\\\"\" \"\\\"a b\\\"", 1), 0,
			`f(1) differs: before 2, now "a b"`},
		{"not steady", one, strings.Replace(one, "2", "3", 1), 0, ""},
		{"stopped", one + strings.Replace(one, "1", "2", 1), one, 1, ""},
		{"stopped in a line", one, one[:len(one)-2], 0, ""},
		{"two functions", one + strings.ReplaceAll(one, "f", "g"), strings.ReplaceAll(one, "f", "g") + one, 2, ""},
	} {
		agreed, err := agree([]byte(test.old), []byte(test.new))
		if agreed != test.agreed || (err != nil) != (test.why != "") || err != nil && err.Error() != test.why {
			t.Errorf("%s: %d, %v", test.name, agreed, err)
		}
	}
}
