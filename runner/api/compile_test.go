package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
)

const hello = `package main

import "fmt"

func main() { fmt.Println("hi") }
`

func TestCompileAnswersInThePlaygroundsShape(t *testing.T) {
	t.Parallel()
	const want = `{"Errors":"","Events":[{"Message":"hi\n","Kind":"stdout","Delay":0}],"Status":0,"IsTest":false,` +
		`"TestsFailed":0}` + "\n"
	body, err := json.Marshal(map[string]any{"Body": hello})
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]answer{
		"form":  postForm(t, "/compile", url.Values{"version": {"2"}, "body": {hello}}),
		"JSON":  send(t, "POST", "/compile", "application/json", string(body)),
		"query": send(t, "POST", "/compile?body="+url.QueryEscape(hello), "", ""),
		"multipart": send(t, "POST", "/compile", "multipart/form-data; boundary=xx",
			"--xx\r\nContent-Disposition: form-data; name=\"body\"\r\n\r\n"+hello+"\r\n--xx--\r\n"),
	} {
		if a.status != http.StatusOK || a.body != want {
			t.Errorf("%s: status %d, %s", name, a.status, a.body)
		}
		for header, want := range map[string]string{
			"Content-Type": "application/json", "Access-Control-Allow-Origin": "", "Vary": "Origin",
			"X-Content-Type-Options": "nosniff",
		} {
			if got := a.header.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
	}
}

func TestCompileVets(t *testing.T) {
	t.Parallel()
	const wrong = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Printf(\"%d\\n\", \"x\") }\n"
	for _, c := range []struct {
		name, program string
		vet, ok       bool
		problem       string
	}{
		{"clean", hello, true, true, ""},
		{"not asked", wrong, false, false, ""},
		{"wrong", wrong, true, false, "./prog.go:5:27: fmt.Printf format %d has arg \"x\" of wrong type string\n"},
	} {
		r := compile(t, c.program, c.vet)
		if r.Errors != "" || r.VetOK != c.ok || r.VetErrors != c.problem {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

func TestCompileBuildErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, program, want string }{
		{"types", "package main\n\nfunc main() {\n\tx := 1\n\ty.z()\n}\n", "./prog.go:4:2: declared and not used: x\n" +
			"./prog.go:5:2: undefined: y\n"},
		{"syntax", "package main\n\nfunc main() {\n\t=1\n}\n",
			"./prog.go:4:2: syntax error: unexpected =, expected }\n"},
		{"package", "package test\n\nfunc main() {}\n", "package name must be main"},
		{"no main", "package main\n", "runtime.main_main·f: function main is undeclared in the main package\n"},
		{"this repository", "package main\n\nimport _ \"onthestack/internal/verdict\"\n\nfunc main() {}\n",
			"prog.go:3:8: package onthestack/internal/verdict is not in std ($GOROOT/src/onthestack/internal/" +
				"verdict)\n"},
		{"embedding", "package main\n\nimport _ \"embed\"\n\n//go:embed ../*\nvar s string\n\nfunc main() {}\n",
			"prog.go:5:12: pattern ../*: invalid pattern syntax\n"},
		{"not UTF-8", "package main\n\nvar s = \"\xff\"\n\nfunc main() {}\n",
			"./prog.go:3:10: invalid UTF-8 encoding\n"},
	} {
		r := compile(t, c.program, true)
		if r.Errors != c.want || r.Events != nil || r.VetOK || r.VetErrors != "" {
			t.Errorf("%s: %+v, want %q", c.name, r, c.want)
		}
	}
}

func TestCompilePlaysBackTime(t *testing.T) {
	t.Parallel()
	r := compile(t, `package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	fmt.Println("A")
	fmt.Fprintln(os.Stderr, "B")
	fmt.Println("A")
	time.Sleep(time.Second)
	fmt.Fprintln(os.Stderr, "B\xff")
}
`, false)
	text, err := json.Marshal(r.Events)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"Message":"A\n","Kind":"stdout","Delay":0},{"Message":"B\n","Kind":"stderr","Delay":1},` +
		`{"Message":"A\n","Kind":"stdout","Delay":1},{"Message":"B�\n","Kind":"stderr","Delay":999999998}]`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}
