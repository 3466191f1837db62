package api

import (
	"strings"
	"time"
)

// A played is a program and the answer that it gets at play.golang.org. If a limit ended the program, the answer here
// also names the limit.
type played struct {
	name, body string
	vet        bool
	errors     string // the whole of Errors
	printed    string // in what all events say together, as a part
	events     string // all of Events, as JSON; "" for any
	status     int
	test       bool
	failed     int
	vetErrors  string
}

// outOfTime returns a program that only the time limit of the server ends.
func outOfTime(limit time.Duration) played {
	return played{body: "package main\n\nfunc main() {\n\tprintln(1)\n\tfor {\n\t}\n}\n", status: 1,
		events: `[{"Message":"1\ntimeout running program after ` + limit.String() +
			`\n","Kind":"stderr","Delay":0}]`}
}

// playgroundPrograms has a program for each kind of behaviour that clients of the playground rely on, and
// morePlaygroundPrograms has further ones of these kinds.
var playgroundPrograms = []played{
	{name: "the clock stands", body: "package main\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\nfunc main() {\n" +
		"\ta := time.Now()\n\tfor i := range 1000000 {\n\t\t_ = i\n\t}\n\tfmt.Println(a, time.Since(a))\n}\n",
		printed: "2009-11-10 23:00:00 +0000 UTC m=+0.000000001 0s\n"},
	{name: "tickers keep their order", printed: "abaabcaabaacbd", body: `package main

import "time"

func main() {
	a, b, c, d := time.Tick(2*time.Second), time.Tick(4*time.Second-1), time.Tick(8*time.Second-2),
		time.After(16*time.Second-3)
	for {
		select {
		case <-a:
			print("a")
		case <-b:
			print("b")
		case <-c:
			print("c")
		case <-d:
			print("d")
			return
		}
	}
}
`},
	{name: "a time zone", body: "package main\n\nimport \"time\"\n\nfunc main() {\n" +
		"\tl, err := time.LoadLocation(\"Asia/Tokyo\")\n\tif err != nil {\n\t\tpanic(err)\n\t}\n" +
		"\tprintln(time.Now().In(l).String())\n}\n",
		printed: "2009-11-11 08:00:00 +0900 JST\n"},
	{name: "the files there are", printed: strings.Join([]string{"/", "/dev", "/dev/null", "/dev/random",
		"/dev/urandom",
		"/dev/zero", "/etc", "/etc/group", "/etc/hosts", "/etc/passwd",
		"/etc/resolv.conf", "/tmp", "/usr", "/usr/local", "/usr/local/go", "/usr/local/go/lib",
		"/usr/local/go/lib/time",
		"/usr/local/go/lib/time/zoneinfo.zip", ""}, "\n"), body: `package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
)

func main() {
	filepath.WalkDir("/", func(path string, entry fs.DirEntry, err error) error {
		fmt.Println(path)
		return err
	})
}
`},
	{name: "another package", body: "package other\n\nfunc main() {}\n", errors: "package name must be main"},
	{name: "stdout and stderr in their order",
		events: `[{"Message":"1\n","Kind":"stdout","Delay":0},{"Message":"2\n","Kind":"stderr","Delay":1},` +
			`{"Message":"3\n4\n","Kind":"stdout","Delay":1},{"Message":"5\n","Kind":"stderr","Delay":2999999998},` +
			`{"Message":"6\n","Kind":"stdout","Delay":3000000000}]`,
		body: `package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	fmt.Println(1)
	fmt.Fprintln(os.Stderr, 2)
	fmt.Println(3)
	fmt.Println(4)
	time.Sleep(3 * time.Second)
	fmt.Fprintln(os.Stderr, 5)
	time.Sleep(3 * time.Second)
	fmt.Println(6)
}
`},
	{name: "bytes that are no UTF-8", body: "package main\n\nimport \"os\"\n\n" +
		"func main() { os.Stdout.Write([]byte(\"a\\xff\\xfeb\\xe2\\x82\")) }\n",
		events: `[{"Message":"a��b��","Kind":"stdout","Delay":0}]`},
	{name: "a panic", body: "package main\n\nfunc main() { panic(\"x\") }\n", status: 2,
		printed: "panic: x\n\ngoroutine 1 [running]:\nmain.main()\n"},
	{name: "vet finds something", body: "package main\n\nimport \"fmt\"\n\nfunc main() {\n" +
		"\tfmt.Printf(\"%d and %d\\n\", 1)\n}\n", vet: true, printed: "1 and %!d(MISSING)\n",
		vetErrors: "./prog.go:6: fmt.Printf format %d reads arg #2, but call has 1 arg\n"},
	{name: "tests fail", test: true, failed: 2, status: 1, body: "package main\n\nimport \"testing\"\n\n" +
		"func TestA(t *testing.T) { t.Error(\"a\") }\n\nfunc TestB(t *testing.T) {}\n\nfunc TestC(t *testing.T) { " +
		"t.Fatal(\"c\") }\n",
		printed: "    prog_test.go:5: a\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\n"},
	{name: "an example fails", test: true, failed: 1, status: 1, body: "package main\n\nimport \"fmt\"\n\n" +
		"func Example_x() {\n\tfmt.Println(1)\n\t// Output: 2\n}\n",
		printed: "=== RUN   Example_x\n--- FAIL: Example_x (0.00s)\ngot:\n1\nwant:\n2\nFAIL"},
	{name: "seeds of a fuzz test", test: true, body: "package main\n\nimport \"testing\"\n\nfunc FuzzX(f " +
		"*testing.F) {\n\tf.Add(1)\n\tf.Fuzz(func(t *testing.T, n int) {})\n}\n",
		printed: "=== RUN   FuzzX\n=== RUN   FuzzX/seed#0\n--- PASS: FuzzX (0.00s)\n" +
			"    --- PASS: FuzzX/seed#0 (0.00s)\nPASS"},
	{name: "a benchmark", test: true, body: "package main\n\nimport \"testing\"\n\nvar kept []byte\n\n" +
		"func BenchmarkMake(b *testing.B) {\n\tfor b.Loop() {\n\t\tkept = make([]byte, 48)\n\t}\n}\n",
		printed: "BenchmarkMake \t    1000\t      48 B/op\t       1 allocs/op\nPASS\n"},
	{name: "tests in files of any name", test: true, failed: 1, status: 1, body: "-- add.go --\npackage main\n\n" +
		"func add(a, b int) int { return a + b }\n-- add_test.go --\npackage main\n\nimport \"testing\"\n\n" +
		"func TestAdd(t *testing.T) {\n\tif add(1, 2) != 4 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
		printed: "=== RUN   TestAdd\n    add_test.go:7: wrong\n--- FAIL: TestAdd (0.00s)\nFAIL"},
	{name: "a pipe without its error", printed: "\"\"\n" +
		"prog.go:12: os.Pipe always fails here (wasip1/wasm has none), and the program ignores its error\n", body: `package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

func main() {
	old := os.Stdout
	r, w, _ := os.Pipe()
	os.Stdout = w
	fmt.Println("captured")
	w.Close()
	os.Stdout = old
	var buf bytes.Buffer
	io.Copy(&buf, r)
	fmt.Printf("%q\n", buf.String())
}
`},
	{name: "a package in a folder", vet: true, body: "package main\n\nimport \"example.test/greet\"\n\n" +
		"func main() { greet.All() }\n-- go.mod --\nmodule example.test\n-- greet/greet.go --\npackage greet\n\n" +
		"import \"fmt\"\n\nfunc All() { fmt.Println(\"all\") }\n",
		printed: "all\n"},
	{name: "no package banner", body: "package main\n\nfunc main() { f() }\n-- f.go --\npackage main\n\nfunc f() {\n" +
		"\t]\n}\n", errors: "./f.go:4:2: syntax error: unexpected ], expected }\n./f.go:5:1: syntax error: " +
		"non-declaration statement outside function body\n"},
	{name: "a file to embed", body: "package main\n\nimport _ \"embed\"\n\n//go:embed text.txt\nvar text string\n\n" +
		"func main() { print(text) }\n-- text.txt --\nhere\n",
		events: `[{"Message":"here\n","Kind":"stderr","Delay":0}]`},
}

var morePlaygroundPrograms = []played{
	{name: "summer time", body: "package main\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\nfunc main() {\n" +
		"\tl, _ := time.LoadLocation(\"Europe/Paris\")\n\tfmt.Println(time.Date(2012, 7, 14, 12, 0, 0, 0, l))\n}\n",
		printed: "2012-07-14 12:00:00 +0200 CEST\n"},
	{name: "vet finds nothing", body: hello, vet: true, printed: "hi\n"},
	{name: "vet is not asked", body: "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Printf(\"%d\\n\")\n}\n",
		printed: "%!d(MISSING)\n"},
	{name: "a test passes", test: true, body: "package main\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n" +
		"\tif 1+1 != 2 {\n\t\tt.Error(\"?\")\n\t}\n}\n",
		printed: "=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)\nPASS"},
	{name: "a test without its import", body: "package main\n\nfunc TestX(t *testing.T) {}\n",
		errors: "./prog_test.go:3:15: undefined: testing\n"},
	{name: "a test beside main", body: "package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Error() " +
		"}\n\nfunc main() { println(\"main\") }\n", events: `[{"Message":"main\n","Kind":"stderr","Delay":0}]`},
	{name: "an example", test: true, body: "package main // why not\n\nimport \"fmt\"\n\nfunc Example() {\n" +
		"\tfmt.Println(\"b\")\n\tfmt.Println(\"a\")\n\t// Unordered output:\n\t// a\n\t// b\n}\n",
		printed: "=== RUN   Example\n--- PASS: Example (0.00s)\nPASS"},
	{name: "an example without output", test: true, body: "package main\n\nfunc Example() { panic(1) }\n",
		printed: "testing: warning: no tests to run\nPASS"},
	{name: "an example beside main", body: "package main\n\nimport \"fmt\"\n\nfunc Example() {\n\tfmt.Println(1)\n" +
		"\t// Output: 2\n}\n\nfunc main() { fmt.Println(3) }\n",
		events: `[{"Message":"3\n","Kind":"stdout","Delay":0}]`},
	{name: "TestMain", test: true, status: 3, body: "package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n" +
		"func TestMain(m *testing.M) { os.Exit(m.Run() + 3) }\n", printed: "testing: warning: no tests to run\nPASS"},
	{name: "two files", body: "package main\n\nconst text = \"two\"\n\n-- main.go --\npackage main\n\n" +
		"func main() { println(text) }\n", events: `[{"Message":"two\n","Kind":"stderr","Delay":0}]`},
	{name: "a test of a package in a folder", test: true, body: "package main\n\nimport (\n\t\"testing\"\n\n" +
		"\t_ \"example.test/x\"\n)\n\nfunc TestX(t *testing.T) {}\n-- go.mod --\nmodule example.test\n-- x/x.go --\n" +
		"package x\n", printed: "--- PASS: TestX (0.00s)\nPASS"},
	{name: "a module in a folder", body: "package main\n\nimport \"example.test/b\"\n\nfunc main() { println(b.B) }\n" +
		"-- go.mod --\nmodule example.test/a\n\nrequire example.test/b v0.0.0\n\nreplace example.test/b => ./b\n" +
		"-- b/go.mod --\nmodule example.test/b\n-- b/b.go --\npackage b\n\nconst B = \"b\"\n",
		events: `[{"Message":"b\n","Kind":"stderr","Delay":0}]`},
	{name: "net without cgo", body: "package main\n\nimport \"net\"\n\n" +
		"func main() { println(net.ParseIP(\"192.0.2.1\").String()) }\n",
		events: `[{"Message":"192.0.2.1\n","Kind":"stderr","Delay":0}]`},
	{name: "an HTTP server", printed: "200 OK", body: `package main

import (
	"fmt"
	"net"
	"net/http"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, http.NotFoundHandler())
	http.DefaultClient.CheckRedirect = nil
	reply, err := http.Get("http://127.0.0.1:8080/")
	if err != nil {
		panic(err)
	}
	fmt.Println(reply.Status)
	fmt.Println("200 OK")
}
`},
}
