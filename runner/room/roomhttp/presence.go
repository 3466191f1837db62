package roomhttp

import (
	"maps"
	"slices"
	"time"
)

// A presence says whether a participant has a page of the workbook open and in view: a page follows the room only while
// it is visible. Presence is not an event of the room, so it is not stored, and a restarted server begins anew.
type presence struct {
	streams int       // open streams of events, of several tabs and browsers
	left    time.Time // when the last one ended; zero while one is open
}

const (
	// awayAfter is how long a participant counts as connected without a stream. A page that follows a link closes its
	// stream and opens the next one.
	awayAfter = 5 * time.Second
	// manyPresences is how many are kept before the server forgets participants who left some time ago.
	manyPresences = 10_000
	forgetAfter   = 12 * time.Hour
)

// enter counts a stream of a participant. The caller holds s.mu.
func (s *Server) enter(id string) {
	if len(s.present) >= manyPresences {
		maps.DeleteFunc(s.present, func(_ string, p presence) bool {
			return p.streams == 0 && s.Now().Sub(p.left) > forgetAfter
		})
	}
	p := s.present[id]
	s.present[id] = presence{streams: p.streams + 1}
}

// leave counts a stream of a participant that has ended. The caller holds s.mu.
func (s *Server) leave(id string) {
	p := s.present[id]
	if p.streams--; p.streams <= 0 {
		p.left = s.Now()
	}
	s.present[id] = p
}

// connected reports whether anybody at a seat is connected, and if not, when the last of them left. The time is zero if
// this server does not know it. The caller holds s.mu.
func (s *Server) connected(people []personView) (connected bool, left time.Time) {
	for _, person := range people {
		p, known := s.present[person.ID]
		switch {
		case !known:
		case p.streams > 0 || s.Now().Sub(p.left) < awayAfter:
			return true, time.Time{}
		case p.left.After(left):
			left = p.left
		}
	}
	return false, left
}

// isMoved reports whether somebody has come or gone since a view of the room was sent to the instructor. It is true of
// the zero view: nothing was sent.
func (s *Server) isMoved(sent roomView) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sent.Room == "" || sent.Presence && slices.ContainsFunc(sent.Participants, func(row participantView) bool {
		connected, _ := s.connected(row.People)
		return connected != row.Connected
	})
}
