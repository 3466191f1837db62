package roomhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"onthestack/runner/request"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

// submit stores what a participant hands in. It answers once that is on disk.
func (s *Server) submit(w http.ResponseWriter, r *http.Request, c caller, body submitRequest) error {
	key := r.Header.Get("Idempotency-Key")
	if key == "" || len(key) > maxKey {
		return request.Bad("send a header Idempotency-Key of at most %d bytes, the same for each attempt to send this",
			maxKey)
	}
	if len(body.Check) > maxKey {
		return request.Bad("the ID of the check has more than %d bytes", maxKey)
	}
	if !s.notes.Allow(c.participant) {
		return errTooFast
	}
	if err := s.Validate(body.Exercise, body.Files); err != nil {
		return err
	}
	id := room.SubmissionID(c.code, c.owner, key)
	now := s.Now()
	submitted := room.Event{Kind: room.Submitted, Participant: c.participant, Exercise: body.Exercise, Submission: id,
		Check: body.Check, Bytes: sizeOf(body.Files)}
	known, release := false, func() {}
	if err := s.view(c.code, func(r *room.Room) error {
		if known = r.Submissions[id] != nil; known {
			return nil
		}
		// What comes after the end may have been handed in before, or may be new: the server cannot know.
		submitted.Late = r.Ended || !r.Deadline.IsZero() && now.After(r.Deadline)
		refused := has(r, body.Exercise)
		// What one of a pair hands in is in the work of both.
		seat := "submissions of " + r.People(r.Participants[c.participant])[0].ID
		each := seat + " for " + body.Exercise
		switch {
		case !r.TakesSubmissions(now):
			return errEnded
		case refused != nil:
			return refused
		case r.Closed[body.Exercise]:
			return request.Refuse(http.StatusConflict, "the instructor has closed this exercise")
		case len(r.ByParticipant(c.participant, body.Exercise))+s.reserved[each] >= room.MaxSubmissions:
			return request.Refuse(http.StatusConflict, fmt.Sprintf(
				"this exercise was handed in %d times, which is the most that a room keeps", room.MaxSubmissions))
		case r.Participants[c.participant].Stored() >= room.MaxBytes:
			return errBytes
		case r.Queued(c.participant)+s.reserved[seat] >= maxQueued:
			return request.Refuse(http.StatusTooManyRequests,
				"your last submissions are still being graded: wait for them")
		}
		release = s.reserve(1, seat, each)
		return nil
	}); err != nil {
		return err
	}
	if !known {
		err := s.append(r.Context(), c.code, "submitted/"+id, store.Record{Event: submitted, Files: body.Files})
		release()
		if err != nil {
			return err
		}
	}
	// Another request with the same key may have come first, even just now.
	switch stored, err := s.Journal.Submission(r.Context(), c.code, id); {
	case errors.Is(err, jetstream.ErrMsgNotFound):
	case err != nil:
		return err
	case stored.Exercise != body.Exercise || !maps.Equal(stored.Files, body.Files):
		return request.Refuse(http.StatusConflict,
			"something else was handed in with this Idempotency-Key: send each solution with a key of its own")
	}
	return reply(w, http.StatusAccepted, submitAnswer{id})
}

// errBytes refuses files of a participant who has sent very many already.
var errBytes = request.Refuse(http.StatusConflict, fmt.Sprintf(
	"what you sent to this room takes %d MiB, which is the most that a room keeps of a participant", room.MaxBytes>>20))

// sizeOf returns how many bytes files take in the journal.
func sizeOf(files map[string]string) int {
	text, _ := json.Marshal(files) // which is always possible
	return len(text)
}

// submission answers with the state of a submission, to the participant who handed it in and to the instructor, and to
// the whole room if the instructor shared it. To everybody else it does not exist.
func (s *Server) submission(w http.ResponseWriter, r *http.Request, c caller) error {
	var found room.Submission
	shared := false
	s.view(c.code, func(room *room.Room) error {
		if submission := room.Submissions[r.PathValue("id")]; submission != nil {
			found = *submission
		}
		shared = slices.Contains(room.Shared, found.ID)
		return nil
	})
	if found.ID == "" || !c.seesAll() && !shared && !slices.Contains(found.For, c.participant) {
		return request.Refuse(http.StatusNotFound, "you have no such submission: reload the page")
	}
	view := submissionView{State: found.State, Late: found.Late, Why: found.Why, Exercise: found.Exercise,
		Submitted: found.Time, Regraded: found.Graded}
	record, err := s.Journal.Submission(r.Context(), c.code, found.ID)
	if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return err
	}
	view.Files = record.Files
	if found.State == room.StateGraded {
		graded, err := s.Journal.Verdict(r.Context(), c.code, found.ID, found.Regrade)
		if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
			return err
		}
		view.Verdict = graded.Verdict
	}
	return reply(w, http.StatusOK, view)
}
