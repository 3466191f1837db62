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
	if !s.IsReady() {
		return errStarting
	}
	if !s.codes.Left(s.Client(r)) {
		return errCodes
	}
	person, token, err := body.newPerson()
	if err != nil {
		return err
	}
	joined := room.Event{Kind: room.Joined, Participant: person.ID, Name: person.Name, Identifier: person.Identifier,
		TokenHash: person.TokenHash, Alike: true}
	answer := joinAnswer{keyAnswer: keyAnswer{person.ID, token}}
	seats := 1
	if body.Partner != nil {
		partner, key, err := body.Partner.newPerson()
		if err != nil {
			return err
		}
		joined.Partner, answer.Partner, seats = &partner, &keyAnswer{partner.ID, key}, 2
	}
	err = errNoRoom
	release := func() {}
	if room.ValidCode(c.code) {
		err = s.view(c.code, func(view *room.Room) error {
			reserved := "seats of " + c.code
			switch {
			case view.Ended:
				return errEnded
			case view.NoJoins:
				return errNoJoins
			}
			if err := full(view, s.reserved[reserved]+seats); err != nil {
				return err
			}
			if !s.joins.Allow(s.Client(r)) {
				return errJoins
			}
			release = s.reserve(seats, reserved)
			return nil
		})
	}
	if err == errNoRoom {
		s.codes.Allow(s.Client(r))
	}
	if err != nil {
		return err
	}
	err = s.append(r.Context(), c.code, "joined/"+person.ID, store.Record{Event: joined})
	release()
	if err != nil {
		return err
	}
	giveSeat(w, c.code, token, s.Secure(r))
	return reply(w, http.StatusCreated, answer)
}

// takes returns the refusal of what a room does not take from a participant about an exercise. A submission is taken
// for some time longer; see room.Grace.
func takes(r *room.Room, exercise string) error {
	if r.Ended {
		return errEnded
	}
	return has(r, exercise)
}

// has returns the refusal of an exercise that the room does not have.
func has(r *room.Room, exercise string) error {
	if !slices.Contains(r.Exercises, exercise) {
		return noExercise(exercise)
	}
	return nil
}

func (s *Server) hand(w http.ResponseWriter, r *http.Request, c caller, body handRequest) error {
	if err := s.note(r, c, func(r *room.Room) (e room.Event, err error) {
		p := r.Participants[c.participant]
		if same := body.Raised && p.Hand == body.Exercise || !body.Raised && p.Hand == ""; !same {
			e = room.Event{Kind: room.Hand, Participant: c.participant, Exercise: body.Exercise, Raised: body.Raised}
		}
		if e.Raised && p.Hands >= room.MaxHands {
			return e, request.Refuse(http.StatusConflict, fmt.Sprintf(
				"you have raised your hand %d times, which is the most that a room keeps: call the instructor", room.MaxHands))
		}
		return e, takes(r, body.Exercise)
	}); err != nil {
		return err
	}
	return reply(w, http.StatusOK, handAnswer{body.Raised})
}

// progress notes what a check in a participant's page showed. It is shown in the grid and never graded. A report that is
// sent again is not stored again.
func (s *Server) progress(w http.ResponseWriter, r *http.Request, c caller, body progressRequest) error {
	if !s.notes.Allow(c.participant) {
		return errTooFast
	}
	if !body.Progress.Valid() || len(body.Check) > maxKey {
		return request.Bad("the progress has a stage, a count or a name that no check reports")
	}
	if s.Known != nil {
		body.Progress = s.Known(body.Exercise, body.Progress)
	}
	e := room.Event{Kind: room.Checked, Participant: c.participant, Exercise: body.Exercise, Check: body.Check,
		Progress: &body.Progress}
	known := false
	if err := s.view(c.code, func(r *room.Room) error {
		if err := takes(r, body.Exercise); err != nil {
			return err
		}
		if len(body.Files) > 0 && !r.SeesCode {
			return errSeesNoCode
		}
		p := r.Participants[c.participant]
		w := p.Work[body.Exercise]
		switch {
		case p.Stored() >= room.MaxBytes:
			return errBytes
		case w == nil:
			return nil
		}
		// The page has another ID for each check. By any other use of them, the number of reports is bounded all the same.
		known = body.Check != "" && w.Check == body.Check
		if max(w.Attempts, w.Reports) >= room.MaxAttempts {
			return request.Refuse(http.StatusConflict, fmt.Sprintf(
				"this exercise was checked %d times, which is the most that a room keeps", room.MaxAttempts))
		}
		return nil
	}); err != nil {
		return err
	}
	if known {
		return done(w, nil)
	}
	if len(body.Files) > 0 {
		if err := s.storeCode(r.Context(), c.code, &e, body.Files); err != nil {
			return err
		}
	}
	return done(w, s.append(r.Context(), c.code, "checked/"+room.NewToken(), store.Record{Event: e}))
}
