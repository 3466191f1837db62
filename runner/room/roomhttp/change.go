package roomhttp

import (
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
			err = request.Bad("%.100q is not an exercise of this room", id)
		}
		events = append(events, room.Event{Kind: kind, Exercise: id})
	}
	participant := func(id string, e room.Event) {
		if r.Participants[id] == nil {
			err = request.Bad("there is no participant %.100q in this room", id)
		}
		e.Participant = id
		events = append(events, e)
	}
	submission := func(id string, e room.Event) {
		if r.Submissions[id] == nil {
			err = request.Bad("there is no submission %.100q in this room", id)
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
			err = request.Bad("%.100q is not an exercise of this room", c.RegradeEach)
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
		err = request.Bad("the change has %d fields: send one change at a time", fields)
	}
	return events, err
}

// change changes a room for the instructor, and answers with the room as it is then.
func (s *Server) change(w http.ResponseWriter, r *http.Request, c caller, body change) error {
	var events []room.Event
	var err error
	if !s.view(c.code, func(r *room.Room) { events, err = body.events(r) }) {
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
		if err := s.append(context.WithoutCancel(r.Context()), c.code, id, store.Record{Event: e}); err != nil {
			return err
		}
	}
	return s.show(w, r, c)
}
