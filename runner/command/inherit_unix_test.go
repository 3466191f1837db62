//go:build unix

package command

import (
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

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
	if _, err := inherit(duplicate(t, plain)); err == nil || !strings.Contains(err.Error(),
		"is not a listening socket") {
		t.Errorf("a file is accepted as a socket: %v", err)
	}
}
