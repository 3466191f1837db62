package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onthestack/runner/room"
)

// classWork stores a room of participants who each handed in once and were graded, closes the store, and returns the
// folder. The last event is the outcome of the last submission.
func classWork(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	j, err := openWith(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	events := []room.Event{{Kind: room.Created, Title: "Monday", Exercises: []string{"exercise6"}}}
	for i := range classSize {
		events = append(events, room.Event{Kind: room.Joined, Participant: fmt.Sprint("p", i), Name: fmt.Sprint("Ada ", i)})
	}
	appendAll(t, j, "K7M2QX", events...)
	for i := range classSize {
		id := fmt.Sprint("s", i)
		e := room.Event{Kind: room.Submitted, Participant: fmt.Sprint("p", i), Exercise: "exercise6", Submission: id}
		record := Record{Event: e, Files: map[string]string{"a.go": strings.Repeat("// "+id+"\n", 1000)}}
		if _, err := j.Append(t.Context(), "K7M2QX", id, record); err != nil {
			t.Fatal(err)
		}
	}
	graded := 0
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	grading := make(chan error)
	go func() {
		grading <- j.Grade(ctx, 1, func(_ context.Context, task Task) (Graded, error) {
			return Graded{Verdict: fmt.Appendf(nil, "%q", task.Files["a.go"]), Grade: room.Grade{Pass: true, Score: 1}}, nil
		})
	}()
	follow(t, j, func(rooms map[string]*room.Room) bool {
		graded = 0
		if r := rooms["K7M2QX"]; r != nil {
			for _, s := range r.Submissions {
				if s.State == room.StateGraded {
					graded++
				}
			}
		}
		return graded == classSize
	})
	cancel()
	<-grading
	j.Close()
	return dir
}

const classSize = 12

// A classState is what a server knows about the room of classWork.
type classState struct {
	events   int
	states   map[string]string // of the submissions
	sources  int               // that can be read
	verdicts int
}

// readClass opens a folder and reads the room as a server does. An error is one with which the server does not start, or
// stops.
func readClass(ctx context.Context, dir string) (state classState, err error) {
	j, err := openWith(ctx, Options{Dir: dir})
	if err != nil {
		return state, err
	}
	defer j.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r, caughtUp := room.New("K7M2QX"), errors.New("caught up")
	err = j.Follow(ctx, func(_ string, sequence uint64, e room.Event) {
		state.events++
		r.Apply(sequence, e)
	}, func() { stop(caughtUp) })
	if context.Cause(ctx) != caughtUp {
		return state, err
	}
	state.states = map[string]string{}
	for i := range classSize {
		id := fmt.Sprint("s", i)
		if s := r.Submissions[id]; s != nil {
			state.states[id] = s.State
		}
		if record, err := j.Submission(context.Background(), "K7M2QX", id); err == nil && len(record.Files) == 1 {
			state.sources++
		}
		if _, err := j.Verdict(context.Background(), "K7M2QX", id, 0); err == nil {
			state.verdicts++
		}
	}
	return state, nil
}

// messages returns how many events and verdicts there are.
func (s classState) messages() int { return s.events + s.verdicts }

func (s classState) equal(other classState) bool {
	return s.events == other.events && s.sources == other.sources && s.verdicts == other.verdicts &&
		maps.Equal(s.states, other.states)
}

// flipped returns a damage: some bytes at a part of the file are others.
func flipped(part float64, n int) func([]byte) []byte {
	return func(text []byte) []byte {
		at := int(part * float64(len(text)))
		for i := range n {
			text[at+i] ^= 0x55
		}
		return text
	}
}

// flippedBack returns a damage: a byte before the end of the file is another one.
func flippedBack(before int) func([]byte) []byte {
	return func(text []byte) []byte {
		text[len(text)-before] ^= 0x55
		return text
	}
}

func cut(bytes int) func([]byte) []byte {
	return func(text []byte) []byte { return text[:len(text)-bytes] }
}

func emptied([]byte) []byte { return nil }

// damageFile changes a file, or removes it if damage is nil.
func damageFile(t *testing.T, name string, damage func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(name)
	switch {
	case err != nil:
	case damage == nil:
		err = os.Remove(name)
	default:
		err = os.WriteFile(name, damage(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// blocksOf returns the content of the files with messages.
func blocksOf(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(streamsIn(dir), "*", "msgs", "*.blk"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&all, name, len(text))
		all.Write(text)
	}
	return all.String()
}

// readInTime is readClass with a bound: nothing takes as long but a server that waits for what never comes.
func readInTime(t *testing.T, dir string) (classState, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	began := time.Now()
	state, err := readClass(ctx, dir)
	t.Logf("after %v: %v", time.Since(began).Round(time.Millisecond), err)
	if ctx.Err() != nil {
		t.Fatalf("the rooms are being read for ever: %v", err)
	}
	return state, err
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	other := t.TempDir()
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return other
}

// wantFound reads the room of a damaged folder. The server says what is damaged and what to do, or it has everything.
// Once the operator has chosen to go on with what is left, at most lost messages are missing.
func wantFound(t *testing.T, dir string, whole classState, lost int) {
	t.Helper()
	before := blocksOf(t, dir)
	state, err := readInTime(t, dir)
	if err == nil {
		if !state.equal(whole) {
			t.Errorf("nothing is noticed, and the server has %+v, of %+v", state, whole)
		}
		return
	}
	if lost == 0 {
		t.Fatalf("it can be repaired, but: %v", err)
	}
	_, tally, ok := strings.Cut(err.Error(), "to continue with what is left, remove ")
	if !ok || !strings.Contains(err.Error(), restore) || !strings.HasPrefix(tally, dir) {
		t.Fatalf("the error does not say what to do: %v", err)
	}
	if strings.Contains(err.Error(), "nothing was changed") && blocksOf(t, dir) != before {
		t.Error("the files were changed")
	}
	if err := os.Remove(tally); err != nil {
		t.Fatal(err)
	}
	state, err = readInTime(t, dir)
	if err != nil || state.messages() < whole.messages()-lost {
		t.Errorf("what is left is %+v, of %+v: %v", state, whole, err)
	}
}

// TestRoomDamage damages the files of a class after its store was closed. Whatever it is, the server notices at the
// start, or repairs it.
func TestRoomDamage(t *testing.T) {
	dir := classWork(t)
	whole, err := readClass(t.Context(), dir)
	if err != nil || whole.sources != classSize || whole.verdicts != classSize {
		t.Fatalf("%+v, %v", whole, err)
	}
	const rooms, verdicts = "rooms/msgs/1.blk", "KV_verdicts/msgs/1.blk"
	for _, c := range []struct {
		name   string
		file   string // in the folder of the streams
		damage func([]byte) []byte
		lost   int // at most, if the operator goes on with what is left; 0 if it is repaired
	}{
		{"a byte in the middle", rooms, flipped(0.5, 1), 1},
		{"a byte at the beginning", rooms, flipped(0, 1), 1},
		{"the length of a subject", rooms, func(b []byte) []byte { b[20] ^= 1; return b }, 1},
		{"the length of headers", rooms, func(b []byte) []byte { b[22+int(b[20])] ^= 2; return b }, 1},
		{"64 bytes at 90 %", rooms, flipped(0.9, 64), 2},
		{"a byte of the last event", rooms, flippedBack(60), 1},
		{"the last byte", rooms, flippedBack(1), 1},
		{"a truncated last event", rooms, cut(100), 1},
		{"no events", rooms, emptied, whole.messages()}, // verdicts without a room are of no use
		{"a byte of the verdicts", verdicts, flipped(0.5, 1), 1},
		{"64 bytes of the verdicts", verdicts, flipped(0.9, 64), 2},
		{"a byte of the last verdict", verdicts, flippedBack(60), 1},
		{"a truncated last verdict", verdicts, cut(100), 1},
		{"no verdicts", verdicts, nil, whole.verdicts},
		{"what is graded", "rooms/obs/graders/o.dat", flipped(0.5, 1), 0},
		{"what is graded, removed", "rooms/obs/graders/o.dat", nil, 0},
		{"the count of events, empty", "../../../stored", emptied, 0},
	} {
		for _, indexed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, index %t", c.name, indexed), func(t *testing.T) {
				damaged := copied(t, dir)
				damageFile(t, filepath.Join(streamsIn(damaged), c.file), c.damage)
				if !indexed {
					for _, stream := range compacted {
						damageFile(t, filepath.Join(streamsIn(damaged), stream, "msgs", index), nil)
					}
				}
				wantFound(t, damaged, whole, c.lost)
			})
		}
	}
}

// TestProofRoomDamage damages a byte of a file of a class in many places: of a message's number, its subject, its text
// and its checksum. No more than that message is lost.
func TestProofRoomDamage(t *testing.T) {
	dir := classWork(t)
	whole, err := readClass(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range []string{roomStream, verdictStream} {
		const places = 60
		for i := range places {
			damaged := copied(t, dir)
			folder := filepath.Join(streamsIn(damaged), stream, "msgs")
			damageFile(t, filepath.Join(folder, "1.blk"), flipped((float64(i)+rand.Float64())/places, 1))
			if i%2 == 0 {
				damageFile(t, filepath.Join(folder, index), nil)
			}
			wantFound(t, damaged, whole, 1)
		}
	}
}
