package why

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

func TestFuncName(t *testing.T) {
	for declaration, want := range map[string]string{
		"func Replace()":           "Replace",
		"func (t T) Len()":         "T.Len",
		"func (*T) Read()":         "(*T).Read",
		"func ((*T)) Read()":       "(*T).Read",
		"func (t T[K]) Len()":      "T[...].Len",
		"func (t *T[K, V]) Read()": "(*T[...]).Read",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+declaration+" {}\n", 0)
		if err != nil {
			t.Errorf("%s: %v", declaration, err)
			continue
		}
		if got := FuncName(file.Decls[0].(*ast.FuncDecl)); got != want {
			t.Errorf("%s: %q, want %q", declaration, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	names := PackageNames{"example.com/go-toml/v2": "toml", "gopkg.in/yaml.v3": "yaml", "fmt": "fmt"}
	for function, want := range map[string]string{
		"example.com/go-toml/v2.Unmarshal":          "toml.Unmarshal",
		"example.com/go-toml/v2.(*Decoder).Decode":  "toml.(*Decoder).Decode",
		"example.com/other/v3.New":                  "other.New",
		"gopkg.in/yaml.v3.Marshal":                  "yaml.Marshal",
		"net/http.(*Request).WithContext":           "http.(*Request).WithContext",
		"fmt.Sprint":                                "fmt.Sprint",
		"slices.Collect[go.shape.*example.com/x.T]": "slices.Collect[go.shape.*example.com/x.T]",
		"": "",
	} {
		if got := names.Short(function); got != want {
			t.Errorf("%s: %q, want %q", function, got, want)
		}
	}
}

func TestOutermost(t *testing.T) {
	for name, want := range map[string]string{
		"Replace": "Replace", "Replace.func1": "Replace", "Replace.func1.2": "Replace",
		"Replace.func1.func1": "Replace",
		"Replace-range1":      "Replace", "Replace-range1.func2": "Replace", "Replace.func1-range2": "Replace",
		"Replace.gowrap1": "Replace", "Replace.deferwrap1": "Replace",
		"Replace.1": "Replace", "Replace.12.func3": "Replace", "init.0": "init.0", "init.0.func1": "init.0",
		"(*T[...]).Read": "(*T[...]).Read", "(*T[...]).Read-fm": "(*T[...]).Read", "Map[...].func1": "Map[...]", "": "",
		"(*T).funcName": "(*T).funcName", "(*T).funcName.func1": "(*T).funcName", "(*T).func1": "(*T).func1",
		"(*T).func1.func2": "(*T).func1", "T.funcName": "T.funcName", "T.gowrapped": "T.gowrapped",
		"(*T).Read.(*U).Close.func1": "(*T).Read.(*U).Close", "Replace.find.func2-range1": "Replace.find",
	} {
		if got := Outermost(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
