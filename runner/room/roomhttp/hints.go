package roomhttp

import (
	"net/http"

	"onthestack/runner/request"
	"onthestack/runner/room"
)

// hints notes how many hints of an exercise are open in a participant's page. A number that the room has had is not
// stored again.
func (s *Server) hints(w http.ResponseWriter, r *http.Request, c caller, body hintsRequest) error {
	return done(w, s.note(r, c, func(r *room.Room) (e room.Event, err error) {
		if body.Hints < 0 || body.Hints > room.MaxHints {
			return e, request.Bad("the number of hints is %d: it must be from 0 to %d", body.Hints, room.MaxHints)
		}
		w := r.Participants[c.participant].Work[body.Exercise]
		if known := body.Hints == 0 || w != nil && w.Hints >= body.Hints; !known {
			e = room.Event{Kind: room.Hinted, Participant: c.participant, Exercise: body.Exercise,
				Progress: &room.Progress{Hints: body.Hints}}
		}
		return e, takes(r, body.Exercise)
	}))
}
