package roomhttp

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"onthestack/runner/request"
	"onthestack/runner/room"
)

// regrades reports whether a change has a submission graded again.
func (c change) regrades(s *room.Submission) bool {
	return s.ID == c.Regrade || s.Exercise == c.RegradeEach
}

// count returns how many submissions of a room are wanted.
func count(r *room.Room, wanted func(*room.Submission) bool) (n int) {
	for _, s := range r.Submissions {
		if wanted(s) {
			n++
		}
	}
	return n
}

// regrades returns the events by which submissions are graded again. One that is queued is graded anyway, so pressing
// the button twice does what pressing it once does. The error is a refusal if there are no such submissions.
func regrades(r *room.Room, wanted func(*room.Submission) bool) (events []room.Event, err error) {
	found := false
	for _, id := range slices.Sorted(maps.Keys(r.Submissions)) {
		s := r.Submissions[id]
		if !wanted(s) {
			continue
		}
		if found = true; s.State != room.StateQueued {
			events = append(events, room.Event{Kind: room.Regraded, Submission: id, Regrade: s.Regrade + 1})
		}
	}
	if !found {
		return nil, request.Refuse(http.StatusConflict,
			"nobody has handed in this exercise: there is nothing to grade again")
	}
	return events, nil
}

// settle finds the queued submissions of a room that no server will grade, and has them graded; see
// store.Journal.Settle.
func (s *Server) settle(ctx context.Context, code string, wanted func(*room.Submission) bool) error {
	var queued []room.Submission
	s.view(code, func(r *room.Room) error {
		for _, q := range r.Submissions {
			if q.State == room.StateQueued && wanted(q) {
				queued = append(queued, *q)
			}
		}
		return nil
	})
	for _, q := range queued {
		if err := s.Journal.Settle(ctx, code, q.ID, q.Regrade); err != nil {
			return err
		}
	}
	return nil
}

// settleAll is settle for all rooms, at the start.
func (s *Server) settleAll(ctx context.Context) {
	var codes []string
	s.mu.Lock()
	for code, r := range s.rooms {
		if exists(r) {
			codes = append(codes, code)
		}
	}
	s.mu.Unlock()
	for _, code := range codes {
		if err := s.settle(ctx, code, func(*room.Submission) bool { return true }); err != nil && ctx.Err() == nil {
			s.Log.Error("submissions in the queue may never be graded: have them graded again", "room", code,
				"error", err)
		}
	}
}
