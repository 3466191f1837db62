package hostile

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/programs"
)

// A target is a server in a process of its own, to which hostile programs are sent.
type target struct {
	*exec.Cmd
	log syncBuffer
	at  string // "http://127.0.0.1:41234"
	timeLimits
	slots  chan struct{} // a test that has one of these does not wait in the server's queue
	before figures
}

// targetSlots is how many requests a target works on at the same time.
const targetSlots = 2

// timeLimits are the time limits of a target. A limit works the same at one second and at five, and a test of one
// limit sets the others so high that even a busy machine does not reach them.
type timeLimits struct{ run, build time.Duration }

const outOfReach = time.Hour

var (
	unlimited   = timeLimits{outOfReach, outOfReach}
	shortRuns   = timeLimits{time.Second, outOfReach}
	shortBuilds = timeLimits{outOfReach, 3 * time.Second}
)

// startTarget starts a server with these limits and flags, and waits until the standard library is compiled.
func startTarget(t testing.TB, limits timeLimits, flags ...string) *target {
	t.Helper()
	r := &target{timeLimits: limits, slots: make(chan struct{}, targetSlots)}
	r.start(t, append(flags, "--addr", "127.0.0.1:0", "--concurrency", fmt.Sprint(targetSlots),
		"--run-time", limits.run.String(), "--build-time", limits.build.String())...)
	waitFor(t, "the standard library", func() bool { return strings.Contains(r.log.String(), "the whole standard library is compiled") })
	r.hello(t)
	r.before = r.idle(t)
	return r
}

// idleMetrics are metrics of an idle server that must be the same before and after requests.
var idleMetrics = []string{"go_goroutines", "process_open_fds", `runner_queue_working{queue="work"}`,
	`runner_queue_working{queue="format"}`}

// idle returns the metrics of the idle server. It scrapes until two results are equal, because the Go runtime counts
// goroutines while others start and end, and documents that such a count may be off.
func (r *target) idle(t testing.TB) (now figures) {
	t.Helper()
	waitFor(t, "the server to be at rest", func() bool {
		last := now
		now = r.metrics(t)
		return last != nil && !slices.ContainsFunc(idleMetrics,
			func(name string) bool { return now[name] != last[name] })
	})
	return now
}

// hello tests that an ordinary program is answered as usual.
func (r *target) hello(t testing.TB) {
	t.Helper()
	if got := r.compile(t, hello); got.Errors != "" || printed(got, "stdout", "stderr") != "hi\n" || got.Status != 0 {
		t.Errorf("hello world gives %+v", got)
	}
}

// compile sends a program to /compile, which must answer 200.
func (r *target) compile(t testing.TB, program string) programs.Response {
	t.Helper()
	a := r.form(t, "/compile", program)
	if a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return decode[programs.Response](t, a)
}

// form sends a program as a form.
func (r *target) form(t testing.TB, path, program string) answer {
	t.Helper()
	return r.send(t, path, formType, url.Values{"body": {program}}.Encode())
}

// send sends a request when there is a slot for it.
func (r *target) send(t testing.TB, path, contentType, body string) answer {
	t.Helper()
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	reply, err := client.Post(r.at+path, contentType, strings.NewReader(body))
	return read(t, reply, err)
}

// maxMemory is the limit on the peak memory of a target, in bytes, its programs included: for each of two programs
// 256 MiB of its own and the 400 MB that internal/sandbox allows for compiling it, and 200 MB for the server. It is
// the limit under load too. Measured: 0.9 to 1.1 GB.
const maxMemory = 1536 << 20

// stop tests that hello world is answered as before, and that the server has released all folders, goroutines and
// files. Then it stops the server.
func (r *target) stop(t testing.TB) {
	t.Helper()
	r.hello(t)
	r.compare(t)
	if peak, ok := r.peak(t); ok {
		t.Logf("%d MiB of memory at the peak", peak>>20)
		if peak > maxMemory {
			t.Errorf("the server took %d MiB of memory, more than %d", peak>>20, maxMemory>>20)
		}
	}
	if err := r.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(); err != nil {
		t.Errorf("the server ended with %v\n%s", err, &r.log)
	}
	if strings.Contains(r.log.String(), "level=ERROR") {
		t.Errorf("the server says that it failed:\n%s", &r.log)
	}
}

// compare is stock.compare for a server in another process.
func (r *target) compare(t testing.TB) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		now, left := r.metrics(t), leftFolders(t)
		more := ""
		for _, name := range idleMetrics {
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

// stacks kills the server and returns the stacks of its goroutines.
func (r *target) stacks(t testing.TB) string {
	t.Helper()
	if err := r.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	err := r.Wait()
	return fmt.Sprintf("%v\n%s", err, &r.log)
}

// peak returns the peak memory of the process in bytes, if the system reports it.
func (r *target) peak(t testing.TB) (bytesTaken int, ok bool) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Log("NOT TESTED: the server's memory. Its peak is read from /proc, which only Linux has")
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

// needed is the beginning of the message about a build that took too much memory.
var needed = execution.Stop{Kind: execution.Memory, Bytes: build.StrangerLimits().Memory}.String()
