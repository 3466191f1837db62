package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"onthestack/runner/metrics"
	"onthestack/runner/settings"
	"onthestack/runner/store"
)

// shareServer returns a server that cannot build, with a store of its own under these limits.
func shareServer(t *testing.T, limits store.Limits) (*Server, http.Handler) {
	t.Helper()
	s := &Server{log: slog.New(slog.DiscardHandler), metrics: metrics.New("", nil)}
	s.store, s.shared = openSnippets(t, limits)
	return s, s.handler()
}

// openSnippets opens a store of its own for shared programs.
func openSnippets(t testing.TB, limits store.Limits) (*store.Store, *store.Snippets) {
	t.Helper()
	in, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Close)
	shared, err := in.Snippets(t.Context(), limits)
	if err != nil {
		t.Fatal(err)
	}
	return in, shared
}

// share shares a program from the given address.
func share(t *testing.T, h http.Handler, from, forwarded, program string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("POST", "/share", strings.NewReader(program))
	r.RemoteAddr = from
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestOneClientCannotFillTheStore has one client try to fill the store: with any number of requests at once, from any
// address of its own network, and with any X-Forwarded-For.
func TestOneClientCannotFillTheStore(t *testing.T) {
	for name, c := range map[string]struct {
		from, forwarded func(i int) string
		trust           string
	}{
		"one address":     {func(int) string { return "203.0.113.7:1" }, nil, ""},
		"many ports":      {func(i int) string { return fmt.Sprint("203.0.113.7:", i) }, nil, ""},
		"an IPv6 network": {func(i int) string { return fmt.Sprintf("[2001:db8:1:2:%x::%x]:1", i, i) }, nil, ""},
		"names, nobody trusted": {
			func(int) string { return "203.0.113.7:1" }, func(i int) string { return fmt.Sprint("198.51.100.", i) }, "",
		},
		"names, before what a proxy adds": {
			func(int) string { return "127.0.0.1:1" },
			func(i int) string { return fmt.Sprintf("198.51.100.%d, 203.0.113.7", i) }, "127.0.0.1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := shareServer(t, store.Limits{Count: 100, Bytes: 10_000, ClientCount: 10,
				ClientBytes: 1000, ClientRate: 1000})
			if err := s.settings.Proxies.Set(c.trust); err != nil {
				t.Fatal(err)
			}
			h := s.handler()
			var all sync.WaitGroup
			statuses := make(chan int, 200)
			for i := range cap(statuses) {
				forwarded := ""
				if c.forwarded != nil {
					forwarded = c.forwarded(i)
				}
				all.Go(func() { statuses <- share(t, h, c.from(i), forwarded, fmt.Sprint("program ", i)).Code })
			}
			all.Wait()
			close(statuses)
			counted := map[int]int{}
			for status := range statuses {
				counted[status]++
			}
			if counted[http.StatusOK] != 10 || counted[http.StatusInsufficientStorage] != 190 {
				t.Errorf("the statuses were %v", counted)
			}
			if w := share(t, h, "192.0.2.1:1", "192.0.2.1", "somebody else's"); w.Code != http.StatusOK {
				t.Errorf("another client got status %d: %s", w.Code, w.Body)
			}
		})
	}
}

// TestShareRate has a client share more programs at once than the rate allows in a minute.
func TestShareRate(t *testing.T) {
	const rate = 5
	_, h := shareServer(t, store.Limits{Count: 10_000, Bytes: 1 << 20, ClientRate: rate})
	shared := 0
	for {
		w := share(t, h, "203.0.113.7:1", "", fmt.Sprint("program ", shared))
		if w.Code == http.StatusTooManyRequests {
			if w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(),
				"up to 5 new programs a minute") {
				t.Errorf("it is refused with %v: %s", w.Header(), w.Body)
			}
			break
		}
		// While the requests are sent, the limiter regains some of the minute's allowance. A slow machine takes seconds
		// for them, not minutes.
		if shared++; w.Code != http.StatusOK || shared > 50*rate {
			t.Fatalf("program %d: status %d", shared, w.Code)
		}
	}
	if shared < rate {
		t.Errorf("it was refused after %d", shared)
	}
	for range 3 * rate {
		if w := share(t, h, "203.0.113.7:1", "", "program 0"); w.Code != http.StatusOK {
			t.Errorf("the same again: status %d", w.Code)
		}
	}
	if w := share(t, h, "203.0.113.8:1", "", "program"); w.Code != http.StatusOK {
		t.Errorf("somebody else is answered %d", w.Code)
	}
}

// TestNearlyFull opens stores that are more or less full, and reads what the log says about them at the start.
func TestNearlyFull(t *testing.T) {
	for _, c := range []struct {
		limits store.Limits
		warns  bool
	}{
		{store.Limits{Count: 100, Bytes: 1000}, false},
		{store.Limits{Count: 3, Bytes: 1000}, false},
		{store.Limits{Count: 2, Bytes: 1000}, true},
		{store.Limits{Count: 100, Bytes: 11}, true},
		{store.Limits{Count: 2, Bytes: 11, Evict: 24 * time.Hour}, false}, // old programs make room
	} {
		s, _ := shareServer(t, c.limits)
		s.settings.Keep = c.limits
		for _, body := range []string{"first", "other"} {
			if _, err := s.shared.Put(t.Context(), "a client", []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		var log syncBuffer
		s.log = slog.New(slog.NewTextHandler(&log, nil))
		if err := s.logSnippets(); err != nil {
			t.Error(err)
		}
		if !log.contains("programs=2") || log.contains("level=WARN") != c.warns ||
			log.contains("--snippets-evict") != c.warns {
			t.Errorf("%+v: logged %s", c.limits, log.String())
		}
	}
}

// openedStore returns a server that has opened the store in a folder, and its log.
func openedStore(t *testing.T, set settings.Settings) (*Server, *syncBuffer, error) {
	t.Helper()
	log := new(syncBuffer)
	set.Keep = store.Limits{Count: 10, Bytes: 1000}
	s := &Server{settings: set, log: slog.New(slog.NewTextHandler(log, nil)), metrics: metrics.New("", nil)}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, log, s.openStore(t.Context())
}

// TestStoreInUse opens a folder that another runner uses. A runner without rooms then works without shared programs and
// says so; with rooms it does not start.
func TestStoreInUse(t *testing.T) {
	state := t.TempDir()
	if _, _, err := openedStore(t, settings.Settings{State: state, Snippets: "on"}); err != nil {
		t.Fatal(err)
	}
	s, log, err := openedStore(t, settings.Settings{State: state, Snippets: "on"})
	if err != nil || !log.contains("programs cannot be shared") || !log.contains("another folder with --state") {
		t.Errorf("%v, logged %s", err, log)
	}
	if w := share(t, s.handler(), "203.0.113.7:1", "", "package main"); w.Code != http.StatusNotImplemented {
		t.Errorf("sharing is answered %d", w.Code)
	}
	_, _, err = openedStore(t, settings.Settings{State: state, Snippets: "on", Room: true})
	if !errors.Is(err, store.ErrInUse) {
		t.Errorf("with rooms: %v", err)
	}
}

// TestOldSnippets starts a runner beside the file in which an earlier release kept shared programs.
func TestOldSnippets(t *testing.T) {
	old := filepath.Join(t.TempDir(), "snippets.db")
	const content = "SQLite format 3\x00"
	if err := os.WriteFile(old, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	s, log, err := openedStore(t, settings.Settings{State: t.TempDir(), Snippets: old})
	if err != nil || !log.contains("left alone") || !log.contains(old) {
		t.Errorf("%v, logged %s", err, log)
	}
	if w := share(t, s.handler(), "203.0.113.7:1", "", "package main"); w.Code != http.StatusOK {
		t.Errorf("sharing is answered %d", w.Code)
	}
	if text, err := os.ReadFile(old); err != nil || string(text) != content {
		t.Errorf("the file is changed: %q, %v", text, err)
	}
}
