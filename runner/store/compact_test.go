package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onthestack/runner/room"
)

// found returns the files of a folder that contain one of the texts.
func found(t *testing.T, dir string, texts ...string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		for _, text := range texts {
			if bytes.Contains(content, []byte(text)) {
				names = append(names, name+": "+text)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// fill stores a room with a participant, a submission, a verdict and the code of a check, which is projected.
func fill(t *testing.T, j *Journal, code, name, source string) {
	t.Helper()
	appendAll(t, j, code, room.Event{Kind: room.Created, Title: "Monday", Exercises: []string{"exercise6"}},
		room.Event{Kind: room.Joined, Participant: "p1", Name: name})
	submitted := room.Event{Kind: room.Submitted, Participant: "p1", Exercise: "exercise6", Submission: "s1"}
	record := Record{Event: submitted, Files: map[string]string{"a.go": source}}
	if _, err := j.Append(t.Context(), code, "submitted/s1", record); err != nil {
		t.Fatal(err)
	}
	graded, err := json.Marshal(Graded{Verdict: json.RawMessage(`{"errors":["` + source + `"]}`)})
	if err == nil {
		_, err = j.verdicts.Create(t.Context(), verdictKey(code, "s1", 0), graded)
	}
	if err == nil {
		_, err = j.Append(t.Context(), code, "graded/s1/0", Record{Event: room.Event{Kind: room.Graded,
			Submission: "s1", Grade: &room.Grade{Pass: true, Score: 1}}})
	}
	if err == nil {
		err = j.StoreCode(t.Context(), code, record)
	}
	if err == nil {
		err = j.StoreProjected(t.Context(), code, record)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDeleted deletes a room between others. Once the store is closed, no file has its code, a name or a source, and
// the other rooms are as they were, also after another deletion.
func TestDeleted(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, dir)
	fill(t, j, "AAAAAA", "Ada Alpha", "package alpha")
	fill(t, j, "BBBBBB", "Bea Beta", "package beta")
	fill(t, j, "CCCCCC", "Cid Gamma", "package gamma")
	if _, err := j.Delete(t.Context(), "BBBBBB"); err != nil {
		t.Fatal(err)
	}
	last := j.stream.CachedInfo().State.LastSeq
	j.Close()
	if names := found(t, dir, "BBBBBB", "Bea Beta", "package beta"); len(names) > 0 {
		t.Errorf("the deleted room is in %s", strings.Join(names, "\n"))
	}
	j = openJournal(t, dir)
	rooms := follow(t, j, func(rooms map[string]*room.Room) bool {
		return rooms["CCCCCC"] != nil && len(rooms["CCCCCC"].Submissions) == 1
	})
	for code, name := range map[string]string{"AAAAAA": "Ada Alpha", "CCCCCC": "Cid Gamma"} {
		r := rooms[code]
		if r == nil || r.Participants["p1"].Name != name || r.Sequence <= last {
			t.Fatalf("room %s is %+v, want events after %d", code, r, last)
		}
		record, err := j.Submission(t.Context(), code, "s1")
		if err != nil || !strings.HasPrefix(record.Files["a.go"], "package ") {
			t.Errorf("room %s: %+v, %v", code, record, err)
		}
		if _, err := j.Verdict(t.Context(), code, "s1", 0); err != nil {
			t.Errorf("room %s: %v", code, err)
		}
		record, err = j.Code(t.Context(), code, "p1", "exercise6")
		if err != nil || !strings.HasPrefix(record.Files["a.go"], "package ") {
			t.Errorf("room %s, the code of the last check: %+v, %v", code, record, err)
		}
		if _, err := j.Projected(t.Context(), code); err != nil {
			t.Errorf("room %s: %v", code, err)
		}
	}
	if rooms["BBBBBB"] != nil {
		t.Error("the deleted room is followed")
	}
	for _, code := range []string{"AAAAAA", "CCCCCC"} {
		if _, err := j.Delete(t.Context(), code); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	names := found(t, dir, "AAAAAA", "Ada Alpha", "package alpha", "CCCCCC", "Cid Gamma", "package gamma")
	if len(names) > 0 {
		t.Errorf("the last rooms are in %s", strings.Join(names, "\n"))
	}
	j = openJournal(t, dir)
	appendAll(t, j, "DDDDDD", lesson...)
}

// TestDeletedSlowly closes a store whose files cannot be copied in time: it is closed all the same, with everything that
// it has, and the next start removes the text.
func TestDeletedSlowly(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, dir)
	fill(t, j, "AAAAAA", "Ada Alpha", "package alpha")
	fill(t, j, "BBBBBB", "Bea Beta", "package beta")
	if _, err := j.Delete(t.Context(), "BBBBBB"); err != nil {
		t.Fatal(err)
	}
	j.compactTime = 0
	j.Close()
	if len(found(t, dir, "Bea Beta")) == 0 {
		t.Fatal("the text is gone although there was no time to remove it")
	}
	if _, err := os.Stat(filepath.Join(dir, compactDir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half of a copy is left: %v", err)
	}
	j = openJournal(t, dir)
	if names := found(t, dir, "BBBBBB", "Bea Beta", "package beta"); len(names) > 0 {
		t.Errorf("the deleted room is in %s", strings.Join(names, "\n"))
	}
	if _, err := j.Submission(t.Context(), "AAAAAA", "s1"); err != nil {
		t.Error(err)
	}
}

// TestDeletedKilled leaves a store without closing it, as a process does that is killed after a deletion: the next one
// that opens the folder removes the text. What was graded is not graded again.
func TestDeletedKilled(t *testing.T) {
	dir, copied := t.TempDir(), t.TempDir()
	j := openJournal(t, dir)
	fill(t, j, "AAAAAA", "Ada Alpha", "package alpha")
	fill(t, j, "BBBBBB", "Bea Beta", "package beta")
	if _, err := j.Delete(t.Context(), "BBBBBB"); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if len(found(t, copied, "Bea Beta")) == 0 {
		t.Fatal("the text is gone before anything was compacted: this test finds nothing")
	}
	j = openJournal(t, copied)
	if names := found(t, copied, "BBBBBB", "Bea Beta", "package beta"); len(names) > 0 {
		t.Errorf("the deleted room is in %s", strings.Join(names, "\n"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go j.Grade(ctx, 1, func(context.Context, Task) (Graded, error) {
		t.Error("a submission is graded again")
		return Graded{}, context.Canceled
	})
	consumer := func() uint64 {
		c, err := j.stream.Consumer(t.Context(), graders)
		if err != nil {
			return 0
		}
		return c.CachedInfo().AckFloor.Consumer
	}
	for end := time.Now().Add(time.Minute); consumer() < 1; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the submission is not acknowledged")
		}
	}
}

// TestCompactInterrupted opens folders in which compacting was interrupted: before the copy was complete nothing has
// changed, and afterwards the copy is taken.
func TestCompactInterrupted(t *testing.T) {
	for name, done := range map[string]bool{"copying": false, "exchanging": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := openJournal(t, dir)
			fill(t, j, "AAAAAA", "Ada Alpha", "package alpha")
			j.Close()
			beside := filepath.Join(dir, compactDir)
			if err := os.CopyFS(streamsIn(beside), os.DirFS(streamsIn(dir))); err != nil {
				t.Fatal(err)
			}
			if done {
				// One of the streams was exchanged already; of the other, the old one is half removed.
				if err := os.RemoveAll(filepath.Join(streamsIn(beside), compacted[1])); err != nil {
					t.Fatal(err)
				}
				if err := os.RemoveAll(filepath.Join(streamsIn(dir), roomStream, "msgs")); err != nil {
					t.Fatal(err)
				}
				if err := markComplete(beside); err != nil {
					t.Fatal(err)
				}
			}
			j = openJournal(t, dir)
			if _, err := j.Submission(t.Context(), "AAAAAA", "s1"); err != nil {
				t.Error(err)
			}
			if _, err := j.Verdict(t.Context(), "AAAAAA", "s1", 0); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(beside); err == nil {
				t.Error("the folder of the copy is still there")
			}
		})
	}
}
