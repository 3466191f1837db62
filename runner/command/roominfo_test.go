package command

import (
	"flag"
	"net"
	"os"
	"path/filepath"
	"testing"

	"onthestack/runner/settings"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestRoomInfo compares what the terminal shows of a room with golden files.
func TestRoomInfo(t *testing.T) {
	for name, c := range map[string]struct {
		addr, listener string
		colors         bool
		again          string
		instructor     string
	}{
		"network":  {"192.168.1.20:8080", "192.168.1.20:8080", false, "", "ABCDEFGHJKLMNPQR"},
		"colors":   {"192.168.1.20:8080", "192.168.1.20:8080", true, "", "ABCDEFGHJKLMNPQR"},
		"loopback": {"127.0.0.1:8080", "127.0.0.1:8080", false, "", "ABCDEFGHJKLMNPQR"},
		"one-file": {"127.0.0.1:8080", "127.0.0.1:8080", false, "onthestack room", "ABCDEFGHJKLMNPQR"},
		"log":      {"127.0.0.1:8080", "127.0.0.1:8080", false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tcp, err := net.ResolveTCPAddr("tcp", c.listener)
			if err != nil {
				t.Fatal(err)
			}
			set := settings.Settings{Addr: c.addr, Title: "Monday", State: "rooms", Command: c.again}
			out, err := roomInfo(set, tcp, "K7M2QX", c.instructor, c.colors)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "room-"+name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(out), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if out != string(want) {
				t.Errorf("got\n%s\nwant\n%s", out, want)
			}
		})
	}
}

// TestAddresses tests that participants get an address that leads out of this machine where there is one.
func TestAddresses(t *testing.T) {
	any := &net.TCPAddr{IP: net.IPv6unspecified, Port: 8080}
	own, participants := addresses(settings.Settings{Addr: "0.0.0.0:8080"}, any)
	if own.Host != "127.0.0.1:8080" || participants.Port() != "8080" || participants.Hostname() == "::" {
		t.Errorf("%v, %v", own, participants)
	}
}
