package roomhttp

import (
	"time"

	"onthestack/runner/room"
)

// Stats are figures about all rooms, for whoever operates the server.
type Stats struct {
	Open         int           // rooms that have not ended
	Participants int           // of these
	Queued       int           // submissions that wait to be graded
	Failed       int           // submissions that could not be graded
	Oldest       time.Duration // how long the submission that came first has waited
}

// Stats returns the figures as of now.
func (s *Server) Stats() (n Stats) {
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rooms {
		if !exists(r) {
			continue
		}
		if !r.Ended {
			n.Open++
			n.Participants += len(r.Present())
		}
		for _, submission := range r.Submissions {
			switch submission.State {
			case room.StateQueued:
				n.Queued++
				n.Oldest = max(n.Oldest, now.Sub(submission.Queued))
			case room.StateFailed:
				n.Failed++
			}
		}
	}
	return n
}
