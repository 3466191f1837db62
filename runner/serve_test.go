package main

import (
	"net"
	"os"
	"strings"
	"testing"

	"onthestack/runner/settings"
)

// TestListenFD opens a listener on the socket of another one, and refuses what is not a socket.
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
	listener, err := openListener(settings.Settings{ListenFD: int(socket.Fd())})
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
	if _, err := openListener(settings.Settings{ListenFD: int(plain.Fd())}); err == nil || !strings.Contains(err.Error(), "is not a listening socket") {
		t.Errorf("a file is taken for a socket: %v", err)
	}
}
