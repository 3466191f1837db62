package roomhttp

import (
	"net/http"
	"strings"

	"golang.org/x/time/rate"

	"onthestack/runner/room"
)

// A refusal is an error whose message the client may read.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return r.message }

// Refuse returns an error that is answered with the status and the message.
func Refuse(status int, message string) error { return &refusal{status, message} }

var (
	errNoRoom     = &refusal{http.StatusNotFound, "there is no room with this code: compare it with the one on the projector"}
	errNoToken    = &refusal{http.StatusUnauthorized, "send the token that joining the room gave, as Authorization: Bearer"}
	errWrongToken = &refusal{http.StatusForbidden, "this token does not open this room"}
	errInstructor = &refusal{http.StatusForbidden, "only the instructor may do this"}
	errEnded      = &refusal{http.StatusGone, "the room has ended"}
	errGuesses    = &refusal{http.StatusTooManyRequests, "too many wrong codes or tokens came from here: wait a minute"}
	errStarting   = &refusal{http.StatusServiceUnavailable, "the rooms are being read from disk: try again in a second"}
)

// A caller is who sent a request to a room.
type caller struct {
	instructor  bool
	participant string // ID, "" for the instructor
}

// authorize finds out who sent a request to the room of its path. A wrong code or token counts as a guess.
func (s *Server) authorize(r *http.Request) (code string, c caller, err error) {
	s.mu.Lock()
	ready := s.ready
	s.mu.Unlock()
	if !ready {
		return "", c, errStarting
	}
	if !s.mayGuess(r) {
		return "", c, errGuesses
	}
	code = room.Normalize(r.PathValue("room"))
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return "", c, errNoToken
	}
	token = room.Normalize(token)
	c.instructor = room.Matches(s.instructor, token)
	found := room.ValidCode(code) && s.view(code, func(r *room.Room) {
		hash := room.Hash(token)
		for _, p := range r.Participants {
			// All hashes are compared, so that the time tells nothing.
			if string(p.TokenHash) == string(hash) && !p.Removed {
				c.participant = p.ID
			}
		}
	})
	switch {
	case !found:
		s.guessed(r)
		return "", c, errNoRoom
	case !c.instructor && c.participant == "":
		s.guessed(r)
		return "", c, errWrongToken
	}
	return code, c, nil
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.guesses) >= maxGuessers {
		clear(s.guesses) // bounded memory matters more than the few guesses that this allows
	}
	client := s.Client(r)
	if s.guesses[client] == nil {
		s.guesses[client] = rate.NewLimiter(rate.Every(guessInterval), guessBurst)
	}
	s.guesses[client].Allow()
}
