//go:build unix

package main

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
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	case "runner":
		fmt.Fprintln(os.Stderr, serveAsRunner(os.Args[1:]))
		os.Exit(1)
	}
}

// serveAsRunner stands for the runner: it answers on the socket of --listen-fd with its arguments and its process's
// number.
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
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "runner %d %s", os.Getpid(), strings.Join(args[:4], " "))
	}))
}

// goCommand stands for the go command: it waits until the file go-on is there, and puts the runner where -o says.
const goCommand = `#!/bin/sh
until [ -e go-on ]; do sleep 0.01; done
if [ -e broken ]; then echo "runner/main.go:1:1: broken"; exit 1; fi
cp "$BOOTSTRAP_TEST_BINARY" "$3"
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
	all := map[string]string{"go.mod": "module onthestack\n", "bin/go": goCommand, "bin/make": "#!/bin/sh\n"}
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
	p.Env = append(os.Environ(), role+"=bootstrap", "BOOTSTRAP_TEST_BINARY="+binary, "XDG_CACHE_HOME="+
		filepath.Join(dir, "cache"),
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
// request fails on the way.
func TestHandOver(t *testing.T) {
	p := start(t)
	for {
		status, page := get(t, p.url+"/book/")
		if status != http.StatusOK || !strings.Contains(page, "<b>site</b>") {
			t.Fatalf("a page: status %d\n%s", status, page)
		}
		if strings.Contains(page, "Under way: runner") {
			break
		}
		time.Sleep(time.Millisecond) // its step is about to begin
	}
	if _, state := get(t, p.url+"/preparing/state?at=/book/"); !strings.Contains(state, `"open":false`) {
		t.Errorf("the state: %s", state)
	}
	reply, err := http.Post(p.url+"/check", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if reply.StatusCode != http.StatusServiceUnavailable || reply.Header.Get("Retry-After") == "" {
		t.Errorf("a check: status %d, %v", reply.StatusCode, reply.Header)
	}
	p.create(t, "go-on")
	want := fmt.Sprintf("runner %d --prepare on --addr 127.0.0.1:0", p.Process.Pid)
	for {
		_, page := get(t, p.url+"/book/")
		if page == want {
			return
		}
		if !strings.Contains(page, "runner") {
			t.Fatalf("the page is %s", page)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestBroken(t *testing.T) {
	p := start(t, "go-on", "broken")
	err := p.Wait()
	said := p.stderr.String()
	if p.ProcessState.ExitCode() != exitFailed || !strings.Contains(said, "    runner/main.go:1:1: broken\n") ||
		!strings.Contains(said, "run make serve again") {
		t.Errorf("%v: %s", err, said)
	}
}

func TestInterrupted(t *testing.T) {
	p := start(t)
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if p.Wait(); p.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v: %s", p.ProcessState, p.stderr.String())
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
	if code := run([]string{filepath.Join(t.TempDir(), "runner"), listener.Addr().String()}, &out,
		&errs); code != exitFailed ||
		!strings.Contains(errs.String(), "is taken by another program") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	if code := run(nil, &out, &errs); code != exitUsage {
		t.Errorf("without arguments: exit code %d", code)
	}
}
