package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"onthestack/internal/sandbox"
	"onthestack/runner/queue"
)

// TestProofLongProgramsAreBehind has a server with one slot run programs that never end: one that is compiled to
// machine code, and one with a function that is too large for that. Meanwhile the slot is free: the programs of the
// same client are answered as if it did not run, and it still has its answer.
func TestProofLongProgramsAreBehind(t *testing.T) {
	s, address := slotServer(t, 1, 20)
	s.settings.Program.Time = 2 * time.Second
	form := func(program string) string { return url.Values{"body": {program}}.Encode() }
	for name, body := range map[string]string{
		"a short function": "\tfor {\n\t}\n",
		"a large function": "\tm := map[int]int{}\n\tfor {\n" + strings.Repeat("\t\tm[len(m)] = m[0]\n", 1500) +
			"\t}\n",
	} {
		t.Run(name, func(t *testing.T) {
			program := "package main\n\nfunc main() {\n\tprintln(\"begun\")\n" + body + "}\n"
			if refused := hasLargeFunction(t, s, program); refused != (name == "a large function") {
				t.Fatalf("it has a function that is too large to be compiled: %t", refused)
			}
			var all sync.WaitGroup
			all.Go(func() {
				a := sendFrom(t, t.Context(), "192.0.2.1", address+"/compile", formType, form(program))
				const want = `{"Message":"begun\ntimeout running program after `
				if a == nil || a.status != http.StatusOK || strings.Count(a.body, "begun") != 1 ||
					!strings.Contains(a.body, want) {
					t.Errorf("the program without end gave %+v", a)
				}
			})
			waitFor(t, "the program to be in the background", func() bool {
				return scrape(t, address)[`runner_queue_background{queue="work"}`] == 1
			})
			if n := s.builds.Counts(); n.Working != 1 || n.Waiting != 0 {
				t.Errorf("%+v", n)
			}
			for range 2 {
				a := sendFrom(t, t.Context(), "192.0.2.1", address+"/compile", formType, form(anotherHello()))
				if a == nil || a.status != http.StatusOK || !strings.Contains(a.body, `"Message":"Hello `) {
					t.Fatalf("another program got %+v", a)
				}
			}
			all.Wait()
		})
	}
	if n := scrape(t, address)[`runner_queue_preempted_total{queue="work"}`]; n != 0 {
		t.Errorf("%v were preempted", n)
	}
}

// hasLargeFunction reports whether a program has a function that is too large to be compiled to machine code.
func hasLargeFunction(t *testing.T, s *Server, program string) bool {
	t.Helper()
	_, built := buildProgram(t, s.progress(), program)
	// The tests of a check run only if they can be compiled, and any program can be loaded as such.
	limits := s.settings.Program
	limits.Time = time.Millisecond
	loaded, err := sandbox.Wasm{Limits: limits}.Load(t.Context(), built.Binary)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	run, err := loaded.Run(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(run.Output), "one function has more than")
}

// TestProofCompiledElsewhere runs programs that are compiled to machine code in a process of their own. They cannot be
// told from programs that run inside the server.
func TestProofCompiledElsewhere(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"computes", "func fib(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn fib(n-1) + fib(n-2)\n}\n\n" +
			"func main() {\n\tfmt.Print(fib(34), time.Now().UTC().Year(), len(os.Args), len(os.Environ()))\n}\n",
			`{"Message":"5702887 2009 1 0","Kind":"stdout","Delay":0}],"Status":0`},
		{"sleeps and fails", "func main() {\n\tfor i := range 50_000_000 {\n\t\tn += i\n\t}\n" +
			"\ttime.Sleep(time.Second)\n\tfmt.Fprint(os.Stderr, \"late\")\n\tos.Exit(3)\n}\n\n" +
			"var n int\n\nvar _ = fmt.Sprint\n",
			`{"Message":"late","Kind":"stderr","Delay":1000000000}],"Status":3`},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := fmt.Sprintf("package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"time\"\n)\n\n%s", c.body)
			a := send(t, "POST", base+"/compile", formType, url.Values{"body": {program}}.Encode())
			if a.status != http.StatusOK || !strings.Contains(a.body, c.want) {
				t.Errorf("status %d: %s\nwant %s", a.status, a.body, c.want)
			}
		})
	}
}

// TestCompiledElsewhereFails has the process find no program, and has nobody wait for it.
func TestCompiledElsewhereFails(t *testing.T) {
	w := sandbox.Wasm{Limits: sandbox.Limits{Time: time.Second, Memory: 1 << 20, Output: 1 << 10}}
	missing := filepath.Join(t.TempDir(), "missing")
	nobody := func() bool { return false }
	const want = "read the program: "
	_, timer, end := withRequestTime(t.Context(), outOfReach)
	defer end()
	if r, err := runInProcess(t.Context(), timer, w, missing, nil, nobody); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("a file that is not there: %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(queue.ErrPreempted)
	if r, err := runInProcess(ctx, timer, w, missing, nil, nobody); !errors.Is(err, queue.ErrPreempted) {
		t.Errorf("preempted: %+v, %v", r, err)
	}
}
