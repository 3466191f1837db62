package api

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/playground"
	"onthestack/internal/toolchain"
)

// A room is a server in a process of its own, to which hostile programs are sent. Tests see of it what an operator sees.
type room struct {
	process
	patience
	places chan struct{} // one for each request that it works on at once: with one of them a request waits for no other
	before figures
}

// roomPlaces is how many requests a room works on at once.
const roomPlaces = 2

// A patience is how long a room lets programs run and build. A limit works the same at one second and at five, and a test of one limit
// sets the others so high that even a busy machine does not reach them.
type patience struct{ run, build time.Duration }

const outOfReach = time.Hour

var (
	patient       = patience{outOfReach, outOfReach}
	hurriesRuns   = patience{time.Second, outOfReach}
	hurriesBuilds = patience{outOfReach, 3 * time.Second}
)

// enter starts a server of this patience and with these flags, and waits until it is warm.
func enter(t testing.TB, limits patience, flags ...string) *room {
	t.Helper()
	r := &room{patience: limits, places: make(chan struct{}, roomPlaces)}
	r.process = startProcess(t, append(flags, "--addr", "127.0.0.1:0", "--concurrency", fmt.Sprint(roomPlaces),
		"--run-time", limits.run.String(), "--build-time", limits.build.String())...)
	waitFor(t, "the standard library", func() bool { return r.log.contains("the whole standard library is compiled") })
	r.hello(t)
	r.before = r.holds(t)
	return r
}

// held are what a server holds when it is at rest: the same before requests as after.
var held = []string{"go_goroutines", "process_open_fds", `runner_queue_working{queue="work"}`, `runner_queue_working{queue="format"}`}

// holds returns what the server holds at rest. It asks until the same is said twice: the Go runtime counts goroutines while others
// begin and end, and says that such a count can be off.
func (r *room) holds(t testing.TB) (now figures) {
	t.Helper()
	waitFor(t, "the server to be at rest", func() bool {
		last := now
		now = scrape(t, r.at)
		return last != nil && !slices.ContainsFunc(held, func(name string) bool { return now[name] != last[name] })
	})
	return now
}

// hello holds that an ordinary program is answered as ever.
func (r *room) hello(t testing.TB) {
	t.Helper()
	if got := r.compile(t, hello); got.Errors != "" || printed(got, "stdout", "stderr") != "hi\n" || got.Status != 0 {
		t.Errorf("hello world gives %+v", got)
	}
}

// compile sends a program to /compile, which must answer 200.
func (r *room) compile(t testing.TB, program string) playground.Response {
	t.Helper()
	a := r.form(t, "/compile", program)
	if a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return decode[playground.Response](t, a)
}

// form sends a program as a form.
func (r *room) form(t testing.TB, path, program string) answer {
	t.Helper()
	return r.send(t, path, formType, url.Values{"body": {program}}.Encode())
}

// send sends a request when there is a place for it.
func (r *room) send(t testing.TB, path, contentType, body string) answer {
	t.Helper()
	r.places <- struct{}{}
	defer func() { <-r.places }()
	return send(t, "POST", r.at+path, contentType, body)
}

// mostMemory bounds what a room's process takes at its peak, its programs' memory included, in bytes: for each of two programs
// 256 MiB of its own and the 400 MB that internal/sandbox allows for making it ready, and 200 MB for all else. It is also what
// the server is to get by with under load. Measured here: 0.9 to 1.1 GB.
const mostMemory = 1536 << 20

// leave holds that hello world is answered as before, and that the server holds nothing more than it did, on disk or in memory.
// Then it stops it.
func (r *room) leave(t testing.TB) {
	t.Helper()
	r.hello(t)
	r.compare(t)
	if peak, ok := r.peak(t); ok {
		t.Logf("%d MiB of memory at the peak", peak>>20)
		if peak > mostMemory {
			t.Errorf("the server took %d MiB of memory, more than %d", peak>>20, mostMemory>>20)
		}
	}
	if err := r.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(); err != nil {
		t.Errorf("the server ended with %v\n%s", err, r.log)
	}
	if strings.Contains(r.log.String(), "level=ERROR") {
		t.Errorf("the server says that it failed:\n%s", r.log)
	}
}

// compare is as that of a stock, for a server in another process.
func (r *room) compare(t testing.TB) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		now, left := scrape(t, r.at), leftFolders(t)
		more := ""
		for _, name := range held {
			if now[name] > r.before[name] {
				more += fmt.Sprintf("%s is %v, was %v; ", name, now[name], r.before[name])
			}
		}
		if more == "" && len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%sfolders left: %v\n%s", more, left, r.stacks(t))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// stacks ends the server's process and returns where its goroutines were.
func (r *room) stacks(t testing.TB) string {
	t.Helper()
	if err := r.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	err := r.Wait()
	return fmt.Sprintf("%v\n%s", err, r.log)
}

// peak returns the most memory that the process has taken at once, in bytes, where the system tells.
func (r *room) peak(t testing.TB) (bytesTaken int, ok bool) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Log("NOT TESTED: the server's memory. Its peak is read from /proc, which is Linux's")
		return 0, false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(status) {
		var kB int
		if n, _ := fmt.Sscanf(string(line), "VmHWM: %d kB", &kB); n == 1 {
			return kB << 10, true
		}
	}
	t.Fatalf("there is no VmHWM in\n%s", status)
	return 0, false
}

// needed is what a build says that took too much memory.
var needed = execution.Stop{Kind: execution.Memory, Bytes: toolchain.StrangerLimits().Memory}.String()
