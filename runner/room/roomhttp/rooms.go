package roomhttp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"onthestack/runner/request"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

func (s *Server) create(w http.ResponseWriter, r *http.Request, _ caller, body createRequest) error {
	title := room.CleanName(body.Title, room.MaxTitle)
	if title == "" {
		return request.Bad("the title is empty or longer than %d characters", room.MaxTitle)
	}
	if err := s.valid(body.Exercises); err != nil {
		return err
	}
	created := room.Event{Kind: room.Created, Title: title, Exercises: body.Exercises, Deadline: body.Deadline,
		SeesCode: body.SeesCode}
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
		return "", request.Refuse(http.StatusConflict,
			fmt.Sprintf("there are %d rooms: delete some first", room.MaxRooms))
	}
	code = s.newCode()
	return code, s.append(ctx, code, "created", store.Record{Event: created})
}

func (s *Server) newCode() string {
	for {
		code := room.NewCode()
		if s.view(code, func(*room.Room) error { return nil }) != nil {
			return code
		}
	}
}

// list answers with the rooms, the latest change first.
func (s *Server) list(w http.ResponseWriter, r *http.Request, _ caller) error {
	answer := roomsAnswer{Rooms: []roomLine{}}
	s.mu.Lock()
	latestFirst := func(a, b *room.Room) int { return cmp.Compare(b.Sequence, a.Sequence) }
	for _, r := range slices.SortedFunc(maps.Values(s.rooms), latestFirst) {
		if exists(r) {
			answer.Rooms = append(answer.Rooms, roomLine{r.Code, r.Title, len(r.Present()), r.Ended, r.Time})
		}
	}
	s.mu.Unlock()
	return reply(w, http.StatusOK, answer)
}

// remove deletes a room with all that was handed in.
func (s *Server) remove(w http.ResponseWriter, r *http.Request, c caller) error {
	// A deletion that has begun is completed, even if the client has left.
	ctx := context.WithoutCancel(r.Context())
	sequence, err := s.Journal.Delete(ctx, c.code)
	if err == nil {
		err = s.applied(ctx, c.code, sequence)
	}
	return done(w, err)
}

// A change is what the instructor changes of a room. Exactly one field is set.
type change struct {
	Open        string     `json:"open,omitempty"`        // an exercise
	Close       string     `json:"close,omitempty"`       // an exercise
	Deadline    *time.Time `json:"deadline,omitempty"`    // the zero time removes it
	Remove      string     `json:"remove,omitempty"`      // a participant's ID
	Restore     string     `json:"restore,omitempty"`     // the ID of a participant who was removed
	Lower       string     `json:"lower,omitempty"`       // the ID of a participant whose hand is up
	Share       string     `json:"share,omitempty"`       // a submission's ID
	Unshare     string     `json:"unshare,omitempty"`     // a submission's ID
	Regrade     string     `json:"regrade,omitempty"`     // a submission's ID
	RegradeEach string     `json:"regradeEach,omitempty"` // an exercise
	End         bool       `json:"end,omitempty"`
	Reopen      bool       `json:"reopen,omitempty"`    // a room that has ended
	Joins       *bool      `json:"joins,omitempty"`     // whether people can join
	Title       string     `json:"title,omitempty"`     // another one
	Exercises   *[]string  `json:"exercises,omitempty"` // all that the room has then, at least one
	Rename      *renaming  `json:"rename,omitempty"`    // a participant
	Merge       *merging   `json:"merge,omitempty"`     // two participants' rows, which cannot be undone
}

// events returns the events that make the change, or an error if the room has nothing of that name.
func (c change) events(r *room.Room) (events []room.Event, err error) {
	fields := 0
	field := func(set bool, e room.Event) {
		if set {
			fields++
			events = append(events, e)
			err = unknown(r, e)
		}
	}
	field(c.Open != "", room.Event{Kind: room.Opened, Exercise: c.Open})
	field(c.Close != "", room.Event{Kind: room.Closed, Exercise: c.Close})
	if c.Deadline != nil {
		field(true, room.Event{Kind: room.Due, Deadline: *c.Deadline})
	}
	field(c.Remove != "", room.Event{Kind: room.Removed, Participant: c.Remove})
	field(c.Restore != "", room.Event{Kind: room.Restored, Participant: c.Restore})
	field(c.Lower != "", room.Event{Kind: room.Hand, Participant: c.Lower})
	field(c.Share != "", room.Event{Kind: room.Shared, Submission: c.Share})
	field(c.Unshare != "", room.Event{Kind: room.Unshared, Submission: c.Unshare})
	field(c.Regrade != "", room.Event{Kind: room.Regraded, Submission: c.Regrade})
	field(c.RegradeEach != "", room.Event{Kind: room.Regraded, Exercise: c.RegradeEach})
	field(c.End, room.Event{Kind: room.Ended})
	field(c.Reopen, room.Event{Kind: room.Reopened})
	if c.Joins != nil {
		kind := room.JoinsClosed
		if *c.Joins {
			kind = room.JoinsOpened
		}
		field(true, room.Event{Kind: kind})
	}
	c.seatEvents(field)
	if err == nil && fields != 1 {
		err = request.Bad("the change has %d fields: send one change at a time", fields)
	}
	if err != nil {
		return nil, err
	}
	switch e := events[0]; {
	case e.Kind == room.Regraded:
		return regrades(r, c.regrades)
	case e.Kind == room.Hand && r.Row(e.Participant).Hand == "":
		return nil, nil // it is down already
	}
	return events, nil
}

// unknown returns the refusal of an event about what the room does not have.
func unknown(r *room.Room, e room.Event) error {
	switch {
	case e.Exercise != "" && !slices.Contains(r.Exercises, e.Exercise):
		return noExercise(e.Exercise)
	case (e.Participant != "" || e.Kind == room.Renamed || e.Kind == room.Merged) && r.Row(e.Participant) == nil:
		return request.Bad("there is no participant %.100q in this room", e.Participant)
	case e.Submission != "" && r.Submissions[e.Submission] == nil:
		return request.Bad("there is no submission %.100q in this room", e.Submission)
	case e.Kind == room.Restored:
		return full(r, r.Returning(r.Row(e.Participant)))
	}
	return unmergeable(r, e)
}

func noExercise(id string) error { return request.Bad("%.100q is not an exercise of this room", id) }

// change changes a room for the instructor, and answers with the room as it is then.
func (s *Server) change(w http.ResponseWriter, r *http.Request, c caller, body change) error {
	if !c.instructor && body != (change{Lower: body.Lower}) {
		return errInstructor
	}
	body, err := s.cleaned(body)
	if err != nil {
		return err
	}
	var events []room.Event
	regrading := 0
	if err := s.view(c.code, func(r *room.Room) (err error) {
		regrading = count(r, body.regrades)
		events, err = body.events(r)
		return err
	}); err != nil {
		return err
	}
	for _, e := range events {
		id := "change/" + room.NewToken()
		if e.Kind == room.Regraded { // pressed in two windows at once, it is graded again once
			id = store.RegradeID(e.Submission, e.Regrade)
		}
		// A change of several events is completed, even if the client has left.
		if err := s.append(context.WithoutCancel(r.Context()), c.code, id, store.Record{Event: e}); err != nil {
			return err
		}
	}
	if regrading > 0 {
		if err := s.settle(r.Context(), c.code, body.regrades); err != nil {
			return err
		}
	}
	return s.showAfter(w, r, c, regrading)
}
