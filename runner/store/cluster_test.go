package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
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

// openAt opens the snippets of a NATS server.
func openAt(t *testing.T, at string, limits Limits) *Snippets {
	t.Helper()
	s, err := openSnippets(t.Context(), Options{URL: at}, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.store.Close)
	return s
}

// TestTwoRunners stores snippets in one runner and reads them in another.
func TestTwoRunners(t *testing.T) {
	at := startNATS(t, t.TempDir(), server.RANDOM_PORT).ClientURL()
	a, b := openAt(t, at, ample), openAt(t, at, ample)
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
	if intact(t, a) != 4 || intact(t, b) != 4 {
		t.Error("a runner does not know the four snippets")
	}
}

// TestClusterFull fills a cluster from two runners, and then has each evict, also what the other has evicted already.
func TestClusterFull(t *testing.T) {
	at := startNATS(t, t.TempDir(), server.RANDOM_PORT).ClientURL()
	limits := Limits{Count: 10, Bytes: 1 << 20, Evict: time.Hour}
	a, b := openAt(t, at, limits), openAt(t, at, limits)
	body := func(i int) string { return fmt.Sprint("snippet ", i) }
	for i := range 10 {
		put(t, []*Snippets{a, b}[i%2], body(i))
	}
	for _, s := range []*Snippets{a, b} {
		wantPut(t, s, "a client", "one more", ErrFull)
		s.now = func() time.Time { return time.Now().Add(2 * limits.Evict) }
	}
	for i := range 5 {
		put(t, a, body(10+i))
	}
	for i := range 5 {
		put(t, b, body(15+i))
	}
	for i := range 20 {
		_, err := b.Get(t.Context(), ids([]byte(body(i)))[0])
		if wanted := i >= 10; wanted != (err == nil) || err != nil && !errors.Is(err, ErrNotFound) {
			t.Errorf("snippet %d: %v", i, err)
		}
	}
	if info, err := a.stream.Info(t.Context()); err != nil || info.State.Msgs != 10 {
		t.Errorf("%+v, %v", info.State, err)
	}
}

// TestClusterAway checks that Put fails while the NATS server is down, and works again after it has restarted.
func TestClusterAway(t *testing.T) {
	dir := t.TempDir()
	first := startNATS(t, dir, server.RANDOM_PORT)
	port := first.Addr().(*net.TCPAddr).Port
	a := openAt(t, first.ClientURL(), ample)
	id := put(t, a, "before")
	first.Shutdown()
	first.WaitForShutdown()
	away, cancel := context.WithTimeout(t.Context(), time.Second/2)
	defer cancel()
	if _, err := a.Get(away, id); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("a stored snippet: %v", err)
	}
	if _, err := a.Put(away, "a client", []byte("meanwhile")); err == nil {
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
	wantBody(t, a, id, "before")
	wantBody(t, a, ids([]byte("meanwhile"))[0], "meanwhile")
}

// TestOtherLimits has a runner with other limits join. The programs that are shared already stay.
func TestOtherLimits(t *testing.T) {
	at := startNATS(t, t.TempDir(), server.RANDOM_PORT).ClientURL()
	a := openAt(t, at, ample)
	id, other := put(t, a, "package main"), put(t, a, "package other")
	b := openAt(t, at, Limits{Count: 1, Bytes: 1000, Evict: 24 * time.Hour})
	if age := b.stream.CachedInfo().Config.MaxAge; age != 0 {
		t.Errorf("the server removes snippets after %v", age)
	}
	wantPut(t, b, "a client", "new", ErrFull)
	for _, s := range []*Snippets{a, b} {
		wantBody(t, s, id, "package main")
		wantBody(t, s, other, "package other")
	}
}

// TestHosts tests that the addresses of a cluster are shown without what is secret in them.
func TestHosts(t *testing.T) {
	for addresses, want := range map[string]string{
		"nats://a:4222": "a:4222", "nats://secret@a:4222, nats://me:secret@b": "a:4222, b", "nats://sec ret@a": "?",
		"": "?",
	} {
		if got := Hosts(addresses); got != want {
			t.Errorf("%q: %q, want %q", addresses, got, want)
		}
	}
	_, err := Open(Options{URL: "nats://me:secret@127.0.0.1:1"})
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Error(err)
	}
}
