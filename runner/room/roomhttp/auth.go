package roomhttp

import (
	"net/http"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"onthestack/runner/request"
	"onthestack/runner/room"
)

var (
	errNoRoom = request.Refuse(http.StatusNotFound,
		"there is no room with this code: compare it with the one on the projector")
	errNoToken = request.Refuse(http.StatusUnauthorized,
		"send the token that joining the room gave, as Authorization: Bearer")
	errWrongToken = request.Refuse(http.StatusForbidden,
		"this token does not open this room: compare it, or join again with the code on the projector")
	errInstructor = request.Refuse(http.StatusForbidden, "only the instructor may do this")
	errEnded      = request.Refuse(http.StatusGone, "the room has ended")
	errGuesses    = request.Refuse(http.StatusTooManyRequests,
		"too many wrong codes or tokens came from your address: wait a minute")
	errJoins = request.Refuse(http.StatusTooManyRequests,
		"too many people have joined from your network: try again in some seconds")
	errStarting = request.Refuse(http.StatusServiceUnavailable,
		"the rooms are being read from disk: try again in a second")
	errStopping = request.Refuse(http.StatusServiceUnavailable,
		"the server is stopping: keep the page open, and it connects again")
	errFull = request.Refuse(http.StatusInsufficientStorage,
		"the server's disk is full, and this was not stored: keep the page open, tell the instructor, and try again")
	errTooFast = request.Refuse(http.StatusTooManyRequests, "you sent too many requests at once: wait some seconds")
)

// A caller identifies the sender of a request to a room.
type caller struct {
	instructor  bool
	participant string // ID, "" for the instructor
}

// authorize identifies the caller of the room in the path. Wrong codes and tokens count toward a rate limit, after
// which all wrong ones get the same answer. Right tokens are not limited, so that a class behind one address does not
// suffer from somebody there who guesses. The 80 bits of a token cannot be guessed.
func (s *Server) authorize(r *http.Request) (code string, c caller, err error) {
	if !s.isReady() {
		return "", c, errStarting
	}
	code = room.Normalize(r.PathValue("room"))
	token := bearer(r)
	if token == "" {
		return "", c, errNoToken
	}
	c.instructor = room.Matches(s.instructor, token)
	found := room.ValidCode(code) && s.view(code, func(r *room.Room) { c.participant = participant(r, token) })
	switch {
	case found && (c.instructor || c.participant != ""):
		return code, c, nil
	case !s.mayGuess(r):
		return "", caller{}, errGuesses
	}
	s.guessed(r)
	if !found {
		return "", caller{}, errNoRoom
	}
	return "", caller{}, errWrongToken
}

// instructorOnly refuses everybody but the instructor, where the path names no room.
func (s *Server) instructorOnly(r *http.Request) error {
	token := bearer(r)
	switch {
	case token == "":
		return errNoToken
	case room.Matches(s.instructor, token):
		return nil
	case !s.mayGuess(r):
		return errGuesses
	}
	s.guessed(r)
	return errInstructor
}

// bearer returns the token of a request; "" for none.
func bearer(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return room.Normalize(token)
}

// isReady reports whether the events that the journal had at the start are applied.
func (s *Server) isReady() bool {
	select {
	case <-s.ready:
		return true
	default:
		return false
	}
}

// mayGuess reports whether the client has guesses left.
func (s *Server) mayGuess(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	limiter := s.guesses[s.Client(r)]
	return limiter == nil || limiter.Tokens() >= 1
}

// guessed counts a wrong code or token.
func (s *Server) guessed(r *http.Request) {
	s.allow(s.guesses, s.Client(r), guessInterval, guessBurst)
}

// mayJoin reports whether another participant may join from the client's address now.
func (s *Server) mayJoin(r *http.Request) bool {
	return s.allow(s.joins, s.Client(r), joinInterval, joinBurst)
}

// mayNote reports whether a participant may cause another event now. Events are kept as long as the room is, so their
// rate is bounded.
func (s *Server) mayNote(c caller) bool {
	return s.allow(s.notes, c.participant, noteInterval, noteBurst)
}

// allow counts a request of somebody, and reports whether it is within the limit.
func (s *Server) allow(limiters map[string]*rate.Limiter, who string, interval time.Duration, burst int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(limiters) >= maxGuessers {
		clear(limiters) // bounded memory matters more than the few requests that this allows
	}
	if limiters[who] == nil {
		limiters[who] = rate.NewLimiter(rate.Every(interval), burst)
	}
	return limiters[who].Allow()
}
