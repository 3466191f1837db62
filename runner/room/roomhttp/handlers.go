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

	"onthestack/runner/openapi"
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

// A route is an operation with its handler.
type route struct {
	openapi.Operation
	handle func(s *Server, w http.ResponseWriter, r *http.Request) error
}

// Media types of answers.
const (
	mediaEvents openapi.Media = "text/event-stream"
	mediaCSV    openapi.Media = "text/csv"
	mediaZip    openapi.Media = "application/zip"
)

var routes = []route{
	{openapi.Operation{Method: "POST", Path: "/api/rooms", Access: openapi.Instructor, Summary: "Opens a room.",
		Body: createRequest{}, Answers: map[int]any{http.StatusCreated: createAnswer{}}}, (*Server).create},
	{openapi.Operation{Method: "GET", Path: "/api/rooms", Access: openapi.Instructor,
		Summary: "Lists the rooms, those with the latest change first.",
		Answers: map[int]any{http.StatusOK: roomsAnswer{}}}, (*Server).list},
	{openapi.Operation{Method: "POST", Path: "/api/rooms/{room}/join", Access: openapi.Anybody,
		Summary: "Joins a room.", Body: joinRequest{},
		Answers: map[int]any{http.StatusCreated: joinAnswer{}}}, (*Server).join},
	{openapi.Operation{Method: "GET", Path: "/api/rooms/{room}", Access: openapi.Member,
		Summary: "Returns the room: all participants to the instructor, and their own row to a participant.",
		Answers: map[int]any{http.StatusOK: roomView{}}}, (*Server).show},
	{openapi.Operation{Method: "POST", Path: "/api/rooms/{room}/submissions", Access: openapi.Participant,
		Summary: "Hands in a solution. It is on disk when the answer comes. The same key gives the same submission.",
		Key:     true, Body: submitRequest{}, Answers: map[int]any{http.StatusAccepted: submitAnswer{}}},
		(*Server).submit},
	{openapi.Operation{Method: "GET", Path: "/api/rooms/{room}/submissions/{id}", Access: openapi.Member,
		Summary: "Returns a submission and the verdict on it to the participant who handed it in, to the instructor, " +
			"and, if it was shared, to all.",
		Answers: map[int]any{http.StatusOK: submissionView{}}}, (*Server).submission},
	{openapi.Operation{Method: "POST", Path: "/api/rooms/{room}/hand", Access: openapi.Participant,
		Summary: "Raises or lowers a hand.",
		Body:    handRequest{}, Answers: map[int]any{http.StatusOK: handAnswer{}}}, (*Server).hand},
	{openapi.Operation{Method: "POST", Path: "/api/rooms/{room}/progress", Access: openapi.Participant,
		Summary: "Notes what a check in the participant's page showed. It is never a grade.",
		Body:    progressRequest{}, Answers: map[int]any{http.StatusNoContent: nil}}, (*Server).progress},
	{openapi.Operation{Method: "GET", Path: "/api/rooms/{room}/events", Access: openapi.Member,
		Summary: "Streams the room as server-sent events: room, with the room as data, after each change; gone at " +
			"the end. Resumable by Last-Event-ID.",
		Answers: map[int]any{http.StatusOK: mediaEvents}}, (*Server).events},
	{openapi.Operation{Method: "PATCH", Path: "/api/rooms/{room}", Access: openapi.Instructor,
		Summary: "Changes a room by one of the fields, and returns the room.",
		Body:    change{}, Answers: map[int]any{http.StatusOK: roomView{}}}, (*Server).change},
	{openapi.Operation{Method: "GET", Path: "/api/rooms/{room}/grades.json", Access: openapi.Instructor,
		Summary: "Returns the gradebook.", Answers: map[int]any{http.StatusOK: gradesAnswer{}}},
		(*Server).gradebookJSON},
	{openapi.Operation{Method: "GET", Path: "/api/rooms/{room}/grades.csv", Access: openapi.Instructor,
		Summary: "Returns the gradebook as CSV.", Answers: map[int]any{http.StatusOK: mediaCSV}},
		(*Server).gradebookCSV},
	{openapi.Operation{Method: "GET", Path: "/api/rooms/{room}/grades/{format}", Access: openapi.Instructor,
		Summary: "Returns an archive with a document for each participant, in a format of checkalloc --format: " +
			"junit.zip and so on.",
		Answers: map[int]any{http.StatusOK: mediaZip}}, (*Server).gradebookFormat},
	{openapi.Operation{Method: "GET", Path: "/api/rooms/{room}/archive.zip", Access: openapi.Instructor,
		Summary: "Returns everything that was handed in.", Answers: map[int]any{http.StatusOK: mediaZip}},
		(*Server).archive},
	{openapi.Operation{Method: "DELETE", Path: "/api/rooms/{room}", Access: openapi.Instructor,
		Summary: "Deletes a room with everything that was handed in.",
		Answers: map[int]any{http.StatusNoContent: nil}}, (*Server).remove},
}

// Operations returns the description of what Handler serves.
func Operations() (all []openapi.Operation) {
	for _, r := range routes {
		all = append(all, r.Operation)
	}
	return all
}

// Handler returns the handler for the paths below /api/rooms.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range routes {
		mux.HandleFunc(route.Method+" "+route.Path, func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
			if err := route.handle(s, w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	// For any other path, and any other method of these paths, the mux has a status and no JSON.
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "" {
			s.fail(w, r, &refusal{http.StatusNotFound, "a room has nothing here: runner openapi describes what it has"})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Requests and answers.
type (
	createRequest struct {
		Title     string    `json:"title"`
		Exercises []string  `json:"exercises"`
		Deadline  time.Time `json:"deadline,omitzero"`
	}
	createAnswer struct {
		Room string `json:"room"` // its code
	}
	joinRequest struct {
		Name string `json:"name"`
	}
	joinAnswer struct {
		Participant string `json:"participant"` // ID
		Token       string `json:"token"`
	}
	submitRequest struct {
		Exercise string            `json:"exercise"`
		Files    map[string]string `json:"files"`
	}
	submitAnswer struct {
		ID string `json:"id"`
	}
	handRequest struct {
		Exercise string `json:"exercise"`
		Raised   bool   `json:"raised"`
	}
	handAnswer struct {
		Raised bool `json:"raised"`
	}
	progressRequest struct {
		Exercise string `json:"exercise"`
		room.Progress
	}
	gradesAnswer struct {
		Room   string     `json:"room"`
		Grades []room.Row `json:"grades"`
	}
)

// A roomsAnswer lists the rooms for the instructor.
type roomsAnswer struct {
	Rooms []roomLine `json:"rooms"`
}

// A roomLine is a room in that list.
type roomLine struct {
	Room         string    `json:"room"` // its code
	Title        string    `json:"title"`
	Participants int       `json:"participants"`
	Ended        bool      `json:"ended"`
	Changed      time.Time `json:"changed"`
}

// fail answers with an error. The message of an error that is no refusal is logged and not sent.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refused *refusal
	if errors.Is(err, journal.ErrFull) {
		s.Log.Error("room", "path", r.URL.Path, "error", err)
		refused = errFull
	} else if !errors.As(err, &refused) {
		s.Log.Error("room", "path", r.URL.Path, "error", err)
		refused = &refusal{http.StatusServiceUnavailable,
			"the server could not store this: keep the page open and try again"}
	}
	if refused.status == http.StatusServiceUnavailable || refused.status == http.StatusInsufficientStorage ||
		refused.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "2")
	}
	reply(w, refused.status, openapi.Error{Error: refused.message})
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
		return badRequest("the request is not the expected JSON: %v", err)
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
	var body createRequest
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
			return badRequest("%.100q is not an exercise, or is listed twice", id)
		}
	}
	created := room.Event{Kind: room.Created, Title: title, Exercises: body.Exercises, Deadline: body.Deadline}
	code, err := s.newRoom(r.Context(), created)
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, createAnswer{code})
}

// newRoom stores the first event of a room, and returns the room's code.
func (s *Server) newRoom(ctx context.Context, created room.Event) (code string, err error) {
	count := 0
	s.mu.Lock()
	for _, r := range s.rooms {
		if exists(r) {
			count++
		}
	}
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
	var body joinRequest
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
			err = &refusal{http.StatusConflict,
				fmt.Sprintf("the room is full: it has %d participants", room.MaxParticipants)}
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
	giveSeat(w, code, token)
	return reply(w, http.StatusCreated, joinAnswer{id, token})
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
		return badRequest("send a header Idempotency-Key of at most %d bytes, the same for each attempt to send this",
			maxKey)
	}
	var body submitRequest
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
			err = &refusal{http.StatusConflict,
				fmt.Sprintf("this exercise was handed in %d times, which is the most that a room keeps",
					room.MaxSubmissions)}
		case r.Queued(c.participant) >= maxQueued:
			err = &refusal{http.StatusTooManyRequests, "your last submissions are still being graded: wait for them"}
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
	return reply(w, http.StatusAccepted, submitAnswer{id})
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
		return &refusal{http.StatusNotFound,
			"you have no such submission: reload the page"}
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
	var body handRequest
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
	return reply(w, http.StatusOK, handAnswer{body.Raised})
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
