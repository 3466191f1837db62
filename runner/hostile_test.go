package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// A hostile is a program that a stranger may send, with what its answer has.
type hostile struct {
	name, body string
	errors     string // in Errors; "" for none at all
	printed    string // in what the events say
	status     int
}

const (
	// stoppedInTime is what the playground's sandbox prints for a program that ran too long.
	stoppedInTime = "timeout running program\n"
	outOfMemory   = "fatal error: out of memory"
)

// main_ is a main package of these declarations.
func main_(declarations string) string { return "package main\n\n" + declarations + "\n" }

// withMod is a program with a go.mod of its own.
func withMod(declarations, mod string) string { return main_(declarations) + "-- go.mod --\n" + mod }

// runs are programs that build.
var runs = []hostile{
	{"loops", main_("func main() { for {} }"), "", stoppedInTime, 1},
	{"loops over the clock", main_("import \"time\"\n\nfunc main() { for s := time.Now(); time.Since(s) < time.Second; {} }"), "", stoppedInTime, 1},
	{"prints, then loops", main_("func main() { println(1); for {} }"), "", "1\n" + stoppedInTime, 1},
	{"sleeps without end", main_("import \"time\"\n\nfunc main() { for { time.Sleep(time.Millisecond) } }"), "", stoppedInTime, 1},
	{"sleeps for ever", main_("import \"time\"\n\nfunc main() { time.Sleep(1<<63 - 1) }"), "", "", 0},
	{"deadlocks", main_("func main() { select {} }"), "", "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select (no cases)]:\nmain.main()\n", 2},
	{"waits for its input", main_("import (\n\t\"io\"\n\t\"os\"\n)\n\nfunc main() { io.ReadAll(os.Stdin); panic(\"end\") }"), "", "panic: end", 2},
	{"starts goroutines without end", main_("func main() { for { go func() { select {} }() } }"), "", "", anything},
	{"starts goroutines that start goroutines", main_("func f() { go f(); go f(); select {} }\n\nfunc main() { f() }"), "", "", anything},
	{"prints without end", main_("import \"fmt\"\n\nfunc main() { for { fmt.Println(\"a long line of output, a long line of output\") } }"), errOutputLarge, "", 0},
	{"prints one long line", main_("import \"strings\"\n\nfunc main() { println(strings.Repeat(\"x\", 100<<20)) }"), errOutputLarge, "", 0},
	{"prints in turns without end", main_("import \"os\"\n\nfunc main() { for { os.Stdout.Write([]byte{1}); os.Stderr.Write([]byte{2}) } }"), errOutputLarge, "", 0},
	{"asks for 8 GiB", main_("var n = 8 << 30\n\nfunc main() { println(len(make([]byte, n))) }"), "", "panic: runtime error: makeslice: len out of range", 2},
	{"asks for 1 GiB", main_("var n = 1 << 30\n\nfunc main() { println(len(make([]byte, n))) }"), "", outOfMemory, 2},
	{"allocates without end", main_("var kept [][]byte\n\nfunc main() { for { kept = append(kept, make([]byte, 1<<20)) } }"), "", outOfMemory, 2},
	{"maps without end", main_("func main() { m := map[int]int{}; for i := 0; ; i++ { m[i] = i } }"), "", "", anyStatus},
	{"recurses without end", main_("func f(n int) int { return f(n+1) + 1 }\n\nfunc main() { f(0) }"), "", "runtime: goroutine stack exceeds 4194304-byte limit\n", 2},
	{"recurses far", main_("func f(n int) int { if n == 0 { return 0 }; return f(n-1) + 1 }\n\nfunc main() { println(f(50_000)) }"), "", "50000\n", 0},
	{"exits with 3", main_("import \"os\"\n\nfunc main() { os.Exit(3) }"), "", "", 3},
	{"exits with 255", main_("import \"os\"\n\nfunc main() { os.Exit(255) }"), "", "", 255},
	{"exits with -1", main_("import \"os\"\n\nfunc main() { os.Exit(-1) }"), "", "", anyStatus},
	{"panics", main_("func main() { var m map[int]int; m[1]++ }"), "", "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n", 2},
	{"panics while it panics", main_("type e struct{}\n\nfunc (e) Error() string { panic(e{}) }\n\nfunc main() { panic(e{}) }"), "", "fatal error: panic while printing panic value", 2},
	{"kills itself", main_("import \"syscall\"\n\nfunc main() { syscall.Kill(syscall.Getpid(), 9) }"), "", "", anyStatus},
	{"starts a program", main_("import \"os/exec\"\n\nfunc main() { println(exec.Command(\"/bin/sh\", \"-c\", \"id\").Run().Error()) }"), "", "Not implemented on wasip1\n", 0},
	{"writes through nil", main_("func main() { var p *int; *p = 1 }"), "", "panic: runtime error: invalid memory address or nil pointer dereference", 2},
	{"writes out of its memory", main_("import \"unsafe\"\n\nvar at uintptr = 1 << 31\n\nfunc main() { *(*int)(unsafe.Pointer(at)) = 1 }"), "", "", anyStatus},
	{"writes over its runtime", main_("import \"unsafe\"\n\nfunc main() { for i := uintptr(4096); ; i += 8 { *(*uint64)(unsafe.Pointer(i)) = ^uint64(0) } }"), "", "", anyStatus},
	{"closes its streams", main_("import \"os\"\n\nfunc main() { os.Stdin.Close(); os.Stdout.Close(); os.Stderr.Close(); println(1); os.Stdout.Write([]byte{1}); os.Exit(7) }"), "", "", 7},
	{"reads the environment", main_("import (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() { for _, v := range os.Environ() { if len(v) > 40 { fmt.Println(v) } }; fmt.Println(os.Getenv(\"RUNNER_TEST_SECRET\"), \"end\") }"), "", " end\n", 0},
	{"reads files", main_("import (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tfor _, name := range []string{\"/proc/self/environ\", \"/proc/1/cmdline\", \"/etc/shadow\", \"/etc/hostname\", \"../../etc/shadow\", \"/opt\", \"/home\", \"/usr/bin/env\", \"/dev/mem\"} {\n\t\tif text, err := os.ReadFile(name); err == nil {\n\t\t\tfmt.Printf(\"%s: %q\\n\", name, text)\n\t\t}\n\t}\n\tfmt.Println(\"end\")\n}"), "", "end\n", 0},
	{"follows a link out", main_("import (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tos.Symlink(\"/etc/shadow\", \"/tmp/x\")\n\ttext, _ := os.ReadFile(\"/tmp/x\")\n\tfmt.Println(len(text), \"end\")\n}"), "", "0 end\n", 0},
	{"fills its disk", main_("import (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tf, _ := os.Create(\"/tmp/x\")\n\tfor n := 0; ; n++ {\n\t\tif _, err := f.Write(make([]byte, 1<<20)); err != nil {\n\t\t\tfmt.Println(n > 1, n < 300, err)\n\t\t\treturn\n\t\t}\n\t}\n}"), "", "true true write /tmp/x: ", 0},
	{"makes a large hole", main_("import \"os\"\n\nfunc main() { f, _ := os.Create(\"/tmp/x\"); println(f.Truncate(1<<50) != nil); _, err := f.WriteAt([]byte{1}, 1<<60); println(err != nil) }"), "", "true\ntrue\n", 0},
	{"makes files without end", main_("import (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() { for i := 0; ; i++ { if err := os.WriteFile(fmt.Sprint(\"/tmp/\", i), nil, 0o600); err != nil { println(\"full\"); return } } }"), "", "full\n", 0},
	{"calls out", main_("import (\n\t\"net\"\n\t\"time\"\n)\n\nfunc main() {\n\tfor _, to := range []string{\"127.0.0.1:22\", \"127.0.0.1:8080\", \"192.0.2.1:80\", \"[::1]:80\"} {\n\t\tif c, err := net.DialTimeout(\"tcp\", to, time.Second); err == nil { println(\"connected\", c) }\n\t}\n\tprintln(\"end\")\n}"), "", "end\n", 0},
	{"looks a name up", main_("import \"net\"\n\nfunc main() { _, err := net.LookupHost(\"example.com\"); println(err != nil) }"), "", "true\n", 0},
	{"imports the host's functions", main_("//go:wasmimport checkalloc write\nfunc write(p, n uint32)\n\nfunc main() { write(0, 64) }"), "", "the program was stopped: ", 2},
	{"has a test that never ends", main_("import \"testing\"\n\nfunc TestX(t *testing.T) { select {} }"), "", "deadlock", 2},
	{"has a benchmark that takes long", main_("import \"testing\"\n\nfunc BenchmarkX(b *testing.B) { for b.Loop() { for i := 0; i < 1<<30; i++ { } } }"), "", stoppedInTime, 1},
	{"has a benchmark that logs much", main_("import \"testing\"\n\nfunc BenchmarkX(b *testing.B) { for b.Loop() { for i := 0; i < 1<<30; i++ { b.Log() } } }"), "", "", anything},
}

// sources are programs that do not build, or not in time.
var sources = []hostile{
	{"a huge constant", main_("const x = 1 << 10000000\n\nfunc main() {}"), "./prog.go:3:16: ", "", 0},
	{"a product of huge constants", main_("const a = 1<<500 - 1\nconst b = a * a * a * a\n\nfunc main() {}"), "./prog.go:", "", 0},
	{"a constant that doubles", main_("const a = \"xxxxxxxxxxxxxxxx\"" + doubling(30) + "\n\nfunc main() {}"), "", "", anything},
	{"deep nesting", main_("var x = " + strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000) + "\n\nfunc main() {}"), "", "", anything},
	{"deep types", main_("var x " + strings.Repeat("[]", 20000) + "int\n\nfunc main() {}"), "", "", anything},
	{"deep functions", main_("var x = " + strings.Repeat("func(){", 6000) + strings.Repeat("}", 6000) + "\n\nfunc main() {}"), "", "", anything},
	{"generics that explode", main_(exploding(12) + "\n\nfunc main() { f0[int]() }"), "", "", anything},
	{"a generic of itself", main_("type T[P any] struct{ p *T[T[P]] }\n\nvar x T[int]\n\nfunc main() {}"), "./prog.go:3:8: instantiation cycle", "", 0},
	{"one long line", "package main; func main() {" + strings.Repeat("println();", 2500) + "}", "", "", anything},
	{"a type of itself", main_("type T [2]T\n\nfunc main() {}"), "invalid recursive type", "", 0},
	{"a variable of 8 GiB", main_("var x [8 << 30]byte\n\nfunc main() { x[len(x)-1] = 1; println(x[0]) }"), "symbol too large", "", 0},
	{"a variable that takes 1.8 GB to compile", main_("var x = [1900000000]byte{1899999999: 1}\n\nfunc main() { println(x[0]) }"), "go build ", "", 0},
	{"a large binary", main_("var x = [180000000]byte{179999999: 1}\n\nfunc main() { println(x[0]) }"), "", "", anything},
	{"many cases", main_("func main() {\n\tvar i any = 1\n\tswitch i {\n" + cases(4000) + "\t}\n}"), "", "", anything},
	{"a comment without end", main_("/*" + strings.Repeat("x", 60000)), "prog.go:3:1: comment not terminated\n", "", 0},
	{"NUL", main_("func main() {\x00}"), "./prog.go:3:14: invalid NUL character\n", "", 0},
	{"not UTF-8", main_("var s = \"\xff\"\n\nfunc main() {}"), "./prog.go:3:10: invalid UTF-8 encoding\n", "", 0},
	{"nothing but binary", "\x7fELF\x02\x01\x01\x00", "prog.go:1:1: ", "", 0},

	{"cgo", main_("import \"C\"\n\nfunc main() {}"), "./prog.go:3:8: import \"C\": there is no cgo here\n", "", 0},
	{"flags for cgo", main_("//go:cgo_ldflag \"-fplugin=/tmp/x.so\"\n\nfunc main() {}"), "./prog.go:3:3: ", "", 0},
	{"an import for cgo", main_("//go:cgo_import_dynamic x x \"libc.so.6\"\n\nfunc main() {}"), "", "", anything},
	{"assembly", main_("func main() {}") + "-- a.s --\n#include \"/etc/passwd\"\n", "a.s: a program here is made of Go files only\n", "", 0},
	{"C", main_("func main() {}") + "-- a.c --\n#include \"/etc/passwd\"\n", "a.c: a program here is made of Go files only\n", "", 0},
	{"an object", main_("func main() {}") + "-- a.syso --\nx\n", "a.syso: a program here is made of Go files only\n", "", 0},
	{"a constraint", "//go:build ignore\n\n" + main_("func main() {}"), "build constraints exclude all Go files", "", 0},
	{"a linkname", main_("import _ \"unsafe\"\n\n//go:linkname exit runtime.exit\nfunc exit(int32)\n\nfunc main() { exit(0) }"), "invalid reference to runtime.exit", "", 0},
	{"a line directive", "//line /etc/passwd:1\n" + main_("func main() { x }"), "undefined: x\n", "", 0},
	{"a plugin", main_("import _ \"plugin\"\n\nfunc main() {}"), "", "", anything},

	{"embeds what is outside", main_("import _ \"embed\"\n\n//go:embed ../*\nvar s string\n\nfunc main() {}"), "pattern ../*: invalid pattern syntax\n", "", 0},
	{"embeds an absolute name", main_("import _ \"embed\"\n\n//go:embed /etc/passwd\nvar s string\n\nfunc main() { print(s) }"), "pattern /etc/passwd: invalid pattern syntax\n", "", 0},
	{"embeds everything", main_("import \"embed\"\n\n//go:embed all:*\nvar fs embed.FS\n\nfunc main() { d, _ := fs.ReadDir(\".\"); for _, e := range d { if n := e.Name(); n != \"prog.go\" && n != \"go.mod\" && n != \"aa_stack.go\" { print(n) } } }"), "", "", anything},

	{"imports this repository", main_("import _ \"onthestack/internal/verdict\"\n\nfunc main() {}"), "package onthestack/internal/verdict is not in std", "", 0},
	{"calls itself this repository", withMod("import _ \"onthestack/internal/verdict\"\n\nfunc main() {}", "module onthestack\n\ngo 1.26\n"), "package onthestack/internal/verdict is not in std", "", 0},
	{"imports what is internal", main_("import _ \"internal/abi\"\n\nfunc main() {}"), "use of internal package internal/abi not allowed", "", 0},
	{"imports the compiler", main_("import _ \"cmd/internal/obj\"\n\nfunc main() {}"), "", "", notBuilt},
	{"imports by a path", main_("import _ \"../../etc\"\n\nfunc main() {}"), "", "", notBuilt},
	{"imports an address", main_("import _ \"127.0.0.1:8080/x\"\n\nfunc main() {}"), "", "", notBuilt},
	{"imports what no proxy has", main_("import _ \"invalid.invalid/x\"\n\nfunc main() {}"), "invalid.invalid/x", "", 0},
	{"replaces by what is outside", withMod("import _ \"a.b/c\"\n\nfunc main() {}", "module m\nreplace a.b/c => ../../../../etc\n"), "go.mod:2: replacement ../../../../etc is not in the program\n", "", 0},
	{"replaces by an absolute folder", withMod("import _ \"a.b/c\"\n\nfunc main() {}", "module m\nreplace a.b/c => /etc\n"), "go.mod:2: replacement /etc is not in the program\n", "", 0},
	{"wants another toolchain", withMod("func main() {}", "module m\n\ngo 1.99\n\ntoolchain go1.99.1\n"), "go.mod requires go >= 1.99", "", 0},
	{"wants an odd toolchain", withMod("func main() {}", "module m\n\ntoolchain ../../../bin/sh\n"), "go.mod:3: ", "", 0},
	{"sets GODEBUG", withMod("func main() { println(1) }", "module m\n\ngo 1.26\n\ngodebug (\n\tdefault=go1.21\n\texecerrdot=0\n)\n"), "", "1\n", 0},
	{"names a tool", withMod("func main() { println(1) }", "module m\n\ngo 1.26\n\ntool a.b/c\n"), "", "", anything},
	{"has a vendor folder", withMod("import _ \"a.b/c\"\n\nfunc main() {}", "module m\n\ngo 1.26\n\nrequire a.b/c v1.0.0\n") + "-- vendor/modules.txt --\n# a.b/c v1.0.0\n## explicit\na.b/c\n-- vendor/a.b/c/c.go --\npackage c\n", "a.b/c", "", 0},
	{"has a workspace", main_("func main() {}") + "-- go.work --\nuse /\n", "", "", 0},
	{"has a configuration", main_("func main() { println(1) }") + "-- go.env --\nGOFLAGS=-toolexec=/bin/false\n", "", "1\n", 0},
	{"has flags as an experiment", "// GOEXPERIMENT=x,GOFLAGS=-toolexec=/bin/false\n" + main_("func main() {}"), "unknown GOEXPERIMENT", "", 0},
	{"has an experiment that is none", "// GOEXPERIMENT=suchthing\n" + main_("func main() {}"), "unknown GOEXPERIMENT suchthing", "", 0},
	{"generates", main_("//go:generate /bin/false\n\nfunc main() { println(1) }"), "", "1\n", 0},

	{"a name with ..", main_("func main() {}") + "-- ../x.go --\n", `invalid file name "../x.go"`, "", 0},
	{"an absolute name", main_("func main() {}") + "-- /etc/x.go --\n", `invalid file name "/etc/x.go"`, "", 0},
	{"a name with NUL", main_("func main() {}") + "-- x\x00.go --\n", `invalid file name "x\x00.go"`, "", 0},
	{"a name with a backslash", main_("func main() {}") + "-- ..\\x.go --\n", `invalid file name "..\\x.go"`, "", 0},
	{"a file that is a folder", main_("func main() {}") + "-- x --\n-- x/y.go --\npackage y\n", `file name "x" is that of a folder too`, "", 0},
	{"a flag for a name", main_("func main() { println(1) }") + "-- -toolexec=x.go --\npackage main\n", "invalid input file name \"-toolexec=x.go\"", "", 0},
	{"thousands of files", main_("func main() {}") + manyFiles(5000), "too many files in txtar archive (5001 exceeds limit of 20)", "", 0},
	{"a file of the runner's", main_("func main() { println(1) }") + "-- aa_stack.go --\npackage main\n", "", "1\n", 0},
}

func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\nconst a%d = a%s + a%s", i, before(i), before(i))
	}
	return b.String()
}

func before(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprint(i - 1)
}

func exploding(n int) string {
	var b strings.Builder
	b.WriteString("type pair[A, B any] struct { a A; b B }\n")
	for i := range n {
		fmt.Fprintf(&b, "\nfunc f%d[T any]() { f%d[pair[T, int]](); f%d[pair[int, T]](); f%d[*T]() }", i, i+1, i+1, i+1)
	}
	fmt.Fprintf(&b, "\nfunc f%d[T any]() { var t T; print(&t) }", n)
	return b.String()
}

func cases(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "case %d:\n", i)
	}
	return b.String()
}

func manyFiles(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "-- %d --\n", i)
	}
	return b.String()
}

// Statuses in the tables above that stand for more than one.
const (
	anyStatus = -1 // of a program that ends somehow
	anything  = -2 // built or not, run or not: an answer is all that counts
	notBuilt  = -3 // some error of the build
)

// TestHostile has the server build and run all of them, some at a time. Each gets its answer within its limits, and afterwards a
// program runs as before, no file of this machine was shown, and nothing is left.
func TestHostile(t *testing.T) {
	t.Setenv("RUNNER_TEST_SECRET", "secret")
	compile(t, hello, false)
	before := takeStock(t)
	t.Run("all", func(t *testing.T) {
		for _, h := range append(runs[:len(runs):len(runs)], sources...) {
			t.Run(h.name, func(t *testing.T) {
				t.Parallel()
				h.test(t)
			})
		}
	})
	if r := compile(t, hello, false); r.printed("stdout") != "hi\n" {
		t.Errorf("afterwards hello world gives %+v", r)
	}
	before.compare(t)
}

func (h hostile) test(t *testing.T) {
	start := time.Now()
	a := postForm(t, "/compile", url.Values{"body": {h.body}})
	took := time.Since(start)
	t.Logf("answered in %v: %.200s", took.Round(time.Millisecond), a.body)
	if len(h.body) > maxProgram {
		wantError(t, a, http.StatusRequestEntityTooLarge, "larger than 64 KiB")
		return
	}
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	r := decode[programResponse](t, a)
	printed := r.printed("stdout") + r.printed("stderr")
	switch {
	case strings.Contains(a.body, "secret"):
		t.Error("the answer shows this process's environment")
	case h.status == anything:
	case h.status == notBuilt:
		if r.Errors == "" {
			t.Errorf("it was built: %s", a.body)
		}
	case (h.errors == "") != (r.Errors == ""), !strings.Contains(r.Errors, h.errors), !strings.Contains(printed, h.printed),
		h.status != anyStatus && r.Status != h.status:
		t.Errorf("errors %.500q, status %d, printed %.1000q; want %q, %d, %q", r.Errors, r.Status, printed, h.errors, h.status, h.printed)
	}
}

// TestHostileAtOtherDoors sends the sources to what else compiles, vets or formats them.
func TestHostileAtOtherDoors(t *testing.T) {
	before := takeStock(t)
	t.Run("all", func(t *testing.T) {
		for _, h := range sources {
			for _, path := range []string{"/vet", "/escape", "/fmt"} {
				t.Run(path+" "+h.name, func(t *testing.T) {
					t.Parallel()
					if a := postForm(t, path, url.Values{"body": {h.body}}); a.status != http.StatusOK && a.status != http.StatusRequestEntityTooLarge {
						t.Errorf("status %d: %s", a.status, a.body)
					}
				})
			}
		}
	})
	before.compare(t)
}

// TestNoFileOfTheHost compares what a program finds at well-known names with what is there.
func TestNoFileOfTheHost(t *testing.T) {
	r := compile(t, main_("import (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tfor _, name := range []string{\"/etc/passwd\", \"/etc/group\", \"/etc/hosts\", \"/etc/resolv.conf\"} {\n\t\ttext, err := os.ReadFile(name)\n\t\tfmt.Println(string(text), err)\n\t}\n}"), false)
	for _, name := range []string{"/etc/passwd", "/etc/group", "/etc/resolv.conf"} {
		text, err := os.ReadFile(name)
		for line := range strings.Lines(string(text)) {
			if err == nil && len(line) > 40 && strings.Contains(r.printed("stdout"), line) {
				t.Errorf("the program read %s of this machine: %s", name, line)
			}
		}
	}
}
