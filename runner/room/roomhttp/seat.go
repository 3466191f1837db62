package roomhttp

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"onthestack/runner/room"
)

// The seat cookie has a participant's code and token. The browser sends it with checks and runs too, which do not go to
// /api/rooms, so that the queue knows participants apart who share an address. It opens nothing: requests about rooms
// need the token as Authorization: Bearer, which another site's page cannot have a browser send.
const (
	seatCookie = "onthestack-seat"
	seatAge    = 30 * 24 * 60 * 60 // seconds
)

// giveSeat sets the cookie.
func giveSeat(w http.ResponseWriter, code, token string, secure bool) {
	http.SetCookie(w, &http.Cookie{Name: seatCookie, Value: code + "." + token, Path: "/", MaxAge: seatAge,
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode})
}

// Participant returns the ID of the participant who sent a request, by the seat cookie; "" if it does not have the
// token of one.
func (s *Server) Participant(r *http.Request) (id string) {
	cookie, err := r.Cookie(seatCookie)
	if err != nil || !s.isReady() {
		return ""
	}
	code, token, _ := strings.Cut(cookie.Value, ".")
	if room.ValidCode(code) && room.ValidToken(token) {
		s.view(code, func(r *room.Room) { id = participant(r, token) })
	}
	return id
}

// participant returns the ID of the participant with the token; "" for none.
func participant(r *room.Room, token string) (id string) {
	hash := room.Hash(token)
	for _, p := range r.Participants {
		if subtle.ConstantTimeCompare(p.TokenHash, hash) == 1 && !p.Removed {
			id = p.ID
		}
	}
	return id
}
