package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

var ample = Limits{Count: 1 << 20, Bytes: 1 << 30}

// open opens the snippets in a folder, whose store is closed when the test ends.
func open(t testing.TB, dir string, limits Limits) *Snippets {
	t.Helper()
	s, err := openSnippets(t.Context(), Options{Dir: dir}, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.store.Close)
	return s
}

// openSnippets opens a store and the snippets in it.
func openSnippets(ctx context.Context, o Options, limits Limits) (*Snippets, error) {
	in, err := Open(o)
	if err != nil {
		return nil, err
	}
	s, err := in.Snippets(ctx, limits)
	if err != nil {
		in.Close()
		return nil, err
	}
	return s, nil
}

// another returns the snippets in the same store, as another runner of a cluster has them.
func another(t testing.TB, s *Snippets) *Snippets {
	t.Helper()
	a, err := s.store.Snippets(t.Context(), s.limits)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func put(t testing.TB, s *Snippets, body string) string {
	t.Helper()
	id, err := s.Put(t.Context(), "a client", []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// wantBody checks that the store has that body.
func wantBody(t testing.TB, s *Snippets, id, want string) {
	t.Helper()
	got, err := s.Get(t.Context(), id)
	if err != nil || string(got) != want {
		t.Errorf("%s: %.80q, %v; want %.80q", id, got, err, want)
	}
}

// intact checks that what is known of the snippets is what is stored, and returns their number.
func intact(t testing.TB, s *Snippets) int64 {
	t.Helper()
	held, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stored := another(t, s)
	if counted, err := stored.Stats(t.Context()); err != nil || held != counted {
		t.Errorf("the store reports %+v; it has %+v, %v", held, counted, err)
	}
	for id, e := range stored.known {
		if known := s.known[id]; known.sequence != e.sequence || known.mark != e.mark || known.bytes != e.bytes {
			t.Errorf("of %s is known %+v, and stored %+v", id, known, e)
		}
	}
	info, err := s.stream.Info(t.Context())
	if err != nil || int64(info.State.Msgs) != held.Count {
		t.Errorf("the stream has %+v, %v", info.State, err)
	}
	return held.Count
}

// underscoreProgram's hash has an underscore as its eleventh character. Its id is the one that play.golang.org gives.
const underscoreProgram = `package main

import "unsafe"

type T struct{}

func (T) m1()                         {}
func (T) m2([unsafe.Sizeof(T.m1)]int) {}

func main() {}
`

func TestSnippetsComeBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	known := map[string]string{"N_M_YelfGeR": "Snippy McSnipface", "WCktUidLyc_3": underscoreProgram}
	bodies := []string{"", "\x00", "\xff\xfe", "a\r\nb\r", "package main\n", strings.Repeat("\U0001F600", MaxBody/4),
		"PUB $KV.snippets.x 1\r\n"}
	began := time.Now()
	s := open(t, dir, ample)
	for id, body := range known {
		if got := put(t, s, body); got != id {
			t.Errorf("%.20q has the id %s, want %s", body, got, id)
		}
	}
	for _, body := range bodies {
		id := put(t, s, body)
		if again := put(t, s, body); again != id {
			t.Errorf("%.20q has the id %s, and then %s", body, id, again)
		}
		known[id] = body
	}
	if id, err := s.Put(t.Context(), "a client", nil); err != nil || known[id] != "" {
		t.Errorf("nil: %q, %v", id, err)
	}
	if _, err := s.Put(t.Context(), "a client", make([]byte, MaxBody+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large body: %v", err)
	}
	if n := intact(t, s); n != int64(len(known)) {
		t.Errorf("%d snippets, want %d", n, len(known))
	}
	s.store.Close()
	s = open(t, dir, ample)
	if n := intact(t, s); n != int64(len(known)) {
		t.Errorf("%d snippets when it is opened again, want %d", n, len(known))
	}
	for id, e := range s.known {
		if e.shared.Before(began) || e.shared.After(time.Now()) {
			t.Errorf("%s was shared at %v, not since %v", id, e.shared, began)
		}
	}
	for id, body := range known {
		wantBody(t, s, id, body)
	}
}

func TestUnknownSnippet(t *testing.T) {
	s := open(t, t.TempDir(), ample)
	id := put(t, s, "Snippy McSnipface")
	for _, unknown := range []string{"", "AAAAAAAAAAA", strings.ToLower(id), strings.ToUpper(id), id[:10], id + "A",
		id + "\x00", " " + id, "*", ">", "N_M_YelfGe*", "N_M_YelfGe>", "N_M.YelfGeR",
		"../../../etc/passwd", strings.Repeat("A", 1<<20), "\xff"} {
		if body, err := s.Get(t.Context(), unknown); !errors.Is(err, ErrNotFound) {
			t.Errorf("%.40q: %q, %v", unknown, body, err)
		}
	}
}

func FuzzGet(f *testing.F) {
	s := open(f, f.TempDir(), ample)
	id := put(f, s, "Snippy McSnipface")
	for _, seed := range []string{id, id + "x", "", "\x00", "AAAAAAAAAAA", "*", "N_M_YelfGe>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, asked string) {
		body, err := s.Get(t.Context(), asked)
		switch {
		case asked == id && (err != nil || string(body) != "Snippy McSnipface"):
			t.Errorf("%q: %q, %v", asked, body, err)
		case asked != id && (!errors.Is(err, ErrNotFound) || body != nil):
			t.Errorf("%q: %q, %v", asked, body, err)
		}
	})
}

// FuzzIDs tests the ids of any body: they are well-formed, and each is a prefix of the next.
func FuzzIDs(f *testing.F) {
	f.Add([]byte(underscoreProgram))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		last := ""
		for _, id := range ids(body) {
			if !maybeID(id) || len(id) <= len(last) || !strings.HasPrefix(id, last) {
				t.Errorf("%q after %q", id, last)
			}
			last = id
		}
	})
}

// TestCollision tests that a body whose id is taken gets a longer id, and that both bodies can be read.
func TestCollision(t *testing.T) {
	s := open(t, t.TempDir(), ample)
	const body = underscoreProgram
	want := ids([]byte(body))
	for i, id := range want[:3] {
		if _, err := s.store.js.Publish(t.Context(), snippetSubject+id, fmt.Append(nil, "other ", i)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if id := put(t, s, body); id != want[3] || len(id) < 15 {
			t.Errorf("id %q, want %q", id, want[3])
		}
	}
	wantBody(t, s, want[3], body)
	if m, err := s.message(t.Context(), want[0]); err != nil || string(m.Data) != "other 0" {
		t.Errorf("another's snippet is %q, %v", m.Data, err)
	}
	if n := intact(t, s); n != 4 {
		t.Errorf("%d snippets", n)
	}
}

// TestDamagedSnippet tests that a body that is not the one of its id is not served as if it were.
func TestDamagedSnippet(t *testing.T) {
	s := open(t, t.TempDir(), ample)
	id := put(t, s, "Snippy McSnipface")
	if _, err := s.store.js.Publish(t.Context(), snippetSubject+id, []byte("Snappy McSnipface")); err != nil {
		t.Fatal(err)
	}
	if body, err := s.Get(t.Context(), id); body != nil || err == nil || !strings.Contains(err.Error(), restore) {
		t.Errorf("%q, %v", body, err)
	}
}

func TestFull(t *testing.T) {
	for name, limits := range map[string]Limits{
		"count": {Count: 3, Bytes: 1 << 20},
		"bytes": {Count: 1 << 20, Bytes: 30},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, limits)
			first := put(t, s, strings.Repeat("1", 10))
			put(t, s, strings.Repeat("2", 10))
			put(t, s, strings.Repeat("3", 10))
			for range 2 {
				id, err := s.Put(t.Context(), "a client", []byte("4"))
				if !errors.Is(err, ErrFull) || id != "" || !strings.Contains(err.Error(), "it holds 3 snippets") {
					t.Errorf("%q, %v", id, err)
				}
			}
			if again := put(t, s, strings.Repeat("1", 10)); again != first {
				t.Errorf("the stored snippet has the id %q, and then %q", first, again)
			}
			if n := intact(t, s); n != 3 {
				t.Errorf("%d snippets", n)
			}
			// A store uses the limits with which it was opened, even if it already has more.
			s.store.Close()
			s = open(t, dir, Limits{Count: 1, Bytes: 1 << 20})
			wantBody(t, s, first, strings.Repeat("1", 10))
			s.store.Close()
			put(t, open(t, dir, ample), "4")
		})
	}
	s := open(t, t.TempDir(), Limits{})
	if _, err := s.Put(t.Context(), "a client", nil); !errors.Is(err, ErrFull) {
		t.Errorf("without room: %v", err)
	}
}

// TestConcurrency stores and reads equal and different snippets from many goroutines, as two runners of a cluster do.
func TestConcurrency(t *testing.T) {
	const workers, distinct = 8, 40
	stores := []*Snippets{open(t, t.TempDir(), ample), nil}
	stores[1] = another(t, stores[0])
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			s := stores[w%len(stores)]
			for _, i := range rand.Perm(distinct) {
				body := strings.Repeat(fmt.Sprintf("program %d\n", i), 1+i*20)
				id, err := s.Put(context.Background(), "a client", []byte(body))
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := s.Get(context.Background(), id); err != nil || string(got) != body {
					t.Errorf("%s: %d bytes, %v", id, len(got), err)
				}
			}
		})
	}
	wg.Wait()
	if n := intact(t, stores[0]); n != distinct {
		t.Errorf("%d snippets, want %d", n, distinct)
	}
}

// TestCanceled tests that a store remains usable after a Put whose context has ended.
func TestCanceled(t *testing.T) {
	s := open(t, t.TempDir(), ample)
	for i := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(cancel)
		body := fmt.Sprint(i)
		id, err := s.Put(ctx, "a client", []byte(body))
		if err == nil {
			wantBody(t, s, id, body)
		} else if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		wg.Wait()
	}
	wantBody(t, s, put(t, s, "after"), "after")
	intact(t, s)
}

// TestDurableSettings tests that the server waits for the disk before it acknowledges a snippet, and that other users
// cannot read it.
func TestDurableSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	s := open(t, dir, ample)
	put(t, s, "x")
	if config := s.store.embedded.server.JetStreamConfig(); !config.SyncAlways {
		t.Errorf("%+v", config)
	}
	if config := s.stream.CachedInfo().Config; config.Storage != jetstream.FileStorage || config.NoAck {
		t.Errorf("%+v", config)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v; want 0700", info.Mode().Perm(), err)
	}
}

func TestStrangeNames(t *testing.T) {
	for _, name := range []string{"a b?c#d%20&e=f;g", "ä'\"", "$G.>"} {
		dir := filepath.Join(t.TempDir(), name)
		put(t, open(t, dir, ample), "x")
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
}
