package snippets

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var ample = Limits{Count: 1 << 20, Bytes: 1 << 30}

// open opens a store that is closed when the test ends.
func open(t testing.TB, file string, limits Limits) *Store {
	t.Helper()
	s, err := Open(t.Context(), file, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func put(t testing.TB, s *Store, body string) string {
	t.Helper()
	id, err := s.Put(t.Context(), "a client", []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// wantBody checks that the store has that body.
func wantBody(t testing.TB, s *Store, id, want string) {
	t.Helper()
	got, err := s.Get(t.Context(), id)
	if err != nil || string(got) != want {
		t.Errorf("%s: %.80q, %v; want %.80q", id, got, err, want)
	}
}

// intact checks the file and the counts that it stores, and returns the number of snippets.
func intact(t testing.TB, s *Store) int64 {
	t.Helper()
	var result string
	if err := s.readers.QueryRow(`PRAGMA integrity_check`).Scan(&result); err != nil || result != "ok" {
		t.Errorf("integrity_check: %s, %v", result, err)
	}
	var counted Stats
	if err := s.readers.QueryRow(`SELECT count(*), coalesce(sum(length(body)), 0) FROM snippet`).Scan(&counted.Count,
		&counted.Bytes); err != nil {
		t.Fatal(err)
	}
	if held, err := s.Stats(t.Context()); err != nil || held != counted {
		t.Errorf("the store reports %+v, %v; it has %+v", held, err, counted)
	}
	return counted.Count
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
	file := filepath.Join(t.TempDir(), "new", "folder", "snippets.db")
	known := map[string]string{"N_M_YelfGeR": "Snippy McSnipface", "WCktUidLyc_3": underscoreProgram}
	bodies := []string{"", "\x00", "\xff\xfe", "a\r\nb\r", "package main\n", strings.Repeat("\U0001F600", MaxBody/4),
		"'); DROP TABLE snippet; --"}
	s, err := Open(t.Context(), file, ample)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	// After Close all data is in the one file, which can be copied.
	files, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(files) != 1 {
		t.Errorf("left after closing: %v, %v", files, err)
	}
	s = open(t, file, ample)
	for id, body := range known {
		wantBody(t, s, id, body)
	}
}

func TestUnknownSnippet(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "snippets.db"), ample)
	id := put(t, s, "Snippy McSnipface")
	for _, unknown := range []string{"", "AAAAAAAAAAA", strings.ToLower(id), strings.ToUpper(id), id[:10], id + "A",
		id +
			"\x00", " " + id, "%", "N_M_YelfGe%", "' OR 1=1 --",
		"../../../etc/passwd", strings.Repeat("A", 1<<20), "\xff"} {
		if body, err := s.Get(t.Context(), unknown); !errors.Is(err, ErrNotFound) {
			t.Errorf("%.40q: %q, %v", unknown, body, err)
		}
	}
}

func FuzzGet(f *testing.F) {
	s := open(f, filepath.Join(f.TempDir(), "snippets.db"), ample)
	id := put(f, s, "Snippy McSnipface")
	for _, seed := range []string{id, id + "x", "", "\x00", "AAAAAAAAAAA", "' OR ''='"} {
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
	s := open(t, filepath.Join(t.TempDir(), "snippets.db"), ample)
	const body = underscoreProgram
	want := ids([]byte(body))
	for i, id := range want[:3] {
		other := fmt.Sprintf("other %d", i)
		if _, err := s.writer.Exec(`INSERT INTO snippet VALUES (?, ?, 0, NULL)`, id, []byte(other)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.writer.Exec(`UPDATE total SET count = count + 1, bytes = bytes + ?`, len(other)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if id := put(t, s, body); id != want[3] || len(id) < 15 {
			t.Errorf("id %q, want %q", id, want[3])
		}
	}
	wantBody(t, s, want[3], body)
	wantBody(t, s, want[0], "other 0")
	intact(t, s)
}

func TestFull(t *testing.T) {
	for name, limits := range map[string]Limits{
		"count": {Count: 3, Bytes: 1 << 20},
		"bytes": {Count: 1 << 20, Bytes: 30},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "snippets.db")
			s := open(t, file, limits)
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
			// A store uses the limits with which it was opened, even if the file already has more.
			put(t, open(t, file, ample), "4")
		})
	}
	s := open(t, filepath.Join(t.TempDir(), "snippets.db"), Limits{})
	if _, err := s.Put(t.Context(), "a client", nil); !errors.Is(err, ErrFull) {
		t.Errorf("without room: %v", err)
	}
}

// TestConcurrency stores and reads equal and different snippets from many goroutines, through two stores on one file.
func TestConcurrency(t *testing.T) {
	file := filepath.Join(t.TempDir(), "snippets.db")
	const workers, distinct = 8, 40
	stores := []*Store{open(t, file, ample), open(t, file, ample)}
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
	s := open(t, filepath.Join(t.TempDir(), "snippets.db"), ample)
	for i := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(cancel)
		body := fmt.Sprint(i)
		id, err := s.Put(ctx, "a client", []byte(body))
		if err == nil {
			wantBody(t, s, id, body)
		} else if !errors.Is(err, context.Canceled) && code(err) == 0 {
			t.Error(err)
		}
		wg.Wait()
	}
	wantBody(t, s, put(t, s, "after"), "after")
	intact(t, s)
}

func TestDurableSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "folder", "snippets.db")
	s := open(t, file, ample)
	put(t, s, "x")
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2",
		"application_id": fmt.Sprint(applicationID), "user_version": fmt.Sprint(len(migrations))} {
		var got string
		if err := s.writer.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", pragma, got, err, want)
		}
	}
	for name, want := range map[string]os.FileMode{".": 0o700, "snippets.db": 0o600, "snippets.db-wal": 0o600,
		"snippets.db-shm": 0o600} {
		info, err := os.Stat(filepath.Join(filepath.Dir(file), name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode().Perm(), err, want)
		}
	}
	if _, err := s.readers.Exec(`DELETE FROM snippet`); err == nil {
		t.Error("a reader's connection can write")
	}
}

func TestStrangeNames(t *testing.T) {
	for _, name := range []string{"a b?c#d%20&e=f;g.db", "ä'\".db", "mode=memory?cache=shared"} {
		file := filepath.Join(t.TempDir(), name)
		put(t, open(t, file, ample), "x")
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

func TestFilesRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	database := func(name, statements string) string {
		file := filepath.Join(dir, name)
		db, err := sql.Open("sqlite", file)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(statements); err != nil {
			t.Fatal(err)
		}
		return file
	}
	damaged := func() string {
		file := filepath.Join(dir, "damaged")
		s, err := Open(t.Context(), file, ample)
		if err != nil {
			t.Fatal(err)
		}
		put(t, s, "x")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return write("damaged.db", append(data[:100:100], bytes.Repeat([]byte{0xff}, len(data)-100)...))
	}
	newer := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(migrations)+1)
	for name, c := range map[string]struct{ file, want string }{
		"text": {write("text", []byte(strings.Repeat("package main\n", 100))),
			"is not an SQLite database: name another file"},
		"folder": {dir, "is not a regular file"},
		"device": {os.DevNull, "is not a regular file"},
		"newer":  {database("newer", newer), "a newer runner wrote it"},
		"other":  {database("other", "CREATE TABLE notes (text)"), "is the database of another program"},
		"marked": {database("marked", "PRAGMA application_id = 7; PRAGMA user_version = 1"),
			"is the database of another program"},
		"damaged": {damaged(), "is damaged"},
		"in a file": {filepath.Join(write("plain", nil), "snippets.db"),
			"name a file in a folder that the runner may write to"},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(c.file)
			s, err := Open(t.Context(), c.file, ample)
			if err == nil {
				s.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), filepath.Base(dir)) &&
				name != "device" {
				t.Errorf("%v; want %q and the file", err, c.want)
			}
			if after, _ := os.ReadFile(c.file); !bytes.Equal(before, after) {
				t.Error("the file is another now")
			}
		})
	}
	// A file that was created and not written to counts as new.
	put(t, open(t, write("empty", nil), ample), "x")
}
