package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		want config
		err  string
	}{
		{"", config{addr: "127.0.0.1:8080", book: "public/book", concurrency: -1}, ""},
		{"-addr :9000 -book b -concurrency=3", config{addr: ":9000", book: "b", concurrency: 3, queue: 48}, ""},
		{"--addr=[::1]:9000 --concurrency 1 --queue 0", config{addr: "[::1]:9000", book: "public/book", concurrency: 1, queue: 0}, ""},
		{"--concurrency 0", config{}, "--concurrency 0: give at least 1"},
		{"--queue -1", config{}, "--queue -1: give at least 0"},
		{"--addr 9000", config{}, "--addr 9000: give host:port, such as 127.0.0.1:8080"},
		{"--adr x", config{}, "unknown flag: --adr"},
		{"now", config{}, `unexpected argument "now"`},
	} {
		got, err := parse(strings.Fields(c.args), io.Discard)
		c.want.program, c.want.check = got.program, got.check
		if c.want.concurrency == -1 {
			c.want.concurrency, c.want.queue = got.concurrency, queuePerWorker*got.concurrency
		}
		if c.err != "" && (err == nil || err.Error() != c.err) || c.err == "" && (err != nil || got != c.want) {
			t.Errorf("%q: %+v, %v", c.args, got, err)
		}
	}
}

func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"-h"}, nil, &out, &errs); code != exitOK || errs.Len() > 0 {
		t.Errorf("exit code %d, %s", code, &errs)
	}
	for _, want := range []string{"--addr host:port", "--book folder", "--concurrency", "--queue"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help lacks %s:\n%s", want, &out)
		}
	}
	errs.Reset()
	if code := run([]string{"--no"}, nil, io.Discard, &errs); code != exitUsage || errs.String() != "runner: unknown flag: --no\nTry \"runner --help\".\n" {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

func TestPortTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var errs bytes.Buffer
	code := run([]string{"--addr", taken.Addr().String()}, nil, io.Discard, &errs)
	if code != exitFailed || !strings.Contains(errs.String(), "is taken by another program: end that one, or choose another port, such as --addr") {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

func TestLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "localhost:80": true, ":80": false, "0.0.0.0:80": false, "192.168.1.2:80": false, "example.com:80": false,
	} {
		if loopback(addr) != want {
			t.Errorf("loopback(%q) is %v", addr, !want)
		}
	}
}

// TestSignalLetsRequestsFinish runs the runner as a program of its own.
func TestSignalLetsRequestsFinish(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-addr", "0.0.0.0:0", "--concurrency", "1")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var errs syncBuffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var said []string
	for len(said) < 2 && lines.Scan() {
		said = append(said, lines.Text())
	}
	if len(said) != 2 || !strings.Contains(said[0], "can be reached by other machines") {
		t.Fatalf("said %q\n%s", said, errs.String())
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(said[1], "serving the workbook at http://"))
	if err != nil {
		t.Fatal(err)
	}
	at := "http://127.0.0.1:" + port

	answers := make(chan answer, 1)
	go func() {
		form := url.Values{"body": {"package main\n\nfunc main() { println(\"on\"); for {} }\n"}}
		answers <- send(t, "POST", at+"/compile", formType, form.Encode())
	}()
	waitFor(t, "the toolchain to be ready", func() bool { return strings.Contains(errs.String(), "ready to check and run") })
	waitFor(t, "the program to be built", func() bool { return len(leftFolders(t)) > 0 })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the server to stop accepting", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	if a := <-answers; a.status != http.StatusOK || !strings.Contains(a.body, errRunTime) {
		t.Errorf("the request under way was answered %d %s", a.status, a.body)
	}
	start := time.Now()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the runner ended with %v\n%s", err, errs.String())
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("it took %v to end after its last request", d)
	}
}
