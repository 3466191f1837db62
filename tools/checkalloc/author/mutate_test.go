package author

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// keys returns the keys of the mutants that an operator makes of a file, or that all make if the operator is "".
func keys(t *testing.T, source, operator string) []string {
	t.Helper()
	mutants, err := mutantsOf([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, m := range mutants {
		if operator == "" || m.operator == operator {
			keys = append(keys, m.key())
		}
	}
	return keys
}

// TestOperators gives each operator a body of a function and compares the changed lines.
func TestOperators(t *testing.T) {
	for _, c := range []struct {
		operator, body string
		want           []string // "was => now"
	}{
		{arithmeticOperator, "x := a + b*c", []string{"x := a + b*c => x := a - b*c", "x := a + b*c => x := a + b/c"}},
		{arithmeticOperator, `x := "a" + s + "b"`, nil},
		{arithmeticOperator, "x := a**b", []string{"x := a**b => x := a/ *b"}},
		{arithmeticOperator, "x += 2", []string{"x += 2 => x -= 2"}},
		{arithmeticOperator, "x = -y", []string{"x = -y => x = +y"}},
		{boundaryOperator, "x = a <= b", []string{"x = a <= b => x = a < b"}},
		{boundaryOperator, "x = a == b", nil},
		{constantOperator, "x = 7", []string{"x = 7 => x = 8", "x = 7 => x = 6"}},
		{constantOperator, "x = 0", []string{"x = 0 => x = 1"}},
		{constantOperator, "x = y < 'a'", []string{"x = y < 'a' => x = y < ('a'+1)", "x = y < 'a' => x = y < ('a'-1)"}},
		{constantOperator, "var x [7]int", nil}, // see sizeOperator
		{statementOperator, "f(a)", []string{"f(a) => { }"}},
		{statementOperator, "b := 1; f(b)", []string{"b := 1; f(b) => b := 1; { _ = b; }"}},
		{statementOperator, "if ok { }", []string{"if ok { } => { }"}},
		{statementOperator, "x := 1", nil},
		{sizeOperator, "x := make([]byte, n)", []string{
			"x := make([]byte, n) => x := make([]byte, 16)[:n]", "x := make([]byte, n) => x := make([]byte, 256)[:n]",
			"x := make([]byte, n) => x := make([]byte, 4096)[:n]",
			"x := make([]byte, n) => x := make([]byte, 131072)[:n]",
			"x := make([]byte, n) => x := make([]byte, 1048576)[:n]",
		}},
		{sizeOperator, "x := make([]T, 0, n)", []string{
			"x := make([]T, 0, n) => x := make([]T, 0, 16)", "x := make([]T, 0, n) => x := make([]T, 0, 256)",
			"x := make([]T, 0, n) => x := make([]T, 0, 2048)", "x := make([]T, 0, n) => x := make([]T, 0, 16384)",
		}},
		{sizeOperator, "x := make(map[int]int, n)", nil},
		{sizeOperator, "var x [2*few]int", []string{"var x [2*few]int => var x [16]int", "var x [2*few]int => var x [256]int",
			"var x [2*few]int => var x [2048]int", "var x [2*few]int => var x [16384]int"}},
		{limitOperator, "x := make([]T, n)", []string{
			"x := make([]T, n) => x := make([]T, min(n, 16))", "x := make([]T, n) => x := make([]T, min(n, 256))",
			"x := make([]T, n) => x := make([]T, min(n, 2048))", "x := make([]T, n) => x := make([]T, min(n, 16384))",
		}},
		{limitOperator, "x.y = append(x.y, z)", []string{
			"x.y = append(x.y, z) => x.y = append(x.y, z); x.y = (x.y)[:min(len(x.y), 16)]",
			"x.y = append(x.y, z) => x.y = append(x.y, z); x.y = (x.y)[:min(len(x.y), 256)]",
			"x.y = append(x.y, z) => x.y = append(x.y, z); x.y = (x.y)[:min(len(x.y), 2048)]",
			"x.y = append(x.y, z) => x.y = append(x.y, z); x.y = (x.y)[:min(len(x.y), 16384)]",
		}},
		{limitOperator, "x = append(x, z)", nil},
		{limitOperator, "x.y = append(x.y, ' ', 1)", nil},
		{copyOperator, "copy(a, b)", []string{"copy(a, b) => min(len(a), len(b))"}},
		{statementOperator, "copy(a, b)", []string{"copy(a, b) => { }"}},
		{copyOperator, "n := copy(a, b)", []string{"n := copy(a, b) => n := min(len(a), len(b))"}},
		{copyOperator, "x := slices.Clone(y)", []string{"x := slices.Clone(y) => x := y"}},
		{resetOperator, "x = x[:0]", []string{"x = x[:0] => x = x"}},
		{statementOperator, "clear(x)", []string{"clear(x) => { }"}},
		{statementOperator, "x.y = nil", []string{"x.y = nil => { }"}},
	} {
		got := keys(t, "package p\n\nfunc f() {\n"+c.body+"\n}\n", c.operator)
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], "f "+c.operator+": ")
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(c.want))
		if !slices.Equal(got, want) {
			t.Errorf("%s of %q\n got %q\nwant %q", c.operator, c.body, got, want)
		}
	}
}

func TestResults(t *testing.T) {
	const source = `package p

type T struct{}

func (t *T) F() (n int, ok bool, text string, all []int, p *T, v T, err error) {
	return 0, a == b, "x", x, t, *t, err
}

func G() (bool, error) { return true, nil }
`
	want := []string{
		`T.F result: return 0, a == b, "x", x, t, *t, err => return (0) + 1, a == b, "x", x, t, *t, err`,
		`T.F result: return 0, a == b, "x", x, t, *t, err => return 0, !(a == b), "x", x, t, *t, err`,
		`T.F result: return 0, a == b, "x", x, t, *t, err => return 0, a == b, "", x, t, *t, err`,
		`T.F result: return 0, a == b, "x", x, t, *t, err => return 0, a == b, "x", nil, t, *t, err`,
		`T.F result: return 0, a == b, "x", x, t, *t, err => return 0, a == b, "x", x, nil, *t, err`,
		`T.F result: return 0, a == b, "x", x, t, *t, err => return 0, a == b, "x", x, t, T{}, err`,
		`T.F result: return 0, a == b, "x", x, t, *t, err => return 0, a == b, "x", x, t, *t, nil`,
		`G result: func G() (bool, error) { return true, nil } => func G() (bool, error) { return false, nil }`,
	}
	if got := keys(t, source, resultOperator); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestArguments proves that arguments are cut off where callers can see them.
func TestArguments(t *testing.T) {
	const source = `package p

type T struct{ Rows []row; n []row }

func (t *T) Sort(name string) { use(t.Rows, t.n, t.Rows) }

func sort(rows []row) {}
`
	var want []string
	for _, k := range []string{"16", "256", "4096", "131072", "1048576"} {
		want = append(want, "T.Sort limit: func (t *T) Sort(name string) { use(t.Rows, t.n, t.Rows) } => func (t *T) "+
			"Sort(name string) { name = name[:min(len(name), "+k+")]; use(t.Rows, t.n, t.Rows) }")
	}
	if got := keys(t, source, limitOperator); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestUnused proves that a change which leaves an import unused, or a variable, does not keep the mutant from
// compiling.
func TestUnused(t *testing.T) {
	const source = `package p

import (
	"slices"
	"strings"
)

func f(x []int) string {
	y := 1
	slices.Sort(x[y:])
	return strings.Repeat("x", y)
}
`
	mutants, err := mutantsOf([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		if m.operator == statementOperator {
			if s := string(m.source); strings.Contains(s, `"slices"`) || !strings.Contains(s, `"strings"`) ||
				!strings.Contains(s, "_ = x\n\t\t_ = y\n") {
				t.Errorf("%s\n%s", m.key(), s)
			}
			return
		}
	}
	t.Error("no statement is left out")
}

// TestNth proves that mutants alike have different keys, which do not depend on other functions or on lines.
func TestNth(t *testing.T) {
	const f = "func f() {\n\tx++\n\tx++\n}\n"
	want := []string{"f statement: x++ => { }", "f statement: x++ => { } (2)"}
	for _, source := range []string{f, "func g() { x++ }\n\n" + f} {
		got := keys(t, "package p\n\n"+source, "")
		if got = got[len(got)-2:]; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestBrokenSource(t *testing.T) {
	if _, err := mutantsOf([]byte("package p\nfunc {")); err == nil {
		t.Error("no error")
	}
}

// TestSolutions proves that every mutant of every solution parses, differs from the solution, and has a key of its own.
func TestSolutions(t *testing.T) {
	names, err := filepath.Glob("../../../solutions/exercise*/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no solution: %v", err)
	}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		starter, err := os.ReadFile(strings.Replace(name, "solutions", "exercises", 1))
		if err != nil {
			t.Fatal(err)
		}
		mutants, err := mutantsOf(source)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		known := map[string]bool{}
		for _, m := range mutants {
			if _, err := parser.ParseFile(token.NewFileSet(), name, m.source, parser.SkipObjectResolution); err != nil {
				t.Errorf("%s: %s: %v", name, m.key(), err)
			}
			if known[m.key()] || string(m.source) == string(source) || m.line < 1 {
				t.Errorf("%s:%d: %s: no mutant of its own", name, m.line, m.key())
			}
			known[m.key()] = true
		}
		// A file that solvers do not edit may have nothing but declarations.
		if len(mutants) == 0 && string(source) != string(starter) {
			t.Errorf("%s: no mutants", name)
		}
	}
}

func FuzzMutants(f *testing.F) {
	f.Add("package p\nfunc f(x []int) int { x = append(x[:0], 1); return len(x) }\n")
	f.Add("package p\ntype t struct{ a [3]int }\nfunc (t *t) F(s string) { t.a[0] = 0 }\n")
	f.Fuzz(func(t *testing.T, source string) {
		if _, err := mutantsOf([]byte(source)); err != nil && !strings.Contains(err.Error(), "parse") {
			t.Error(err)
		}
	})
}
