package snippets

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// startNATS starts a NATS server on a folder and a port, any port if it is server.RANDOM_PORT.
func startNATS(t *testing.T, dir string, port int) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir,
		NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server does not start")
	}
	return s
}

// openJoined opens a store with a file of its own that has joined the server.
func openJoined(t *testing.T, at string, limits Limits) *Store {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "snippets.db"), limits)
	conn, err := nats.Connect(at, nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if err := s.Join(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestJoin stores snippets in one store and reads them in another.
func TestJoin(t *testing.T) {
	at := startNATS(t, t.TempDir(), server.RANDOM_PORT).ClientURL()
	a, b := openJoined(t, at, ample), openJoined(t, at, ample)
	large := strings.Repeat("x", MaxBody)
	for _, body := range []string{"package main", "", "\x00", large} {
		id := put(t, a, body)
		wantBody(t, a, id, body)
		wantBody(t, b, id, body)
		if again := put(t, b, body); again != id {
			t.Errorf("%.20q has the ids %s and %s", body, id, again)
		}
		if again := put(t, a, body); again != id {
			t.Errorf("%.20q has the ids %s and %s", body, id, again)
		}
	}
	for _, id := range []string{"12345678901", "", "*", ">", "a.b.c.d.e.f.g", strings.Repeat("a", 100)} {
		if _, err := b.Get(t.Context(), id); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := a.Put(t.Context(), "a client", []byte(large+"x")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}

// TestJoinLate finds a snippet from before Join in the cluster once it is shared again.
func TestJoinLate(t *testing.T) {
	at := startNATS(t, t.TempDir(), server.RANDOM_PORT).ClientURL()
	a, b := openJoined(t, at, ample), openJoined(t, at, ample)
	joined := a.cluster
	a.cluster = nil
	id := put(t, a, "early")
	a.cluster = joined
	wantBody(t, a, id, "early")
	if _, err := b.Get(t.Context(), id); !errors.Is(err, ErrNotFound) {
		t.Errorf("before: %v", err)
	}
	put(t, a, "early")
	wantBody(t, b, id, "early")
}

// TestClusterCollision refuses a snippet whose id another one has in the cluster.
func TestClusterCollision(t *testing.T) {
	a := openJoined(t, startNATS(t, t.TempDir(), server.RANDOM_PORT).ClientURL(), ample)
	id := ids([]byte("mine"))[0]
	if _, err := a.cluster.bucket.Put(t.Context(), id, []byte("another's")); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Put(t.Context(), "a client", []byte("mine")); err == nil || !strings.Contains(err.Error(), id) {
		t.Errorf("Put returned %v, want an error with the id %s", err, id)
	}
}

// TestClusterFull fills the cluster from two stores, each of which has room left.
func TestClusterFull(t *testing.T) {
	at := startNATS(t, t.TempDir(), server.RANDOM_PORT).ClientURL()
	limits := Limits{Count: 10, Bytes: 20 * 1000}
	a, b := openJoined(t, at, limits), openJoined(t, at, limits)
	stored := 0
	for i := range 20 {
		s := a
		if i%2 == 1 {
			s = b
		}
		body := fmt.Sprint(i, strings.Repeat("y", 1990))
		id, err := s.Put(t.Context(), "a client", []byte(body))
		switch {
		case err == nil:
			stored++
			wantBody(t, a, id, body)
			wantBody(t, b, id, body)
		case !errors.Is(err, ErrFull):
			t.Errorf("snippet %d: %v", i, err)
		}
	}
	if stored < 10 || stored == 20 {
		t.Errorf("%d were stored", stored)
	}
}

// TestClusterAway checks that Put fails while the NATS server is down, and works again after it has restarted.
func TestClusterAway(t *testing.T) {
	dir := t.TempDir()
	first := startNATS(t, dir, server.RANDOM_PORT)
	port := first.Addr().(*net.TCPAddr).Port
	a, b := openJoined(t, first.ClientURL(), ample), openJoined(t, first.ClientURL(), ample)
	id := put(t, a, "before")
	first.Shutdown()
	first.WaitForShutdown()
	a.cluster.timeout, b.cluster.timeout = time.Second/2, time.Second/2
	wantBody(t, a, id, "before")
	if _, err := b.Get(t.Context(), id); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("another's snippet: %v", err)
	}
	if _, err := a.Put(t.Context(), "a client", []byte("meanwhile")); err == nil {
		t.Error("Put succeeded while the server was down")
	}
	startNATS(t, dir, port)
	deadline := time.Now().Add(time.Minute)
	for {
		_, err := a.Put(t.Context(), "a client", []byte("meanwhile"))
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	wantBody(t, b, id, "before")
	wantBody(t, b, ids([]byte("meanwhile"))[0], "meanwhile")
}

// TestJoinKeepsLimits joins with limits under which the cluster would remove what another store has shared.
func TestJoinKeepsLimits(t *testing.T) {
	at := startNATS(t, t.TempDir(), server.RANDOM_PORT).ClientURL()
	a := openJoined(t, at, ample)
	b := openJoined(t, at, Limits{Count: 10, Bytes: 1000, Evict: 24 * time.Hour})
	id := put(t, a, "package main")
	status, err := b.cluster.bucket.Status(t.Context())
	if err != nil || status.TTL() != 0 {
		t.Errorf("snippets are removed after %v, %v", status.TTL(), err)
	}
	wantBody(t, b, id, "package main")
}
