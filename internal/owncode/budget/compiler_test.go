package budget

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// TestCompiler holds directives against what the compiler of this machine says.
func TestCompiler(t *testing.T) {
	const src = `package x

type buffer struct {
	space [64]byte
	data  []byte
}

var sink any

func f(p int, n int) *int {
	a := new(int) //checkalloc:noescape
	//checkalloc:noescape
	b := new(int)
	sink = b
	c := [4]int{1} //checkalloc:noescape
	sink = &c
	var d buffer //checkalloc:noescape
	d.data = d.space[:0]
	sink = "text" //checkalloc:noescape
	sink = n      //checkalloc:noescape
	use(
		&buffer{}, //checkalloc:noescape
	)
	g := func() int { return *a } //checkalloc:noescape
	return h(g)
}

func use(b *buffer) { sink = b }

func h(f func() int) *int {
	x := f() //checkalloc:noescape
	return &x
}

func param(
	p int, //checkalloc:noescape
) *int {
	return &p
}

func used[T any](x T) *T {
	y := x //checkalloc:noescape
	return &y
}

func unused[T any](x T) *T {
	y := x //checkalloc:noescape
	return &y
}

func _() *int {
	y := 1 //checkalloc:noescape
	return &y
}

var after = 1 //checkalloc:noescape

func none() {
	println() //checkalloc:noescape
}

func init() {
	x := new(int) //checkalloc:noescape
	_ = x
	used(1)
	sink = used("")
}

var level = func() *int {
	return new(int) //checkalloc:noescape
}()
`
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/x\n\ngo 1.26.0\n", "x.go": src} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-gcflags=-m=2", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	diagnostics, _ := escape.Parse(out)
	kinds := map[int]Kind{} // by the line that is spoken of
	for _, f := range Check(parsed(t, "x.go", src), &verdict.Verdict{Escapes: diagnostics}) {
		kinds[f.Line] = f.Kind
	}
	lines := bytes.Split([]byte(src), []byte("\n"))
	for _, test := range []struct {
		code string
		want Kind
	}{
		{"a := new(int)", ""}, {"b := new(int)", Escapes}, {"c := [4]int{1}", Escapes}, {"var d buffer", ""},
		{`sink = "text"`, ""}, {"sink = n ", Escapes},
		{"&buffer{},", Escapes}, {"g := func()", ""}, {"x := f()", Escapes}, {"p int, //", Escapes}, {"println()", ""},
		{"var after", ""}, {"x := new(int)", ""},
		{"return new(int)", Escapes},
	} {
		i := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(test.code)) })
		if got := kinds[i+1]; got != test.want {
			t.Errorf("%s: %q, want %q", test.code, got, test.want)
		}
	}
	// Of the three that hold "y := …", in their order, two are never compiled.
	var generic []Kind
	for i, l := range lines {
		if bytes.Contains(l, []byte("y := ")) {
			generic = append(generic, kinds[i+1])
		}
	}
	if !slices.Equal(generic, []Kind{Escapes, Unchecked, Unchecked}) {
		t.Errorf("generic and unnamed functions: %q", generic)
	}
}
