package roomhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/room"
	"onthestack/runner/room/journal"
)

// Limits of requests, in bytes.
const (
	maxBody       = 4 << 10
	maxSubmission = 256 << 10
	maxKey        = 100 // an idempotency key
	// answerTime bounds the time from the request to the end of the answer. Streams and archives extend it.
	answerTime = 30 * time.Second
	// maxQueued bounds the submissions of a participant that wait to be graded.
	maxQueued = 5
)

// Handler returns the handler for the paths below /api/rooms.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, h func(w http.ResponseWriter, r *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
			if err := h(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	handle("POST /api/rooms", s.create)
	handle("POST /api/rooms/{room}/join", s.join)
	handle("GET /api/rooms/{room}", s.show)
	handle("POST /api/rooms/{room}/submissions", s.submit)
	handle("GET /api/rooms/{room}/submissions/{id}", s.submission)
	handle("POST /api/rooms/{room}/hand", s.hand)
	handle("GET /api/rooms/{room}/events", s.events)
	handle("POST /api/rooms/{room}/progress", s.progress)
	handle("PATCH /api/rooms/{room}", s.change)
	handle("GET /api/rooms/{room}/grades.csv", s.gradebookCSV)
	handle("GET /api/rooms/{room}/grades.json", s.gradebookJSON)
	handle("GET /api/rooms/{room}/archive.zip", s.archive)
	handle("DELETE /api/rooms/{room}", s.remove)
	return mux
}

// fail answers with an error. The message of an error that is no refusal is logged and not sent.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refused *refusal
	if errors.Is(err, journal.ErrFull) {
		s.Log.Error("room", "path", r.URL.Path, "error", err)
		refused = errFull
	} else if !errors.As(err, &refused) {
		s.Log.Error("room", "path", r.URL.Path, "error", err)
		refused = &refusal{http.StatusServiceUnavailable, "the server could not store this: keep the page open and try again"}
	}
	if refused.status == http.StatusServiceUnavailable || refused.status == http.StatusInsufficientStorage ||
		refused.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "2")
	}
	reply(w, refused.status, map[string]string{"error": refused.message})
}

func reply(w http.ResponseWriter, status int, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(append(text, '\n')) // a client that has left needs no answer
	return nil
}

// read decodes a body of at most limit bytes. A field that v does not have is an error.
func read(w http.ResponseWriter, r *http.Request, limit int64, v any) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is larger than %d KiB", limit>>10)}
	case err != nil:
		return badRequest("the request's body cannot be read: %v", err)
	case !utf8.Valid(body):
		// encoding/json would replace invalid bytes, and the solution would not be the one that was sent.
		return badRequest("the request's JSON is not valid UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return badRequest("the request is not the JSON that is expected: %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return &refusal{http.StatusBadRequest, "the request has something after its JSON"}
	}
	return nil
}

func badRequest(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// create opens a room. Only the instructor may.
func (s *Server) create(w http.ResponseWriter, r *http.Request) error {
	if err := s.instructorOnly(r); err != nil {
		return err
	}
	var body struct {
		Title     string    `json:"title"`
		Exercises []string  `json:"exercises"`
		Deadline  time.Time `json:"deadline,omitzero"`
	}
	if err := read(w, r, maxBody, &body); err != nil {
		return err
	}
	title := room.CleanName(body.Title, room.MaxTitle)
	if title == "" {
		return badRequest("the title is empty or longer than %d characters", room.MaxTitle)
	}
	if len(body.Exercises) == 0 {
		return badRequest("the room has no exercises: name at least one")
	}
	for i, id := range body.Exercises {
		if !slices.Contains(s.Exercises, id) || slices.Contains(body.Exercises[:i], id) {
			return badRequest("%.100q is not an exercise, or stands twice", id)
		}
	}
	code, err := s.newRoom(r.Context(), room.Event{Kind: room.Created, Title: title, Exercises: body.Exercises, Deadline: body.Deadline})
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, map[string]string{"room": code})
}

// newRoom stores the first event of a room, and returns the room's code.
func (s *Server) newRoom(ctx context.Context, created room.Event) (code string, err error) {
	s.mu.Lock()
	count := len(s.rooms)
	s.mu.Unlock()
	if count >= room.MaxRooms {
		return "", &refusal{http.StatusConflict, fmt.Sprintf("there are %d rooms: delete some first", room.MaxRooms)}
	}
	code = s.newCode()
	return code, s.append(ctx, code, "created", journal.Record{Event: created})
}

// newCode returns a code that no room has.
func (s *Server) newCode() string {
	for {
		code := room.NewCode()
		if !s.view(code, func(*room.Room) {}) {
			return code
		}
	}
}

// join adds a participant, who needs only the room's code.
func (s *Server) join(w http.ResponseWriter, r *http.Request) error {
	if !s.isReady() {
		return errStarting
	}
	if !s.mayGuess(r) {
		return errGuesses
	}
	var body struct {
		Name string `json:"name"`
	}
	if err := read(w, r, maxBody, &body); err != nil {
		return err
	}
	name := room.CleanName(body.Name, room.MaxName)
	if name == "" {
		return badRequest("the name is empty or longer than %d characters", room.MaxName)
	}
	code := room.Normalize(r.PathValue("room"))
	var err error
	if !room.ValidCode(code) || !s.view(code, func(r *room.Room) {
		switch {
		case r.Ended:
			err = errEnded
		case len(r.Participants) >= room.MaxParticipants:
			err = &refusal{http.StatusConflict, fmt.Sprintf("the room is full: it has %d participants", room.MaxParticipants)}
		}
	}) {
		s.guessed(r)
		return errNoRoom
	}
	if err != nil {
		return err
	}
	id, token := room.NewToken(), room.NewToken()
	joined := room.Event{Kind: room.Joined, Participant: id, Name: name, TokenHash: room.Hash(token)}
	if err := s.append(r.Context(), code, "joined/"+id, journal.Record{Event: joined}); err != nil {
		return err
	}
	return reply(w, http.StatusCreated, map[string]string{"participant": id, "token": token})
}

// submit stores what a participant hands in. It answers once that is on disk.
func (s *Server) submit(w http.ResponseWriter, r *http.Request) error {
	code, c, err := s.authorize(r)
	if err != nil {
		return err
	}
	if c.participant == "" {
		return &refusal{http.StatusForbidden, "only a participant hands in"}
	}
	key := r.Header.Get("Idempotency-Key")
	if key == "" || len(key) > maxKey {
		return badRequest("send a header Idempotency-Key of at most %d bytes, the same for each attempt to send this", maxKey)
	}
	var body struct {
		Exercise string            `json:"exercise"`
		Files    map[string]string `json:"files"`
	}
	if err := read(w, r, maxSubmission, &body); err != nil {
		return err
	}
	if err := s.Validate(body.Exercise, body.Files); err != nil {
		return err
	}
	id := room.SubmissionID(code, c.participant, key)
	now := s.now()
	submitted := room.Event{Kind: room.Submitted, Participant: c.participant, Exercise: body.Exercise, Submission: id}
	known := false
	s.view(code, func(r *room.Room) {
		if known = r.Submissions[id] != nil; known {
			return
		}
		switch {
		case r.Ended:
			err = errEnded
		case !slices.Contains(r.Exercises, body.Exercise):
			err = badRequest("%.100q is not an exercise of this room", body.Exercise)
		case r.Closed[body.Exercise]:
			err = &refusal{http.StatusConflict, "the instructor has closed this exercise"}
		case len(r.ByParticipant(c.participant, body.Exercise)) >= room.MaxSubmissions:
			err = &refusal{http.StatusConflict, fmt.Sprintf("this exercise was handed in %d times, which is all that a room keeps", room.MaxSubmissions)}
		case r.Queued(c.participant) >= maxQueued:
			err = &refusal{http.StatusTooManyRequests, "the last ones are still being graded: wait for them"}
		}
		submitted.Late = !r.Deadline.IsZero() && now.After(r.Deadline)
	})
	if err != nil {
		return err
	}
	if !known {
		err := s.append(r.Context(), code, "submitted/"+id, journal.Record{Event: submitted, Files: body.Files})
		if err != nil {
			return err
		}
	}
	return reply(w, http.StatusAccepted, map[string]string{"id": id})
}

// A submissionView is the answer to a request for a submission.
type submissionView struct {
	State   string          `json:"state"`
	Late    bool            `json:"late"`
	Why     string          `json:"why,omitempty"`
	Verdict json.RawMessage `json:"verdict,omitempty"`

	Exercise  string            `json:"exercise"`
	Submitted time.Time         `json:"submitted"`
	Files     map[string]string `json:"files,omitempty"` // what was handed in
}

// submission answers with the state of a submission, to the participant who handed it in and to the instructor, and to
// the whole room if the instructor shared it. To everybody else it does not exist.
func (s *Server) submission(w http.ResponseWriter, r *http.Request) error {
	code, c, err := s.authorize(r)
	if err != nil {
		return err
	}
	var found room.Submission
	shared := false
	s.view(code, func(room *room.Room) {
		if submission := room.Submissions[r.PathValue("id")]; submission != nil {
			found = *submission
		}
		shared = slices.Contains(room.Shared, found.ID)
	})
	if found.ID == "" || !c.instructor && !shared && found.Participant != c.participant {
		return &refusal{http.StatusNotFound, "there is no such submission of yours: reload the page for those that there are"}
	}
	view := submissionView{State: found.State, Late: found.Late, Why: found.Why, Exercise: found.Exercise,
		Submitted: found.Time}
	record, err := s.Journal.Submission(r.Context(), code, found.ID)
	if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return err
	}
	view.Files = record.Files
	if found.State == room.StateGraded {
		graded, err := s.Journal.Verdict(r.Context(), code, found.ID, found.Regrade)
		if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
			return err
		}
		view.Verdict = graded.Verdict
	}
	return reply(w, http.StatusOK, view)
}

// hand raises or lowers a participant's hand.
func (s *Server) hand(w http.ResponseWriter, r *http.Request) error {
	code, c, err := s.authorize(r)
	if err != nil {
		return err
	}
	if c.participant == "" {
		return &refusal{http.StatusForbidden, "only a participant raises a hand"}
	}
	var body struct {
		Exercise string `json:"exercise"`
		Raised   bool   `json:"raised"`
	}
	if err := read(w, r, maxBody, &body); err != nil {
		return err
	}
	if !s.mayNote(c) {
		return errTooFast
	}
	same := false
	s.view(code, func(r *room.Room) {
		if r.Ended {
			err = errEnded
		}
		if !slices.Contains(r.Exercises, body.Exercise) {
			err = badRequest("%.100q is not an exercise of this room", body.Exercise)
		}
		hand := r.Participants[c.participant].Hand
		same = body.Raised && hand == body.Exercise || !body.Raised && hand == ""
	})
	if err == nil && !same {
		e := room.Event{Kind: room.Hand, Participant: c.participant, Exercise: body.Exercise, Raised: body.Raised}
		err = s.append(r.Context(), code, "hand/"+room.NewToken(), journal.Record{Event: e})
	}
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]bool{"raised": body.Raised})
}

// remove deletes a room with all that was handed in.
func (s *Server) remove(w http.ResponseWriter, r *http.Request) error {
	code, err := s.asInstructor(r)
	if err != nil {
		return err
	}
	// A deletion that has begun is completed, even if the client has left.
	ctx := context.WithoutCancel(r.Context())
	sequence, err := s.Journal.Delete(ctx, code)
	if err == nil {
		err = s.applied(ctx, code, sequence)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
