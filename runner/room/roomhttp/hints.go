package roomhttp

import (
	"net/http"

	"onthestack/runner/request"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

// hints notes how many hints of an exercise are open in a participant's page. A number that the room has had is not
// stored again.
func (s *Server) hints(w http.ResponseWriter, r *http.Request, c caller, body hintsRequest) error {
	if !s.notes.Allow(c.participant) {
		return errTooFast
	}
	if body.Hints < 0 || body.Hints > room.MaxHints {
		return request.Bad("the number of hints is %d: it must be from 0 to %d", body.Hints, room.MaxHints)
	}
	known := false
	err := s.view(c.code, func(r *room.Room) error {
		w := r.Participants[c.participant].Work[body.Exercise]
		known = body.Hints == 0 || w != nil && w.Hints >= body.Hints
		return takes(r, body.Exercise)
	})
	if err == nil && !known {
		err = s.append(r.Context(), c.code, "hinted/"+room.NewToken(), store.Record{Event: room.Event{
			Kind: room.Hinted, Participant: c.participant, Exercise: body.Exercise,
			Progress: &room.Progress{Hints: body.Hints}}})
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
