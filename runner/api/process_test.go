package api

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// runnerVariable is set in the environment of a test binary that is the runner.
const runnerVariable = "ONTHESTACK_API_RUNNER"

// RunCommand is the runner's command line. The package that has it imports this one, so external_test.go sets it.
var RunCommand func(args []string, stdin io.Reader, stdout, stderr io.Writer) int

// runnerCommand returns a command that starts the runner, in a process of its own. It is the test binary, which has all
// of the runner, so that no other program has to be linked.
func runnerCommand(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), runnerVariable+"=1")
	return c
}

// A process is a runner that was started as a program.
type process struct {
	*exec.Cmd
	log  *syncBuffer
	said []string // on stdout, up to the address
	at   string   // "http://127.0.0.1:41234"
}

func startProcess(t testing.TB, args ...string) process {
	t.Helper()
	p := process{Cmd: runnerCommand(t, append([]string{"--data", dataDir, "--snippets", "off"}, args...)...),
		log: new(syncBuffer)}
	p.Stderr = p.log
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	const serving = "serving the workbook at http://"
	for lines := bufio.NewScanner(out); lines.Scan(); {
		p.said = append(p.said, lines.Text())
		if address, ok := strings.CutPrefix(lines.Text(), serving); ok {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				t.Fatal(err)
			}
			p.at = "http://127.0.0.1:" + port
			return p
		}
	}
	t.Fatalf("said %q\n%s", p.said, p.log)
	return p
}

// signal sends SIGTERM and waits until the runner no longer listens.
func (p process) signal(t *testing.T) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the server to stop accepting", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(p.at, "http://"))
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}

// TestSignalDrains stops the runner while a program runs, another request and a stream wait, and a connection is kept
// open.
func TestSignalDrains(t *testing.T) {
	// On a busy machine a build takes long. The server waits as long as the clients of the tests do.
	p := startProcess(t, "--addr", "0.0.0.0:0", "--concurrency", "1", "--run-time", "1s", "--build-time",
		outOfReach.String(), "--stop-time", client.Timeout.String())
	if len(p.said) != 3 || !strings.Contains(p.said[0], "can be reached by other machines") ||
		p.said[1] != "checks run as WebAssembly, because other machines can reach 0.0.0.0:0" {
		t.Errorf("said %q", p.said)
	}
	keeping := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer keeping.CloseIdleConnections()
	get := func(path string) *http.Response {
		reply, err := keeping.Get(p.at + path)
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		io.Copy(io.Discard, reply.Body)
		return reply
	}
	get("/version")
	if v := decode[goRelease](t, send(t, "GET", p.at+"/version", "", "")); v.Engine != "wasm" ||
		v.EngineReason != "other machines can reach 0.0.0.0:0" {
		t.Errorf("%+v", v)
	}

	form := func(program string) string { return url.Values{"body": {program}}.Encode() }
	answers, events := make(chan answer, 2), make(chan []event, 1)
	go func() {
		answers <- send(t, "POST", p.at+"/compile", formType,
			form("package main\n\nfunc main() { println(\"on\"); for {} }\n"))
	}()
	working, waiting := `runner_queue_working{queue="work"}`, `runner_queue_waiting{queue="work"}`
	waitFor(t, "the program to have the slot", func() bool { return scrape(t, p.at)[working] == 1 })
	go func() {
		answers <- send(t, "POST", p.at+"/compile", formType,
			form("package main\n\nfunc main() { println(\"waited\") }\n"))
	}()
	go func() {
		got, _ := follow(t, p.at+"/check", `{"exercise":"exercise6","files":{"stream.go":"package stream"}}`)
		events <- got
	}()
	waitFor(t, "two requests to wait", func() bool { return scrape(t, p.at)[waiting] == 2 })
	waitFor(t, "the toolchain to be ready", func() bool { return p.log.contains("ready to check and run") })
	waitFor(t, "the program to be built", func() bool { return len(leftFolders(t)) > 0 })

	p.signal(t)
	if reply := get("/version"); reply.StatusCode != http.StatusServiceUnavailable ||
		reply.Header.Get("Retry-After") == "" || !reply.Close {
		t.Errorf("a new request on an open connection: status %d, %v, closed %v", reply.StatusCode, reply.Header,
			reply.Close)
	}
	for range 2 {
		if a := <-answers; a.status != http.StatusOK || !strings.Contains(a.body, "timeout running program") &&
			!strings.Contains(a.body, "waited") {
			t.Errorf("an earlier request got status %d: %s", a.status, a.body)
		}
	}
	if got := <-events; !strings.HasPrefix(names(got), "queued ") || !strings.HasSuffix(names(got), " verdict") {
		t.Errorf("the stream was %q", got)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("the runner ended with %v\n%s", err, p.log)
	}
	// The folders of earlier tests' servers are removed when their processes have ended.
	waitFor(t, "no folders to be left", func() bool { return len(leftFolders(t)) == 0 })
}

// TestSecondSignalEnds stops the runner twice while a request is still being sent.
func TestSecondSignalEnds(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "--addr", "127.0.0.1:0", "--log", "json")
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.at, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /compile HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n"+
		"Expect: 100-continue\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	// The server asks for the body: the request is under way.
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("read %q, %v", line, err)
	}
	p.signal(t)
	waitFor(t, "the log to have it in JSON", func() bool { return p.log.contains(`"msg":"stopping"`) })
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.Wait()
	if status := p.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", p.ProcessState)
	}
}

// TestMetricsListener reads the metrics of a runner with --metrics-addr.
func TestMetricsListener(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "--addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0")
	address, ok := strings.CutPrefix(p.said[0], "serving metrics on ")
	if !ok {
		t.Fatalf("said %q", p.said)
	}
	scrape(t, strings.TrimSuffix(address, "/metrics"))
	if a := send(t, "GET", p.at+"/metrics", "", ""); a.status != http.StatusNotFound {
		t.Errorf("the main listener serves the metrics too: status %d", a.status)
	}
	p.signal(t)
	if err := p.Wait(); err != nil {
		t.Errorf("the runner ended with %v\n%s", err, p.log)
	}
}
