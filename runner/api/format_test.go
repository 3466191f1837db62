package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onthestack/internal/programs"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		imports    bool
		want       programs.Formatted
	}{
		{"gofmt", " package main\n    func main( ) {  }\n", false,
			programs.Formatted{Body: "package main\n\nfunc main() {}\n"}},
		{"imports alone are not touched", "package main\nvar _ = fmt.Printf", false,
			programs.Formatted{Body: "package main\n\nvar _ = fmt.Printf\n"}},
		{"missing", " package main\nvar _ = fmt.Printf", true,
			programs.Formatted{Body: "package main\n\nimport \"fmt\"\n\nvar _ = fmt.Printf\n"}},
		{"unused", "package main\nimport (\n\"os\"\n\"fmt\"\n)\nfunc main() { fmt.Print() }", true,
			programs.Formatted{Body: "package main\n\nimport (\n\t\"fmt\"\n)\n\nfunc main() { fmt.Print() }\n"}},
		{"error", "package 123\n", false, programs.Formatted{Error: "prog.go:1:9: expected 'IDENT', found 123"}},
		{"error with imports", "package 123\n", true,
			programs.Formatted{Error: "prog.go:1:9: expected 'IDENT', found 123"}},
		{"fragment", "x:=1", false, programs.Formatted{Body: "x := 1\n"}},
		{"nothing", "", false, programs.Formatted{}},
	} {
		form := url.Values{"body": {c.body}}
		if c.imports {
			form.Set("imports", "true")
		}
		a := postForm(t, "/fmt", form)
		if got := decode[programs.Formatted](t, a); a.status != http.StatusOK || got != c.want {
			t.Errorf("%s: status %d, %+v, want %+v", c.name, a.status, got, c.want)
		}
	}
	wantError(t, postForm(t, "/fmt", url.Values{"body": {strings.Repeat("x", maxProgram+1)}}),
		http.StatusRequestEntityTooLarge, "larger than 64 KiB")
	wantError(t, send(t, "POST", "/fmt", formType, "body=%zz"), http.StatusBadRequest, "cannot be read")
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"by symbol", "var _ = rand.IntN", `"math/rand/v2"`},
		{"by symbol, older", "var _ = rand.Intn", `"math/rand"`},
		{"the safer one", "var _ = rand.Read", `"crypto/rand"`},
		{"all symbols", "var _, _ = template.HTMLEscaper, template.JS(\"\")", `"html/template"`},
		{"unknown symbol", "var _ = fmt.Nothing", ""},
		{"a module of this machine", "var _ = wazero.NewRuntime", ""},
		{"a package of this repository", "var _ = verdict.Schema", ""},
		{"a variable of that name", "func f(strings struct{ ToUpper int }) int { return strings.ToUpper }", ""},
	} {
		form := url.Values{"body": {"package p\n\n" + c.in + "\n"}, "imports": {"true"}}
		got := decode[programs.Formatted](t, postForm(t, "/fmt", form))
		if got.Error != "" {
			t.Fatal(got.Error)
		}
		_, imported, _ := strings.Cut(got.Body, "import ")
		imported, _, _ = strings.Cut(imported, "\n")
		if imported != c.want {
			t.Errorf("%s: imports %s, want %s", c.name, imported, c.want)
		}
	}
}

// TestProofFormatHostile sends sources on which gofmt takes minutes or seconds: they come as multipart forms, which do not
// grow when they are encoded.
func TestProofFormatHostile(t *testing.T) {
	before := takeStock(t)
	const n = 60 << 10
	for name, text := range map[string]string{
		"functions": "package p\n\nvar x = " + strings.Repeat("func(){", n/8) + strings.Repeat("}", n/8),
		"sum":       "package p\n\nvar x = 1" + strings.Repeat("+1", n/2),
		"blocks": strings.Repeat("package p\n\nfunc main() {\n"+strings.Repeat("{\n", 900)+strings.Repeat("}\n", 901),
			1) +
			strings.Repeat("func f() {\n"+strings.Repeat("{\n", 900)+strings.Repeat("}\n", 901), 10),
		"very deep": "package p\n\nfunc f(){" + strings.Repeat("{", 30000) + strings.Repeat("}", 30001),
		"names":     "package p\n\nfunc main() {\n" + strings.Repeat("a.b\n", n/4) + "}",
	} {
		body := "--xx\r\nContent-Disposition: form-data; name=\"body\"\r\n\r\n" + text +
			"\r\n--xx\r\nContent-Disposition: form-data; name=\"imports\"\r\n\r\ntrue\r\n--xx--\r\n"
		a := send(t, "POST", "/fmt", "multipart/form-data; boundary=xx", body)
		if a.status != http.StatusOK {
			t.Errorf("%s: status %d: %.200s", name, a.status, a.body)
		}
		if r := decode[programs.Formatted](t, a); name == "sum" &&
			r.Error != "prog.go: formatting took longer than 3s and was stopped" {
			t.Errorf("%s: %.200s", name, a.body)
		}
	}
	before.compare(t)
}
