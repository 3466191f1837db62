package roomhttp

import (
	"fmt"
	"net/http"
	"slices"

	"onthestack/runner/request"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

// join adds a participant, who needs only the room's code.
func (s *Server) join(w http.ResponseWriter, r *http.Request, c caller, body joinRequest) error {
	if !s.isReady() {
		return errStarting
	}
	if !s.guesses.Left(s.Client(r)) {
		return errGuesses
	}
	name := room.CleanName(body.Name, room.MaxName)
	if name == "" {
		return request.Bad("the name is empty or longer than %d characters", room.MaxName)
	}
	var err error
	if !room.ValidCode(c.code) || !s.view(c.code, func(r *room.Room) {
		switch {
		case r.Ended:
			err = errEnded
		case len(r.Participants) >= room.MaxParticipants:
			err = request.Refuse(http.StatusConflict,
				fmt.Sprintf("the room is full: it has %d participants", room.MaxParticipants))
		}
	}) {
		s.guesses.Allow(s.Client(r))
		return errNoRoom
	}
	if err != nil {
		return err
	}
	if !s.joins.Allow(s.Client(r)) {
		return errJoins
	}
	id, token := room.NewToken(), room.NewToken()
	joined := room.Event{Kind: room.Joined, Participant: id, Name: name, TokenHash: room.Hash(token)}
	if err := s.append(r.Context(), c.code, "joined/"+id, store.Record{Event: joined}); err != nil {
		return err
	}
	giveSeat(w, c.code, token, s.Secure(r))
	return reply(w, http.StatusCreated, joinAnswer{id, token})
}

// hand raises or lowers a participant's hand.
func (s *Server) hand(w http.ResponseWriter, r *http.Request, c caller, body handRequest) error {
	if !s.notes.Allow(c.participant) {
		return errTooFast
	}
	var err error
	same := false
	s.view(c.code, func(r *room.Room) {
		if r.Ended {
			err = errEnded
		}
		if !slices.Contains(r.Exercises, body.Exercise) {
			err = request.Bad("%.100q is not an exercise of this room", body.Exercise)
		}
		hand := r.Participants[c.participant].Hand
		same = body.Raised && hand == body.Exercise || !body.Raised && hand == ""
	})
	if err == nil && !same {
		e := room.Event{Kind: room.Hand, Participant: c.participant, Exercise: body.Exercise, Raised: body.Raised}
		err = s.append(r.Context(), c.code, "hand/"+room.NewToken(), store.Record{Event: e})
	}
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, handAnswer{body.Raised})
}

// progress notes what a check in a participant's page showed. It is shown in the grid and never graded.
func (s *Server) progress(w http.ResponseWriter, r *http.Request, c caller, body progressRequest) error {
	if !s.notes.Allow(c.participant) {
		return errTooFast
	}
	var err error
	s.view(c.code, func(r *room.Room) {
		w := r.Participants[c.participant].Work[body.Exercise]
		switch {
		case !slices.Contains(r.Exercises, body.Exercise):
			err = request.Bad("%.100q is not an exercise of this room", body.Exercise)
		case r.Ended:
			err = errEnded
		case w != nil && w.Attempts >= room.MaxAttempts:
			err = request.Refuse(http.StatusConflict,
				fmt.Sprintf("this exercise was checked %d times, which is the most that a room keeps",
					room.MaxAttempts))
		}
	})
	if err == nil && !body.Progress.Valid() {
		err = request.Bad("the progress has a stage, a count or a name that no check reports")
	}
	if err != nil {
		return err
	}
	e := room.Event{Kind: room.Checked, Participant: c.participant, Exercise: body.Exercise, Progress: &body.Progress}
	if err := s.append(r.Context(), c.code, "checked/"+room.NewToken(), store.Record{Event: e}); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
