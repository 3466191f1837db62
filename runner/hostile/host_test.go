package hostile

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/programs"
)

// hostAttacks send programs that look for the machine and for other readers, and a bomb, beside which another reader's
// program runs.
var hostAttacks = []attack{
	{"a bomb", unlimited, inSolution("texts", textsThatDouble).drop},
	{"no file of the host", unlimited, noFileOfTheHost},
	{"no network of the host", unlimited, noNetworkOfTheHost},
	{"no memory of others", unlimited, noMemoryOfOthers},
	{"nothing of others", unlimited, nothingOfOthers},
}

// noFileOfTheHost compares what a program reads at well-known names with the host's own files, and has a program look for
// folders of the host under any name.
func noFileOfTheHost(t *testing.T, r *target) {
	got := r.compile(t,
		does("fmt os", `for _, name := range []string{"/etc/passwd", "/etc/group", "/etc/hosts", "/etc/resolv.conf"} {
		text, err := os.ReadFile(name)
		fmt.Println(string(text), err)
	}`))
	for _, name := range []string{"/etc/passwd", "/etc/group", "/etc/resolv.conf"} {
		text, err := os.ReadFile(name)
		for line := range strings.Lines(string(text)) {
			if err == nil && len(line) > 40 && strings.Contains(printed(got, "stdout"), line) {
				t.Errorf("the program read %s of this machine: %s", name, line)
			}
		}
	}
	const asks = "asks for folders"
	touches[slices.IndexFunc(touches, func(h hostile) bool { return h.name == asks })].test(t, r)
}

// noNetworkOfTheHost has a program listen and dial: it reaches no listener of this machine, and none reaches it.
func noNetworkOfTheHost(t *testing.T, r *target) {
	host, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	met := make(chan string, 10)
	go func() {
		for {
			c, err := host.Accept()
			if err != nil {
				return
			}
			met <- "the program reached a listener of this machine"
			c.Close()
		}
	}()
	packets, err := net.ListenPacket("udp", host.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer packets.Close()
	go func() {
		if _, _, err := packets.ReadFrom(make([]byte, 1)); err == nil {
			met <- "the program sent this machine a packet"
		}
	}()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()

	over := make(chan struct{})
	dialed := make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			if c, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
				met <- "this machine reached a listener of the program"
				c.Close()
			}
			select {
			case <-over:
				dialed <- n
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	got := r.compile(t, does("net time", fmt.Sprintf(`l, err := net.Listen("tcp", %q)
	println(l.Addr().String(), err == nil)
	_, err = net.DialTimeout("tcp", %q, time.Second)
	println(err == nil)
	if c, err := net.Dial("udp", %[2]q); err == nil { c.Write([]byte("x")) }
	for n := 0; n < 1<<21; n++ {}`, addr, host.Addr())))
	close(over)
	if n := <-dialed; n < 2 {
		t.Errorf("this machine's client made only %d calls", n)
	}
	if printed := printed(got, "stderr"); printed != addr+" true\nfalse\n" {
		t.Errorf("printed %q", printed)
	}
	select {
	case problem := <-met:
		t.Error(problem)
	default:
	}
}

// noMemoryOfOthers has a program look at memory that it did not write, after another has filled all of its own.
func noMemoryOfOthers(t *testing.T, r *target) {
	const fills = "b := make([]byte, 200<<20); for i := 0; i < len(b); i += 512 { b[i] = 1 + " +
		"byte(i>>9)%7 }; println(len(b))"
	if got := r.compile(t, does("", fills)); printed(got, "stderr") != "209715200\n" {
		t.Fatalf("%+v", got)
	}
	const looks = "n := 0; b := make([]byte, 200<<20); for i := 0; i < len(b); i += 512 { if b[i] != 0 { " +
		"n++ } }; println(n)"
	if got := r.compile(t, does("", looks)); printed(got, "stderr") != "0\n" {
		t.Errorf("%+v", got)
	}
}

// nothingOfOthers has a program look for the files of another that was there before it.
func nothingOfOthers(t *testing.T, r *target) {
	const keeps = `os.WriteFile("/tmp/kept", []byte("x"), 0o666); os.RemoveAll("/etc"); println(os.Getpid() > 0)`
	const looks = `_, err := os.ReadFile("/tmp/kept"); println(err.Error()); _, err = os.Stat("/etc/passwd"); ` +
		`println(err == nil)`
	r.compile(t, does("os", keeps))
	if got := r.compile(t, does("os", looks)); printed(got, "stderr") != "open /tmp/kept: No such file or directory\n"+
		"true\n" {
		t.Errorf("%+v", got)
	}
}

// TestProofModulesOff has a server without third-party modules refuse them, and run what needs none.
func TestProofModulesOff(t *testing.T) {
	r := startTarget(t, unlimited, "--modules", "off")
	const third = "package main\n\nimport \"github.com/bradfitz/iter\"\n\nfunc main() { println(len(iter.N(3))) }\n"
	for name, c := range map[string]struct{ body, errors, printed string }{
		"of the standard library": {does("fmt strings", `fmt.Println(strings.ToUpper("hi"))`), "", "HI\n"},
		"of several packages": {"package main\n\nimport \"example.test/greet\"\n\nfunc main() { greet.All() }\n" +
			"-- go.mod --\nmodule example.test\n-- greet/greet.go --\npackage greet\n\nfunc All() { " +
			"println(\"all\") }\n", "",
			"all\n"},
		"of several modules": {"package main\n\nimport \"example.test/b\"\n\nfunc main() { println(b.B) }\n-- " +
			"go.mod --\nmodule example.test/a\n\nrequire example.test/b v0.0.0\n\nreplace example.test/b => ./b\n" +
			"-- b/go.mod --\nmodule example.test/b\n-- b/b.go --\npackage b\n\nconst B = \"b\"\n", "", "b\n"},
		"a test": {uses("testing", "func TestX(t *testing.T) {}"), "",
			"=== RUN   TestX\n--- PASS: TestX (0.00s)\nPASS"},
		"of a third party": {third, "prog.go:3:8: cannot find module providing package github.com/bradfitz/iter: " +
			"module lookup disabled by GOPROXY=off\n", ""},
		"that requires one": {third + "-- go.mod --\nmodule m\n\n" +
			"require github.com/bradfitz/iter v0.0.0-20191230175014-e8f45d346db8\n",
			"module lookup disabled by GOPROXY=off\n", ""},
		"that replaces by one": {third + "-- go.mod --\nmodule m\n\n" +
			"replace github.com/bradfitz/iter => golang.org/x/text v0.3.0\n", "module lookup disabled by GOPROXY=off\n",
			""},
		"a test of one": {uses("testing github.com/bradfitz/iter", "func TestX(t *testing.T) { t.Log(iter.N(3)) }"),
			"github.com/bradfitz/iter: module lookup disabled by GOPROXY=off\n", ""},
		"that is not there": {does("nosuch.example/x", "x.Y()"),
			"nosuch.example/x: module lookup disabled by GOPROXY=off\n", ""},
		"of this repository's": {main_("import _ \"onthestack/internal/verdict\"\n\nfunc main() {}"),
			"package onthestack/internal/verdict is not in std", ""},
		"with a vendor's folder": {hostileProgram(t, "has a vendor folder"), "module lookup disabled by GOPROXY=off\n",
			""},
	} {
		t.Run(name, func(t *testing.T) {
			got := r.compile(t, c.body)
			if (got.Errors == "") != (c.errors == "") || !strings.Contains(got.Errors, c.errors) ||
				!strings.Contains(printed(got, "stdout", "stderr"), c.printed) {
				t.Errorf("%+v, want %q, %q", got, c.errors, c.printed)
			}
		})
	}
	// vet's answer about it is just as clear.
	a := r.send(t, "/vet", formType, url.Values{"body": {third}}.Encode())
	if got := decode[programs.Response](t, a).Errors; !strings.Contains(got,
		"github.com/bradfitz/iter: module lookup disabled by GOPROXY=off\n") {
		t.Errorf("vet says %q", got)
	}
	r.stop(t)
}
