package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const hello = `package main

import "fmt"

func main() { fmt.Println("hi") }
`

func TestCompileAnswersInThePlaygroundsShape(t *testing.T) {
	const want = `{"Errors":"","Events":[{"Message":"hi\n","Kind":"stdout","Delay":0}],"Status":0,"IsTest":false,"TestsFailed":0}` + "\n"
	body, err := json.Marshal(map[string]any{"Body": hello})
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]answer{
		"form":      postForm(t, "/compile", url.Values{"version": {"2"}, "body": {hello}}),
		"JSON":      send(t, "POST", "/compile", "application/json", string(body)),
		"query":     send(t, "GET", "/compile?body="+url.QueryEscape(hello), "", ""),
		"multipart": send(t, "POST", "/compile", "multipart/form-data; boundary=xx", "--xx\r\nContent-Disposition: form-data; name=\"body\"\r\n\r\n"+hello+"\r\n--xx--\r\n"),
	} {
		if a.status != http.StatusOK || a.body != want {
			t.Errorf("%s: status %d, %s", name, a.status, a.body)
		}
		for header, want := range map[string]string{
			"Content-Type": "application/json", "Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
		} {
			if got := a.header.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
	}
}

func TestCompileVets(t *testing.T) {
	const wrong = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Printf(\"%d\\n\", \"x\") }\n"
	for _, c := range []struct {
		name, program string
		vet, ok       bool
		problem       string
	}{
		{"clean", hello, true, true, ""},
		{"not asked", wrong, false, false, ""},
		{"wrong", wrong, true, false, "prog.go:5:27: fmt.Printf format %d has arg \"x\" of wrong type string\n"},
	} {
		r := compile(t, c.program, c.vet)
		if r.Errors != "" || r.VetOK != c.ok || r.VetErrors != c.problem {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

func TestCompileBuildErrors(t *testing.T) {
	for _, c := range []struct{ name, program, want string }{
		{"types", "package main\n\nfunc main() {\n\tx := 1\n\ty.z()\n}\n", "./prog.go:4:2: declared and not used: x\n./prog.go:5:2: undefined: y\n"},
		{"syntax", "package main\n\nfunc main() {\n\t=1\n}\n", "./prog.go:4:2: syntax error: unexpected =, expected }\n"},
		{"package", "package test\n\nfunc main() {}\n", "package name must be main"},
		{"no main", "package main\n", "runtime.main_main·f: function main is undeclared in the main package\n"},
		{"other module", "package main\n\nimport _ \"example.com/a\"\n\nfunc main() {}\n",
			"prog.go:3:8: no required module provides package example.com/a; to add it:\n\tgo get example.com/a\n"},
		{"this repository", "package main\n\nimport _ \"onthestack/internal/verdict\"\n\nfunc main() {}\n",
			"prog.go:3:8: package onthestack/internal/verdict is not in std ($GOROOT/src/onthestack/internal/verdict)\n"},
		{"embedding", "package main\n\nimport _ \"embed\"\n\n//go:embed ../*\nvar s string\n\nfunc main() {}\n",
			"prog.go:5:12: pattern ../*: invalid pattern syntax\n"},
		{"not UTF-8", "package main\n\nvar s = \"\xff\"\n\nfunc main() {}\n", "./prog.go:3:10: invalid UTF-8 encoding\n"},
	} {
		r := compile(t, c.program, true)
		if r.Errors != c.want || r.Events != nil || r.VetOK || r.VetErrors != "" {
			t.Errorf("%s: %+v, want %q", c.name, r, c.want)
		}
	}
}

func TestCompilePlaysBackTime(t *testing.T) {
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

// TestHostilePrograms has the server run what a stranger may send. Each gets its answer, and afterwards a program runs as
// before and nothing is left.
func TestHostilePrograms(t *testing.T) {
	compile(t, hello, false)
	before := takeStock(t)
	programs := []struct {
		name, body string
		errors     string // "" for a program that ends
		status     int
		stderr     string
	}{
		{"loops", "func main() { for {} }", errRunTime, 0, ""},
		{"loops over the clock", "import \"time\"\n\nfunc main() { for s := time.Now(); time.Since(s) < time.Second; {} }", errRunTime, 0, ""},
		{"sleeps without end", "import \"time\"\n\nfunc main() { for { time.Sleep(time.Millisecond) } }", errRunTime, 0, ""},
		{"sleeps for ever", "import \"time\"\n\nfunc main() { time.Sleep(1<<63 - 1) }", "", 0, ""},
		{"deadlocks", "func main() { select {} }", "", 2, "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select (no cases)]:\nmain.main()\n"},
		{"waits for its input", "import (\n\t\"io\"\n\t\"os\"\n)\n\nfunc main() { io.ReadAll(os.Stdin); panic(\"end\") }", "", 2, "panic: end"},
		{"starts goroutines", "func main() { for { go func() { select {} }() } }", errRunTime, 0, ""},
		{"prints without end", "import \"fmt\"\n\nfunc main() { for { fmt.Println(\"a long line of output, a long line of output\") } }", errOutputLarge, 0, ""},
		{"asks for 8 GiB", "var n = 8 << 30\n\nfunc main() { println(len(make([]byte, n))) }", "", 2, "panic: runtime error: makeslice: len out of range"},
		{"asks for 1 GiB", "var n = 1 << 30\n\nfunc main() { println(len(make([]byte, n))) }", "", 2, "fatal error: out of memory"},
		{"has a variable of 8 GiB", "var x [8 << 30]byte\n\nfunc main() { x[len(x)-1] = 1; println(x[0]) }", "play/prog.go:5:39: main.x: symbol too large (8589934592 bytes > 2000000000 bytes)\n", 0, ""},
		{"allocates without end", "var kept [][]byte\n\nfunc main() { for { kept = append(kept, make([]byte, 1<<20)) } }", "", 2, "fatal error: out of memory"},
		{"recurses without end", "func f(n int) int { return f(n+1) + 1 }\n\nfunc main() { f(0) }", "", 2, "runtime: goroutine stack exceeds 4194304-byte limit\n"},
		{"recurses far", "func f(n int) int { if n == 0 { return 0 }; return f(n-1) + 1 }\n\nfunc main() { println(f(50_000)) }", "", 0, "50000\n"},
		{"exits with 3", "import \"os\"\n\nfunc main() { os.Exit(3) }", "", 3, ""},
		{"panics", "func main() { var m map[int]int; m[1]++ }", "", 2, "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n\tplay/prog.go:3 "},
		{"kills itself", "import \"syscall\"\n\nfunc main() { syscall.Kill(syscall.Getpid(), 9) }", "", 137, ""},
		{"writes to what is closed", "import \"os\"\n\nfunc main() { os.Stdout.Close(); os.Stderr.Close(); println(1); os.Stdout.Write([]byte{1}) }", "", 2, "the program was stopped: out of bounds memory access\n"},
		{"writes through nil", "func main() { var p *int; *p = 1 }", "", 2, "panic: runtime error: invalid memory address or nil pointer dereference"},
		{"writes out of its memory", "import \"unsafe\"\n\nvar at uintptr = 1 << 31\n\nfunc main() { *(*int)(unsafe.Pointer(at)) = 1 }", "", 2, ""},
	}
	t.Run("all", func(t *testing.T) {
		for _, p := range programs {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				start := time.Now()
				r := compile(t, "package main\n\n"+p.body+"\n", false)
				if p.errors == "" && r.Errors != "" || !strings.Contains(r.Errors, p.errors) || r.Status != p.status ||
					!strings.Contains(r.printed("stderr"), p.stderr) {
					t.Errorf("errors %q, status %d, stderr %.1000q; want %q, %d, %q", r.Errors, r.Status, r.printed("stderr"), p.errors, p.status, p.stderr)
				}
				t.Logf("answered in %v", time.Since(start).Round(time.Millisecond))
			})
		}
	})
	if r := compile(t, hello, false); r.printed("stdout") != "hi\n" {
		t.Errorf("afterwards hello world gives %+v", r)
	}
	before.compare(t)
}

// TestHostileSources is the same for what is hard on the compiler or on the reader of requests.
func TestHostileSources(t *testing.T) {
	before := takeStock(t)
	for _, c := range []struct{ name, program, errors string }{
		{"a huge constant", "package main\n\nconst x = 1 << 10000000\n\nfunc main() {}\n", "./prog.go:3:16: invalid operation: invalid shift count 10000000 (untyped int constant)\n"},
		{"deep nesting", "package main\n\nvar x = " + strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000) + "\n\nfunc main() {}\n", ""},
		{"one long line", "package main; func main() {" + strings.Repeat("println();", 2500) + "}", ""},
		{"a type of itself", "package main\n\ntype T [2]T\n\nfunc main() {}\n", "invalid recursive type: T refers to itself"},
		{"a variable that takes 1.8 GB to compile", "package main\n\nvar x = [1900000000]byte{1899999999: 1}\n\nfunc main() { println(x[0]) }\n", "go build needed more than 2048 MiB of memory and was stopped"},
		{"cgo", "package main\n\nimport \"C\"\n\nfunc main() {}\n", "./prog.go:3:8: import \"C\": there is no cgo here\n"},
		{"a constraint", "//go:build ignore\n\npackage main\n\nfunc main() {}\n", "build constraints exclude all Go files"},
		{"a linkname", "package main\n\nimport _ \"unsafe\"\n\n//go:linkname exit runtime.exit\nfunc exit(int32)\n\nfunc main() { exit(0) }\n", "link: main: invalid reference to runtime.exit"},
		{"NUL", "package main\n\nfunc main() {\x00}\n", "./prog.go:3:14: invalid NUL character\n"},
		{"nothing but a line directive", "//line /etc/passwd:1\npackage main\n\nfunc main() { x }\n", "/etc/passwd:3: undefined: x\n"},
	} {
		r := compile(t, c.program, false)
		if !strings.Contains(r.Errors, c.errors) || c.errors == "" && r.Errors != "" {
			t.Errorf("%s: errors %.500q, want %q", c.name, r.Errors, c.errors)
		}
	}
	before.compare(t)
}
