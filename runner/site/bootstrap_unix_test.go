//go:build unix

package site

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// role, set in the environment, makes the test binary one of the programs that the tests start.
const role = "BOOTSTRAP_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "bootstrap":
		// The runner is a copy of this binary.
		os.Setenv(role, "runner")
		os.Exit(Bootstrap(os.Args[1:], os.Stdout, os.Stderr))
	case "runner":
		fmt.Fprintln(os.Stderr, serveAsRunner(os.Args[1:]))
		os.Exit(1)
	}
}

// serveAsRunner stands for the runner: it answers on the socket of --listen-fd with its process's number, its arguments
// and the state of the steps.
func serveAsRunner(args []string) error {
	if len(args) != 6 || args[4] != "--listen-fd" {
		return fmt.Errorf("the arguments are %q", args)
	}
	fd, err := strconv.Atoi(args[5])
	if err != nil {
		return err
	}
	listener, err := net.FileListener(os.NewFile(uintptr(fd), "listener"))
	if err != nil {
		return err
	}
	build, err := NewBuild()
	if err != nil {
		return err
	}
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "runner %d %s", os.Getpid(), strings.Join(args[:4], " "))
		for _, step := range build.Steps() {
			fmt.Fprintf(w, ", %s %s", step.Name, step.State)
		}
	}))
}

// makeRunner stands for make: once the file go-on is there, it puts the runner where RUNNER says, and then builds the
// site until the file finish is there.
const makeRunner = `#!/bin/sh
echo $$ >make.new; mv make.new make
printf 'runner= waiting 0 \nsite= waiting 0 \nrunner= running 1 \n'
until [ -e go-on ]; do sleep 0.01; done
if [ -e broken ]; then
    printf 'runner: runner/main.go:1:1: broken\nrunner= failed 2 exit status 1\n'
    exit
fi
cp "$BOOTSTRAP_TEST_BINARY" "${1#RUNNER=}"
printf 'runner= done 2 \nsite= running 2 \n'
until [ -e finish ]; do sleep 0.01; done
printf 'site= done 3 \n'
`

type process struct {
	*exec.Cmd
	url    string
	stderr strings.Builder // complete once the process has ended
}

// start starts bootstrap in a folder that looks like the repository's root.
func start(t *testing.T, files ...string) *process {
	t.Helper()
	dir := t.TempDir()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"go.mod": "module onthestack\n", "bin/make": makeRunner}
	for _, name := range files {
		all[name] = ""
	}
	for name, text := range all {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := &process{Cmd: exec.Command(binary, "runner", "127.0.0.1:0")}
	p.Dir = dir
	p.Env = append(os.Environ(), role+"=bootstrap", "BOOTSTRAP_TEST_BINARY="+binary, "TMPDIR="+dir,
		"PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	p.Stderr = &p.stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.Wait()
		t.Fatalf("bootstrap ended: %s", p.stderr.String())
	}
	_, p.url, _ = strings.Cut(strings.TrimSuffix(line, " shows the progress.\n"), "http://")
	p.url = "http://" + p.url
	return p
}

func (p *process) create(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.Dir, name), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	reply, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

// TestHandOver waits for the runner with a page, and then reaches it at the same address, in the same process. No
// request fails on the way, and the build goes on.
func TestHandOver(t *testing.T) {
	p := start(t)
	for {
		status, page := get(t, p.url+"/book/")
		if status != http.StatusOK || !strings.Contains(page, "Building the workbook") {
			t.Fatalf("a page: status %d\n%s", status, page)
		}
		if strings.Contains(page, "Under way: runner") {
			break
		}
		time.Sleep(time.Millisecond) // its step is about to begin
	}
	if status, state := get(t, p.url+"/preparing/state?at=/book/"); status != http.StatusOK ||
		!strings.Contains(state, "<b>site</b>") {
		t.Errorf("the state: status %d, %s", status, state)
	}
	reply, err := http.Post(p.url+"/check", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if reply.StatusCode != http.StatusServiceUnavailable || reply.Header.Get("Retry-After") == "" {
		t.Errorf("a check: status %d, %v", reply.StatusCode, reply.Header)
	}
	for _, path := range []string{"/_ah/health", "/version", "/metrics", "/api/exercises"} {
		if status, text := get(t, p.url+path); status != http.StatusServiceUnavailable || strings.Contains(text, "<") {
			t.Errorf("GET %s: status %d, %s", path, status, text)
		}
	}
	p.create(t, "go-on")
	want := fmt.Sprintf("runner %d --prepare on --addr 127.0.0.1:0, runner done, site ", p.Process.Pid)
	for building := true; ; time.Sleep(time.Millisecond) {
		_, page := get(t, p.url+"/book/")
		switch {
		case page == want+Running && building:
			p.create(t, "finish")
			building = false
		case page == want+Done && !building:
			return
		case page != want+Running && !strings.Contains(page, "<b>runner</b>"):
			t.Fatalf("the page is %s", page)
		}
	}
}

func TestRunnerIsBroken(t *testing.T) {
	p := start(t, "go-on", "broken")
	err := p.Wait()
	said := p.stderr.String()
	if p.ProcessState.ExitCode() != exitFailed || !strings.Contains(said, "    runner/main.go:1:1: broken\n") ||
		!strings.Contains(said, "run the same command again") {
		t.Errorf("%v: %s", err, said)
	}
}

// TestBootstrapInterrupted interrupts bootstrap: make ends too, and its folder is removed.
func TestBootstrapInterrupted(t *testing.T) {
	p := start(t)
	pid := waitForPID(filepath.Join(p.Dir, "make"))
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if p.Wait(); p.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v: %s", p.ProcessState, p.stderr.String())
	}
	for alive(pid) {
		time.Sleep(time.Millisecond)
	}
	if left, _ := filepath.Glob(filepath.Join(p.Dir, "onthestack-build-*")); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

func TestTakenPort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	t.Chdir(filepath.Join("..", ".."))
	var out, errs strings.Builder
	if code := Bootstrap([]string{filepath.Join(t.TempDir(), "runner"), listener.Addr().String()}, &out,
		&errs); code != exitFailed ||
		!strings.Contains(errs.String(), "is taken by another program") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	if code := Bootstrap(nil, &out, &errs); code != exitUsage {
		t.Errorf("without arguments: exit code %d", code)
	}
}
