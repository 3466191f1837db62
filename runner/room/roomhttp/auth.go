package roomhttp

import (
	"net/http"
	"strings"

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
	errInstructor  = request.Refuse(http.StatusForbidden, "only the instructor may do this")
	errParticipant = request.Refuse(http.StatusForbidden, "only a participant may do this")
	errEnded       = request.Refuse(http.StatusGone, "the room has ended")
	errCodes       = request.Refuse(http.StatusTooManyRequests,
		"too many wrong codes came from your address: wait a minute")
	errNoJoins = request.Refuse(http.StatusConflict,
		"the instructor has closed this room to more people: ask the instructor to let you join")
	errTokens = request.Refuse(http.StatusTooManyRequests,
		"too many wrong tokens came from your address: wait a minute")
	errJoins = request.Refuse(http.StatusTooManyRequests,
		"too many people have joined from your network: try again in a few seconds")
	errStarting = request.Refuse(http.StatusServiceUnavailable,
		"the rooms are being read from disk: try again in a second")
	errStopping = request.Refuse(http.StatusServiceUnavailable,
		"the server is stopping: keep the page open, and it connects again")
	errFull = request.Refuse(http.StatusInsufficientStorage,
		"the server's disk is full, and this was not stored: keep the page open, tell the instructor, and try again")
	errTooFast = request.Refuse(http.StatusTooManyRequests, "you sent too many requests at once: wait a few seconds")
)

// A caller is who sent a request.
type caller struct {
	code        string // of the room; "" if the path names none
	instructor  bool
	helper      bool   // of the instructor, who sees what the instructor sees, and lowers hands
	participant string // ID, "" for the instructor and helpers
	owner       string // ID of the participant to whom the key was given, before rows were merged
	hash        []byte // of the key
}

// seesAll reports whether the caller sees all participants.
func (c caller) seesAll() bool { return c.instructor || c.helper }

// authorize identifies the caller of an operation, and refuses a caller who may not do it. Wrong codes and tokens count
// toward a rate limit, after which all wrong ones get the same answer. Right tokens are not limited, so that a class
// behind one address does not suffer from somebody there who guesses. The 80 bits of a token cannot be guessed.
func (s *Server) authorize(r *http.Request, o request.Operation) (c caller, err error) {
	c.code = room.Normalize(r.PathValue("room"))
	if o.Access == request.Anybody {
		return c, nil
	}
	if !s.IsReady() {
		return c, errStarting
	}
	token := bearer(r)
	if token == "" {
		return c, errNoToken
	}
	c.instructor, c.helper = room.Matches(s.instructor, token), room.Matches(s.helper, token)
	anyRoom := !strings.Contains(o.Path, "{room}")
	found := anyRoom || room.ValidCode(c.code) &&
		s.view(c.code, func(r *room.Room) error { c.sit(r, token); return nil }) == nil
	switch known := found && (c.seesAll() || c.participant != ""); {
	case known && o.Access == request.Instructor && !c.instructor, known && o.Access == request.Helper && !c.seesAll():
		return c, errInstructor
	case known && o.Access == request.Participant && c.participant == "":
		return c, errParticipant
	case known:
		return c, nil
	case !s.tokens.Left(s.Client(r)):
		return c, errTokens
	}
	s.tokens.Allow(s.Client(r))
	switch {
	case anyRoom:
		return c, errInstructor
	case !found:
		return c, errNoRoom
	}
	return c, errWrongToken
}

// bearer returns the token of a request; "" for none.
func bearer(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return room.Normalize(token)
}

// IsReady reports whether the events that the journal had at the start are applied.
func (s *Server) IsReady() bool {
	select {
	case <-s.ready:
		return true
	default:
		return false
	}
}

// The seat cookie has a participant's code and token. The browser sends it with checks and runs too, which do not go to
// /api/rooms, so that the queue knows participants apart who share an address. It opens nothing: requests about rooms
// need the token as Authorization: Bearer, which another site's page cannot have a browser send.
const (
	seatCookie = "onthestack-seat"
	seatAge    = 30 * 24 * 60 * 60 // seconds
)

func giveSeat(w http.ResponseWriter, code, token string, secure bool) {
	http.SetCookie(w, &http.Cookie{Name: seatCookie, Value: code + "." + token, Path: "/", MaxAge: seatAge,
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode})
}

// Participant returns the ID of the participant who sent a request, by the seat cookie; "" if it does not have the
// token of one.
func (s *Server) Participant(r *http.Request) (id string) {
	cookie, err := r.Cookie(seatCookie)
	if err != nil || !s.IsReady() {
		return ""
	}
	code, token, _ := strings.Cut(cookie.Value, ".")
	if room.ValidCode(code) && room.ValidToken(token) {
		var c caller
		s.view(code, func(r *room.Room) error { c.sit(r, token); return nil })
		id = c.participant
	}
	return id
}

// sit makes the caller the participant with the token, if there is one.
func (c *caller) sit(r *room.Room, token string) {
	c.hash = room.Hash(token)
	if row, owner := r.ByToken(c.hash); row != nil {
		c.participant, c.owner = row.ID, owner.ID
	}
}
