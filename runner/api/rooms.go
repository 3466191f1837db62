package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
	"onthestack/runner/address"
	"onthestack/runner/queue"
	"onthestack/runner/remote"
	"onthestack/runner/room"
	"onthestack/runner/room/roomhttp"
	"onthestack/runner/settings"
	"onthestack/runner/store"
)

// tokenFile has the instructor's token, in the folder of --state.
const tokenFile = "instructor.token"

// TokenFile returns the name of the file with the instructor's token.
func TokenFile(set settings.Settings) string { return filepath.Join(set.State, tokenFile) }

// rooms are the rooms of classes. A server without --room has none.
type rooms struct {
	journal    *store.Journal
	server     *roomhttp.Server
	instructor string // the instructor's token
}

// A cluster is the other machines that share the journal. A server without --nats has none.
type cluster struct {
	pool  *remote.Pool        // workers
	slots *semaphore.Weighted // of this machine, --concurrency of them
}

// openRooms opens the journal of rooms and the handler for them, and finds the other machines.
func (s *Server) openRooms(ctx context.Context) (err error) {
	if err := os.MkdirAll(s.settings.State, 0o700); err != nil {
		return fmt.Errorf("make the folder of --state: %w", err)
	}
	if os.Geteuid() == 0 {
		s.log.Warn("the server runs as root, and builds and runs what participants send: "+
			"start it as a user without rights, who owns the folder of --state", "folder", s.settings.State)
	}
	instructor, err := instructorToken(TokenFile(s.settings))
	if err != nil {
		return err
	}
	log, err := s.store.Journal(ctx)
	if err != nil {
		return err
	}
	var exercises []string
	for _, e := range s.catalog {
		exercises = append(exercises, e.ID)
	}
	s.rooms = &rooms{log, roomhttp.New(roomhttp.Options{
		Journal: log, Exercises: exercises, Instructor: instructor, Cluster: s.settings.NATS != "",
		Client: s.settings.Proxies.Client, Secure: s.settings.Proxies.Secure, Log: s.log,
		Title: func(id string) string { return s.catalog.Lookup(id).Title },
		Sites: func() address.Sites { return address.Find(s.listening, s.settings.Public) },
		Known: func(id string, p room.Progress) room.Progress { return p.Known(s.catalog.Lookup(id)) },
		Validate: func(exercise string, files map[string]string) error {
			_, _, err := s.solution(checkRequest{exercise, files})
			return err
		},
	}), instructor}
	s.metrics.Rooms(s.rooms.server)
	if s.settings.NATS == "" {
		return nil
	}
	s.cluster = &cluster{&remote.Pool{Conn: s.store.Conn, Release: s.release.Version, Log: s.log},
		semaphore.NewWeighted(int64(s.settings.Concurrency))}
	return nil
}

// oldestWait is how long a submission waits to be graded before that counts as a fault of the server's.
const oldestWait = 10 * time.Minute

// degraded returns what does not work in the rooms, or "".
func (r *rooms) degraded() string {
	switch stats := r.server.Stats(); {
	case !r.server.IsReady():
		return "the rooms are being read from disk"
	case r.journal.ReadOnly():
		return "the disk is full, and nothing is stored in the rooms"
	case stats.Oldest > oldestWait:
		return fmt.Sprintf("a submission has waited for %v to be graded", stats.Oldest.Round(time.Minute))
	}
	return ""
}

// instructorToken returns the token in a file, which it creates if there is none. Nobody else may read the file.
func instructorToken(name string) (string, error) {
	text, err := os.ReadFile(name)
	switch {
	case err == nil:
		token := room.Normalize(string(text))
		if !room.ValidToken(token) {
			return "", fmt.Errorf("%s does not have a token of %d letters: remove the file, and a new token is made",
				name, len(room.NewToken()))
		}
		// It may have been copied with other permissions.
		if err := os.Chmod(name, 0o600); err != nil {
			return "", fmt.Errorf("keep the instructor's token from other users: %w", err)
		}
		return token, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("read the instructor's token: %w", err)
	}
	token := room.NewToken()
	if err := os.WriteFile(name, []byte(token+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("store the instructor's token: %w", err)
	}
	return token, nil
}

// lesson is the room that is open after the start.
func (s *Server) lesson() roomhttp.Lesson {
	return roomhttp.Lesson{Title: s.settings.Title, Exercises: s.settings.Exercises, SeesCode: s.settings.SeesCode}
}

// FindRoom returns the room with the title of --room-title that the server goes on with; ok is false if there is none.
// Serve must be running.
func (s *Server) FindRoom(ctx context.Context) (found roomhttp.Start, ok bool, err error) {
	return s.rooms.server.Find(ctx, s.lesson())
}

// OpenRoom opens a room with the title of --room-title, or one like "Workshop (2)" if there is one. Serve must be
// running.
func (s *Server) OpenRoom(ctx context.Context) (roomhttp.Start, error) {
	return s.rooms.server.OpenNew(ctx, s.lesson())
}

// Exercises returns the exercises that a room may have, in the order of the workbook.
func (s *Server) Exercises() []string { return s.rooms.server.Exercises }

// InstructorToken returns the token that opens every room.
func (s *Server) InstructorToken() string { return s.rooms.instructor }

// runRooms follows the journal and grades submissions until ctx is done. It returns the first error.
func (s *Server) runRooms(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return s.rooms.server.Run(ctx) })
	if s.cluster != nil {
		all.Go(func() error {
			return s.cluster.pool.Watch(ctx, func(slots int) { s.builds.SetSlots(s.settings.Concurrency + slots) })
		})
	}
	s.gradeAll(ctx, all, s.rooms.journal)
	return all.Wait()
}

// gradingsPerSlot is for how many participants a slot of this machine grades at the same time. The queue shares the
// slots among them as it does among checks, so that submissions that take long do not keep others from their turn.
const gradingsPerSlot = 4

// gradeAll grades submissions. They leave half of the places in the queue to requests, also when many take long.
func (s *Server) gradeAll(ctx context.Context, all *errgroup.Group, j *store.Journal) {
	slots := s.settings.Concurrency
	atOnce := max(1, min(gradingsPerSlot*slots, (slots+s.settings.Queue/2)/store.OvertimeFactor))
	all.Go(func() error { return j.Grade(ctx, atOnce, s.grade) })
}

// client returns the client for which a request waits in the queue: a participant of a room, or an address. Sixty
// people behind one router share nothing but the machine.
func (s *Server) client(r *http.Request) string {
	if s.rooms != nil {
		if id := s.rooms.server.Participant(r); id != "" {
			return participantClient(id)
		}
	}
	return s.settings.Proxies.Client(r)
}

func participantClient(id string) string { return "participant " + id }

// retryGrading is the time after which grading asks a full queue again.
const retryGrading = time.Second

// grade checks a submission. It waits for a slot like any other request, as a client of its own for each participant.
func (s *Server) grade(ctx context.Context, t store.Task) (store.Graded, error) {
	q, err := s.checking(checkRequest{t.Exercise, t.Files})
	if err != nil {
		return store.Graded{}, err
	}
	q.Client = participantClient(t.Participant)
	for {
		answer, err := s.builds.Do(ctx, &q)
		if full := (*queue.Full)(nil); errors.As(err, &full) {
			select {
			case <-time.After(retryGrading):
				continue
			case <-ctx.Done():
				return store.Graded{}, ctx.Err()
			}
		}
		if err != nil {
			return store.Graded{}, err
		}
		var v verdict.Verdict
		if err := json.Unmarshal(answer.Body, &v); err != nil {
			return store.Graded{}, fmt.Errorf("read a verdict: %w", err)
		}
		body, err := storable(v, answer.Body)
		if err != nil {
			return store.Graded{}, err
		}
		grade := room.Grade{Pass: v.Pass, Provisional: v.Provisional != "", Progress: room.ProgressOf(&v)}
		if v.Pass {
			grade.Score = 1
		}
		return store.Graded{Verdict: body, Grade: grade}, nil
	}
}

// maxVerdict bounds a verdict in bytes, so that the journal can store it.
const maxVerdict = store.MaxMessage - 4<<10

// storable returns the JSON of a verdict without the parts that make it too large: the compiler's whole report, and
// then everything that explains and does not decide.
func storable(v verdict.Verdict, body []byte) ([]byte, error) {
	for _, shorten := range []func(){
		func() { v.Escapes = []escape.Diagnostic{} },
		func() { v.Allocations = []verdict.Allocation{} },
		func() { v.Tests.Output = "" },
		func() { v.Errors = v.Errors[:min(len(v.Errors), 10)] },
	} {
		if len(body) <= maxVerdict {
			break
		}
		shorten()
		var err error
		if body, err = json.Marshal(v); err != nil {
			return nil, err
		}
	}
	return body, nil
}
