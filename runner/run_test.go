package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
)

func TestExitCodes(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"-h"}, nil, &out, &errs); code != exitOK || errs.Len() > 0 || !strings.Contains(out.String(),
		"Usage: runner [flags]") {
		t.Errorf("exit code %d, %s%s", code, &out, &errs)
	}
	if code := run([]string{"--no"}, nil, io.Discard, &errs); code != exitUsage ||
		errs.String() != "runner: unknown flag: --no\nTry \"runner --help\".\n" {
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
	if code != exitFailed || !strings.Contains(errs.String(),
		"is taken by another program: end that one, or choose another port, such as --addr") {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

// TestPrepareElsewhere has the runner build the site in a folder that is not the repository's root.
func TestPrepareElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	var errs strings.Builder
	code := run([]string{"--prepare", "on", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--snippets",
		"off"}, nil, &errs, &errs)
	if code != exitFailed || !strings.Contains(errs.String(), "run it in the repository's root") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// TestSetGC looks at what the collector is told, which debug.SetGCPercent and SetMemoryLimit return.
func TestSetGC(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer debug.SetGCPercent(percent)
	defer debug.SetMemoryLimit(limit)
	setGC(func(name string) (string, bool) { return "50", name == "GOGC" })
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("the user's GOGC became %d", got)
	}
	setGC(func(string) (string, bool) { return "", false })
	if got, most := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); got != gcPercent || most != memoryLimit {
		t.Errorf("collects at %d %%, %d bytes", got, most)
	}
}

// duplicate closes the file and returns another descriptor of it, which the runner must close.
func duplicate(t *testing.T, file *os.File) int {
	t.Helper()
	fd, err := syscall.Dup(int(file.Fd()))
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return fd
}

// TestListenFD opens a listener on the socket of another one, and tests that a file is refused.
func TestListenFD(t *testing.T) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	socket, err := first.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := inherit(duplicate(t, socket))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if listener.Addr().String() != first.Addr().String() {
		t.Errorf("it listens on %s, not on %s", listener.Addr(), first.Addr())
	}

	plain, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inherit(duplicate(t, plain)); err == nil || !strings.Contains(err.Error(), "is not a listening socket") {
		t.Errorf("a file is taken for a socket: %v", err)
	}
}
