package roomhttp

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"onthestack/runner/room"
	"onthestack/runner/room/journal"
)

// asInstructor authorizes the instructor for the room of a request's path.
func (s *Server) asInstructor(r *http.Request) (code string, err error) {
	code, c, err := s.authorize(r)
	if err == nil && !c.instructor {
		err = errInstructor
	}
	return code, err
}

// A change is what the instructor changes of a room. Exactly one field is set.
type change struct {
	Open        string     `json:"open,omitempty"`        // an exercise
	Close       string     `json:"close,omitempty"`       // an exercise
	Deadline    *time.Time `json:"deadline,omitempty"`    // the zero time removes it
	Remove      string     `json:"remove,omitempty"`      // a participant's ID
	Lower       string     `json:"lower,omitempty"`       // the ID of a participant whose hand is up
	Share       string     `json:"share,omitempty"`       // a submission's ID
	Regrade     string     `json:"regrade,omitempty"`     // a submission's ID
	RegradeEach string     `json:"regradeEach,omitempty"` // an exercise
	End         bool       `json:"end,omitempty"`
}

// events returns the events that make the change, or an error if the room has nothing of that name.
func (c change) events(r *room.Room) (events []room.Event, err error) {
	exercise := func(id string, kind room.Kind) {
		if !slices.Contains(r.Exercises, id) {
			err = badRequest("%.100q is not an exercise of this room", id)
		}
		events = append(events, room.Event{Kind: kind, Exercise: id})
	}
	participant := func(id string, e room.Event) {
		if r.Participants[id] == nil {
			err = badRequest("there is no participant %.100q in this room", id)
		}
		e.Participant = id
		events = append(events, e)
	}
	submission := func(id string, e room.Event) {
		if r.Submissions[id] == nil {
			err = badRequest("there is no submission %.100q in this room", id)
		}
		e.Submission = id
		events = append(events, e)
	}
	fields := 0
	set := func(is bool) bool {
		if is {
			fields++
		}
		return is
	}
	if set(c.Open != "") {
		exercise(c.Open, room.Opened)
	}
	if set(c.Close != "") {
		exercise(c.Close, room.Closed)
	}
	if set(c.Deadline != nil) {
		events = append(events, room.Event{Kind: room.Due, Deadline: *c.Deadline})
	}
	if set(c.Remove != "") {
		participant(c.Remove, room.Event{Kind: room.Removed})
	}
	if set(c.Lower != "") {
		participant(c.Lower, room.Event{Kind: room.Hand})
	}
	if set(c.Share != "") {
		submission(c.Share, room.Event{Kind: room.Shared})
	}
	if set(c.Regrade != "") {
		// One that is queued is graded anyway, so pressing the button twice does what pressing it once does.
		if found := r.Submissions[c.Regrade]; found == nil || found.State != room.StateQueued {
			next := 1
			if found != nil {
				next = found.Regrade + 1
			}
			submission(c.Regrade, room.Event{Kind: room.Regraded, Regrade: next})
		}
	}
	if set(c.RegradeEach != "") {
		if !slices.Contains(r.Exercises, c.RegradeEach) {
			err = badRequest("%.100q is not an exercise of this room", c.RegradeEach)
		}
		for _, id := range slices.Sorted(maps.Keys(r.Submissions)) {
			if found := r.Submissions[id]; found.Exercise == c.RegradeEach && found.State != room.StateQueued {
				submission(id, room.Event{Kind: room.Regraded, Regrade: found.Regrade + 1})
			}
		}
	}
	if set(c.End) {
		events = append(events, room.Event{Kind: room.Ended})
	}
	if err == nil && fields != 1 {
		err = badRequest("the change has %d fields: send one change at a time", fields)
	}
	return events, err
}

// list answers with the rooms, those with the latest change first.
func (s *Server) list(w http.ResponseWriter, r *http.Request) error {
	if !s.isReady() {
		return errStarting
	}
	if err := s.instructorOnly(r); err != nil {
		return err
	}
	answer := roomsAnswer{Rooms: []roomLine{}}
	s.mu.Lock()
	for _, r := range slices.SortedFunc(maps.Values(s.rooms), latestFirst) {
		if exists(r) {
			answer.Rooms = append(answer.Rooms, roomLine{r.Code, r.Title, len(r.Present()), r.Ended, r.Time})
		}
	}
	s.mu.Unlock()
	return reply(w, http.StatusOK, answer)
}

func latestFirst(a, b *room.Room) int { return cmp.Compare(b.Sequence, a.Sequence) }

// change changes a room for the instructor, and answers with the room as it is then.
func (s *Server) change(w http.ResponseWriter, r *http.Request) error {
	code, err := s.asInstructor(r)
	if err != nil {
		return err
	}
	var c change
	if err := read(w, r, maxBody, &c); err != nil {
		return err
	}
	var events []room.Event
	if !s.view(code, func(r *room.Room) { events, err = c.events(r) }) {
		return errNoRoom
	}
	if err != nil {
		return err
	}
	for _, e := range events {
		id := "change/" + room.NewToken()
		if e.Kind == room.Regraded { // pressed in two windows at once, it is graded again once
			id = fmt.Sprintf("regraded/%s/%d", e.Submission, e.Regrade)
		}
		// A change of several events is completed, even if the client has left.
		if err := s.append(context.WithoutCancel(r.Context()), code, id, journal.Record{Event: e}); err != nil {
			return err
		}
	}
	return s.show(w, r)
}

// progress notes what a check in a participant's page showed. It is shown in the grid and never graded.
func (s *Server) progress(w http.ResponseWriter, r *http.Request) error {
	code, c, err := s.authorize(r)
	if err != nil {
		return err
	}
	if c.participant == "" {
		return &refusal{http.StatusForbidden, "only a participant has progress"}
	}
	var body progressRequest
	if err := read(w, r, maxBody, &body); err != nil {
		return err
	}
	if !s.mayNote(c) {
		return errTooFast
	}
	s.view(code, func(r *room.Room) {
		w := r.Participants[c.participant].Work[body.Exercise]
		switch {
		case !slices.Contains(r.Exercises, body.Exercise):
			err = badRequest("%.100q is not an exercise of this room", body.Exercise)
		case r.Ended:
			err = errEnded
		case w != nil && w.Attempts >= room.MaxAttempts:
			err = &refusal{http.StatusConflict,
				fmt.Sprintf("this exercise was checked %d times, which is the most that a room keeps", room.MaxAttempts)}
		}
	})
	if err == nil && !body.Progress.Valid() {
		err = badRequest("the progress has a stage, a count or a name that no check reports")
	}
	if err != nil {
		return err
	}
	e := room.Event{Kind: room.Checked, Participant: c.participant, Exercise: body.Exercise, Progress: &body.Progress}
	if err := s.append(r.Context(), code, "checked/"+room.NewToken(), journal.Record{Event: e}); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// gradebookJSON answers with the grades as JSON.
func (s *Server) gradebookJSON(w http.ResponseWriter, r *http.Request) error {
	code, rows, err := s.gradebook(r)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, gradesAnswer{code, rows})
}

// gradebookCSV answers with the grades as CSV.
func (s *Server) gradebookCSV(w http.ResponseWriter, r *http.Request) error {
	code, rows, err := s.gradebook(r)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := room.WriteCSV(&text, rows); err != nil {
		return err
	}
	return attach(w, code+"-grades.csv", "text/csv; charset=utf-8", text.Bytes())
}

func (s *Server) gradebook(r *http.Request) (code string, rows []room.Row, err error) {
	if code, err = s.asInstructor(r); err == nil {
		s.view(code, func(r *room.Room) { rows = r.Gradebook() })
	}
	return code, rows, err
}

// archive answers with all that was handed in, as a zip archive.
func (s *Server) archive(w http.ResponseWriter, r *http.Request) error {
	code, err := s.asInstructor(r)
	if err != nil {
		return err
	}
	// The room is copied, since reading the submissions takes longer than others may wait.
	var copied *room.Room
	s.view(code, func(r *room.Room) { copied = r.Clone() })
	attachment(w, code+".zip", "application/zip")
	control := http.NewResponseController(w)
	err = room.WriteArchive(w, copied, func(id string) (map[string]string, error) {
		control.SetWriteDeadline(time.Now().Add(answerTime))
		record, err := s.Journal.Submission(r.Context(), code, id)
		return record.Files, err
	})
	if err != nil {
		// The status is sent already. Breaking off tells the client that the archive is not complete.
		s.Log.Error("room", "path", r.URL.Path, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

func attach(w http.ResponseWriter, name, contentType string, content []byte) error {
	attachment(w, name, contentType)
	w.Write(content) // a client that has left needs no answer
	return nil
}

// attachment sets the headers of an answer that a browser stores as a file.
func attachment(w http.ResponseWriter, name, contentType string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
}
