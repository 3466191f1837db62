package userpkg

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"onthestack/internal/escape"
)

// TestTypesOfNewerRelease: compiled declarations that a newer release of Go has written leave types unknown, and a
// build for such a release is asked for declarations that this program can read.
func TestTypesOfNewerRelease(t *testing.T) {
	const object = "go object linux amd64 go1.99 GOAMD64=v1\nbuild id \"x\"\n\n" +
		"$$B\nu\x63\x00\x00\x00newer than all\n$$\n"
	archive := filepath.Join(t.TempDir(), "lib.a")
	header := fmt.Sprintf("!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10d`\n", "__.PKGDEF", 0, 0, 0, 0o644, len(object))
	if err := os.WriteFile(archive, []byte(header+object), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &Package{Metadata: Metadata{ImportPath: "m", GoFiles: []string{"m.go"}}, GOARCH: "amd64", Go: "go1.99.1",
		env: []string{"A=b"}}
	p.Texts = map[string][]byte{"m.go": []byte("package m\n\nimport \"lib\"\n\nfunc f() (any, any) {\n" +
		"\tn := 1\n\treturn n, lib.T{}\n}\n")}
	all := func(string, int, int) bool { return true }
	types := p.Types(Exports{"lib": {Name: "lib", File: archive}}, all)
	for subject, want := range map[string]bool{"n": true, "lib.T{}": false} {
		d := escape.Diagnostic{File: "m.go", Line: 7, Kind: escape.Escape, Message: subject + " escapes to heap"}
		if _, known := types.Value(d); known != want {
			t.Errorf("%s: known %v, want %v", subject, known, want)
		}
	}
	if env := p.readableEnv(); !slices.Contains(env, "GOTOOLCHAIN="+runtime.Version()) || len(p.env) != 1 {
		t.Errorf("%q", env)
	}
	p.Go = runtime.Version()
	if env := p.readableEnv(); len(env) != 1 {
		t.Errorf("%q", env)
	}
}

// TestConvert proves that a struct or an array of a single string or slice is copied into an interface like that string
// or slice.
func TestConvert(t *testing.T) {
	p := &Package{Metadata: Metadata{ImportPath: "m", GoFiles: []string{"m.go"}}, GOARCH: "amd64",
		Go: runtime.Version()}
	p.Texts = map[string][]byte{"m.go": []byte(`package m

type list struct{ inner [1][]int }
type name struct{ text string }
type both struct{ a, b string }
type none struct{ a, b uint64 }
type number struct{ n uint32 }

func f(list list, name name, both both, none none, number number) []any {
	return []any{list, name, both, none, number}
}
`)}
	all := func(string, int, int) bool { return true }
	types := p.Types(Exports{}, all)
	for subject, want := range map[string]string{"list": "convTslice", "name": "convTstring", "both": "convT",
		"none": "convTnoptr", "number": "convT32"} {
		d := escape.Diagnostic{File: "m.go", Line: 10, Kind: escape.Escape, Message: subject + " escapes to heap"}
		if v, known := types.Value(d); !known || v.Convert != "runtime."+want {
			t.Errorf("%s: %q, known %v, want %s", subject, v.Convert, known, want)
		}
	}
}

// TestValue finds the types of expressions that the compiler prints in another notation than the source has.
func TestValue(t *testing.T) {
	p := &Package{Metadata: Metadata{ImportPath: "m", GoFiles: []string{"m.go"}}, GOARCH: "amd64",
		Go: runtime.Version()}
	p.Texts = map[string][]byte{"m.go": []byte(`package m

type table map[string]int

func f(n int) []any {
	return []any{make([]interface{}, 0, n), make([]any, n), make(table, n), table{"a": n}, len(name())}
}

func name() string { return "" }
`)}
	types := p.Types(Exports{}, func(string, int, int) bool { return true })
	for subject, want := range map[string]escape.Value{
		"make([]interface {}, 0, n)": {Size: -1, Pointers: true, Storage: escape.Array},
		"make([]interface {}, n)":    {Size: -1, Pointers: true, Storage: escape.Array},
		"make(table, n)":             {Size: -1, Pointers: true, Storage: escape.Map},
		"table{...}":                 {Size: -1, Pointers: true, Storage: escape.Map},
		"~r0":                        {Size: 16, Pointers: true, Convert: "runtime.convTstring"},
	} {
		d := escape.Diagnostic{File: "m.go", Line: 6, Col: 97, Kind: escape.Escape,
			Message: subject + " escapes to heap"}
		if v, known := types.Value(d); !known || v != want {
			t.Errorf("%s: %+v, known %v, want %+v", subject, v, known, want)
		}
	}
}

// TestValueOfGeneric finds the types in a generic function, whose type arguments the compiler prints.
func TestValueOfGeneric(t *testing.T) {
	p := &Package{Metadata: Metadata{ImportPath: "m", GoFiles: []string{"m.go"}}, GOARCH: "amd64",
		Go: runtime.Version()}
	p.Texts = map[string][]byte{"m.go": []byte(`package m

type set[T comparable] map[T]struct{}
type list[T any] []T
type box[T any] struct{ set set[int]; all []T }

func f[T comparable](n int) []any {
	return []any{make(set[T], n), make(set[map[T]int], n), make(list[T], n), &box[T]{}, new(box[T]), set[T]{}}
}
`)}
	types := p.Types(Exports{}, func(string, int, int) bool { return true })
	aMap := escape.Value{Size: -1, Pointers: true, Storage: escape.Map}
	for subject, want := range map[string]escape.Value{
		"make(set[go.shape.string], n)":         aMap,
		"make(set[map[go.shape.string]int], n)": aMap,
		"set[go.shape.struct { a []int }]{}":    aMap,
		"&box[go.shape.int]{}":                  {Size: 32, Pointers: true},
		"new(box[go.shape.[]int])":              {Size: 32, Pointers: true},
		"make(list[go.shape.int], n)":           {}, // whether it has pointers depends on T
		"make(other[go.shape.string], n)":       {},
	} {
		d := escape.Diagnostic{File: "m.go", Line: 8, Kind: escape.Escape, Message: subject + " escapes to heap"}
		if v, known := types.Value(d); v != want || known != (want != escape.Value{}) {
			t.Errorf("%s: %+v, known %v, want %+v", subject, v, known, want)
		}
	}
}
