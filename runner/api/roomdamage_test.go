package api

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onthestack/runner/room"
	"onthestack/runner/store"
)

// stateWithRoom returns a folder for --state with a room.
func stateWithRoom(t *testing.T) (state string) {
	t.Helper()
	state = t.TempDir()
	s, err := store.Open(store.Options{Dir: filepath.Join(state, "jetstream")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	j, err := s.Journal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []room.Event{
		{Kind: room.Created, Title: "Monday", Exercises: []string{"exercise6"}},
		{Kind: room.Joined, Participant: "p1", Name: "Ada"}, {Kind: room.Joined, Participant: "p2", Name: "Bea"},
	} {
		if _, err := j.Append(t.Context(), "K7M2QX", string(e.Kind)+e.Participant, store.Record{Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

// TestDamagedState starts the runner on a damaged file of rooms. It never says that it serves, and ends with a message
// that names the file and says what to do.
func TestDamagedState(t *testing.T) {
	state := stateWithRoom(t)
	name := filepath.Join(state, "jetstream", "jetstream", "$G", "streams", "rooms", "msgs", "1.blk")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 0x55
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r := runnerCommand(t, "--data", dataDir, "--snippets", "off", "--addr", "127.0.0.1:0", "--room", "on",
		"--state", state)
	// Nothing takes as long but a runner that waits for ever, and would wait beside the test, too.
	hangs := time.AfterFunc(5*time.Minute, func() { r.Process.Kill() })
	defer hangs.Stop()
	out, err := r.CombinedOutput()
	if ended := (*exec.ExitError)(nil); !errors.As(err, &ended) || !ended.Exited() {
		t.Errorf("it does not end with an error: %v", err)
	}
	for _, want := range []string{name, "restore the folder from a copy", filepath.Join(state, "jetstream", "stored")} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "serving") {
		t.Errorf("it says that it serves:\n%s", out)
	}
}

// serverWithRoom returns a server with a room that it has not read yet.
func serverWithRoom(t *testing.T) *Server {
	t.Helper()
	set := testSettings(1, 20)
	set.Room, set.State = true, stateWithRoom(t)
	return startedServer(t, set)
}

// readRooms has the server read its rooms, and returns once that is done.
func (s *Server) readRooms(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.runRooms(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	waitFor(t, "the rooms", s.rooms.server.IsReady)
}

const unread = "the rooms are being read from disk"

// TestDegraded asks what does not work in rooms that are not read yet, and again afterwards.
func TestDegraded(t *testing.T) {
	s := serverWithRoom(t)
	if got := s.rooms.degraded(); got != unread {
		t.Errorf("before the rooms are read: %q", got)
	}
	s.readRooms(t)
	if got := s.rooms.degraded(); got != "" {
		t.Errorf("after the rooms are read: %q", got)
	}
}

// TestProofHealthDegraded is TestDegraded with requests for the server's health, which build and run a program.
func TestProofHealthDegraded(t *testing.T) {
	s := serverWithRoom(t).prepared(t, "fmt")
	health := func() string {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://127.0.0.1/_ah/health", nil)
		r.RemoteAddr = "127.0.0.1:1234"
		s.handler().ServeHTTP(w, r)
		text, _ := io.ReadAll(w.Body)
		return string(text)
	}
	if got := health(); got != "degraded: "+unread {
		t.Errorf("before the rooms are read: %s", got)
	}
	s.readRooms(t)
	if got := health(); got != "ok" {
		t.Errorf("after the rooms are read: %s", got)
	}
}
