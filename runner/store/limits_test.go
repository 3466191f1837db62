package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A clock returns the time that a test sets.
type clock struct{ seconds atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(c.seconds.Load(), 0) }
func (c *clock) advance(d time.Duration) { c.seconds.Add(int64(d / time.Second)) }

// wantPut stores a body for a client and checks the error; nil means none.
func wantPut(t *testing.T, s *Snippets, client, body string, want error) {
	t.Helper()
	if _, err := s.Put(t.Context(), client, []byte(body)); !errors.Is(err, want) || want == nil && err != nil {
		t.Errorf("%s stores %.20q: %v, want %v", client, body, err, want)
	}
}

// held returns the bodies that the store has.
func held(t *testing.T, s *Snippets, bodies ...string) string {
	t.Helper()
	var there []string
	for _, body := range bodies {
		at, err := s.find(t.Context(), []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if at.message != nil {
			there = append(there, body)
		}
	}
	return strings.Join(there, " ")
}

// TestClientFull has one client reach its limit. Other clients can still store, and opening the store again changes
// nothing.
func TestClientFull(t *testing.T) {
	for name, limits := range map[string]Limits{
		"count": {Count: 100, Bytes: 1 << 20, ClientCount: 3},
		"bytes": {Count: 100, Bytes: 1 << 20, ClientBytes: 30},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			body := func(i int) string { return strings.Repeat(fmt.Sprint(i), 10) }
			s := open(t, dir, limits)
			for i := range 3 {
				wantPut(t, s, "greedy", body(i), nil)
			}
			wantPut(t, s, "greedy", body(3), ErrClientFull)
			s.store.Close()
			s = open(t, dir, limits)
			wantPut(t, s, "greedy", body(3), ErrClientFull)
			// A snippet that is stored already is free for every client, and counts only for the client that was first.
			for i := range 3 {
				wantPut(t, s, "greedy", body(i), nil)
				wantPut(t, s, "modest", body(i), nil)
			}
			wantPut(t, s, "modest", body(3), nil)
			wantPut(t, s, "greedy", body(3), nil)
			if n := intact(t, s); n != 4 {
				t.Errorf("%d snippets", n)
			}
			_, err := s.Put(t.Context(), "greedy", []byte(body(4)))
			if !strings.Contains(err.Error(), "it has 3 snippets") {
				t.Error(err)
			}
		})
	}
}

// TestClientFullTogether has a client store from many goroutines, through two runners of a cluster. Its limit holds.
func TestClientFullTogether(t *testing.T) {
	limits := Limits{Count: 1000, Bytes: 1 << 20, ClientCount: 20}
	stores := []*Snippets{open(t, t.TempDir(), limits), nil}
	stores[1] = another(t, stores[0])
	var stored, refused atomic.Int64
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			switch _, err := stores[i%2].Put(t.Context(), "greedy", []byte(fmt.Sprint("body ", i))); {
			case err == nil:
				stored.Add(1)
			case errors.Is(err, ErrClientFull):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if stored.Load() != 20 || refused.Load() != 40 || intact(t, stores[0]) != 20 {
		t.Errorf("%d stored, %d refused", stored.Load(), refused.Load())
	}
}

func TestRate(t *testing.T) {
	var c clock
	c.seconds.Store(1e9)
	s := open(t, t.TempDir(), Limits{Count: 100, Bytes: 1 << 20, ClientRate: 6})
	s.rates.Now = c.now
	for i := range 6 {
		wantPut(t, s, "hasty", fmt.Sprint("body ", i), nil)
	}
	for range 20 {
		_, err := s.Put(t.Context(), "hasty", []byte("one more"))
		var tooFast *TooFast
		// A refused Put does not make the wait longer.
		if !errors.As(err, &tooFast) || tooFast.Wait != 10*time.Second || tooFast.Limit != 6 {
			t.Fatalf("%v", err)
		}
	}
	for i := range 6 {
		wantPut(t, s, "hasty", fmt.Sprint("body ", i), nil) // not new
	}
	wantPut(t, s, "patient", "one more", nil)
	wantPut(t, s, "hasty", "one more", nil) // nor is this any more
	c.advance(10 * time.Second)
	wantPut(t, s, "hasty", "the next", nil)
	var tooFast *TooFast
	if _, err := s.Put(t.Context(), "hasty", []byte("and another")); !errors.As(err, &tooFast) {
		t.Error(err)
	}
}

// TestEvict fills a store, and the part of one client, and lets old snippets be evicted.
func TestEvict(t *testing.T) {
	const day = 24 * time.Hour
	var c clock
	c.seconds.Store(time.Now().Unix())
	s := open(t, t.TempDir(), Limits{Count: 4, Bytes: 100, ClientCount: 3, ClientBytes: 90, Evict: 10 * day})
	s.now = c.now
	all := []string{"a1", "b1", "a2", "a3", "a4", "b2", "b3"}
	for _, body := range all[:4] {
		wantPut(t, s, body[:1], body, nil)
		c.advance(day)
	}
	// No snippet is old enough.
	wantPut(t, s, "a", "a4", ErrClientFull)
	wantPut(t, s, "b", "b2", ErrFull)
	if got := held(t, s, all...); got != "a1 b1 a2 a3" {
		t.Errorf("held are %s", got)
	}
	c.advance(6 * day) // a1 is 10 days old
	wantPut(t, s, "a", "a4", nil)
	if got := held(t, s, all...); got != "b1 a2 a3 a4" || s.Evicted() != 1 {
		t.Errorf("held are %s", got)
	}
	// Another client shares b1 again, so its age begins anew.
	c.advance(2 * day)
	wantPut(t, s, "a", "b1", nil)
	wantPut(t, s, "b", "b2", nil)
	if got := held(t, s, all...); got != "b1 a3 a4 b2" {
		t.Errorf("held are %s", got)
	}
	c.advance(day)
	wantPut(t, s, "b", "b3", nil) // instead of a3, 10 days old
	wantPut(t, s, "c", "c1", ErrFull)
	if got := held(t, s, all...); got != "b1 a4 b2 b3" || s.Evicted() != 3 {
		t.Errorf("held are %s", got)
	}
	// A snippet that is larger than the client's limit evicts nothing.
	c.advance(20 * day)
	wantPut(t, s, "c", strings.Repeat("c", 101), ErrClientFull)
	wantPut(t, s, "c", strings.Repeat("c", 90), nil)
	if got := held(t, s, all...); got != "b1 b2 b3" {
		t.Errorf("held are %s", got)
	}
	// A large snippet evicts as many as necessary.
	wantPut(t, s, "d", strings.Repeat("d", 10), nil)
	wantPut(t, s, "d", strings.Repeat("e", 80), ErrFull) // the large one is young
	c.advance(20 * day)
	wantPut(t, s, "d", strings.Repeat("e", 80), nil)
	if got := held(t, s, all...); got != "" || intact(t, s) != 2 {
		t.Errorf("held are %s", got)
	}
}

// TestOldBucket opens the bucket that earlier versions made in a cluster, which did not record clients there.
func TestOldBucket(t *testing.T) {
	in, err := Open(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	bucket, err := in.js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{
		Bucket: "snippets", Description: "programs that readers share", Storage: jetstream.FileStorage, Replicas: 1,
		MaxValueSize: MaxBody + entryBytes, MaxBytes: 1 << 20, TTL: 24 * time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{
		"N_M_YelfGeR": "Snippy McSnipface", "UCPdVNrl0-P": "", "UdgOOEeCHl1": "\xff\x00\r\n",
		"z3xP5obroah": "package main\n",
		"v0IQjmLYdDq": strings.Repeat("// a line of a longer program\n", 400),
	}
	for id, body := range bodies {
		if _, err := bucket.Create(t.Context(), id, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	limits := Limits{Count: 7, Bytes: 1 << 20, ClientCount: 1}
	for range 2 {
		s, err := in.Snippets(t.Context(), limits)
		if err != nil {
			t.Fatal(err)
		}
		for id, body := range bodies {
			wantBody(t, s, id, body)
			if again := put(t, s, body); again != id {
				t.Errorf("%s has the id %s now", id, again)
			}
		}
		wantPut(t, s, "a client", "new", nil) // what is there is not this client's
		wantPut(t, s, "a client", "newer", ErrClientFull)
		if n := intact(t, s); n != int64(len(bodies)+1) {
			t.Errorf("%d snippets", n)
		}
		if age := s.stream.CachedInfo().Config.MaxAge; age != 0 {
			t.Errorf("the server removes snippets after %v", age)
		}
	}
	// Snippets of that version can be evicted.
	limits.Count, limits.ClientCount, limits.Evict = 6, 0, time.Hour
	s, err := in.Snippets(t.Context(), limits)
	if err != nil {
		t.Fatal(err)
	}
	s.now = func() time.Time { return time.Now().Add(2 * limits.Evict) }
	wantPut(t, s, "a client", "newest", nil)
	if n := intact(t, s); n != 6 || s.Evicted() != 1 {
		t.Errorf("%d snippets, %d are gone", n, s.Evicted())
	}
}

// TestMarks tests that the files do not identify clients, and that a client has a different mark in each store.
func TestMarks(t *testing.T) {
	marks := map[[16]byte]bool{}
	const client = "203.0.113.7"
	for range 2 {
		dir := t.TempDir()
		s := open(t, dir, ample)
		wantPut(t, s, client, "x", nil)
		for _, e := range s.known {
			marks[e.mark] = true
		}
		s.store.Close()
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			if strings.Contains(string(text), client) {
				t.Errorf("%s has the address", name)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if marks[[16]byte{}] || len(marks) != 2 {
		t.Errorf("the client has %d marks in two stores: %v", len(marks), marks)
	}
}
