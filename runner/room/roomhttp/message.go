package roomhttp

import (
	"net/http"
	"time"

	"onthestack/runner/request"
	"onthestack/runner/room"
)

// A messageRequest is what the instructor tells all participants.
type messageRequest struct {
	Text    string `json:"text"`              // at most room.MaxText characters
	Minutes int    `json:"minutes,omitempty"` // of a countdown, from 1 to room.MaxMinutes; 0 for none
}

// A messageView is the instructor's message to all.
type messageView struct {
	Text  string    `json:"text"`
	Sent  time.Time `json:"sent"`           // tells it from another message of the same text
	Until time.Time `json:"until,omitzero"` // the end of the countdown; absent: none
}

func messageOf(r *room.Room) messageView {
	if r.Message == nil {
		return messageView{}
	}
	return messageView(*r.Message)
}

// message shows a message to everybody in the room.
func (s *Server) message(w http.ResponseWriter, r *http.Request, c caller, body messageRequest) error {
	e := room.Event{Kind: room.Messaged, Text: room.CleanName(body.Text, room.MaxText)}
	switch {
	case e.Text == "":
		return request.Bad("the message is empty or longer than %d characters", room.MaxText)
	case body.Minutes < 0 || body.Minutes > room.MaxMinutes:
		return request.Bad("the countdown has %d minutes: give from 1 to %d, or 0 for none", body.Minutes,
			room.MaxMinutes)
	case body.Minutes > 0:
		e.Until = s.Now().Add(time.Duration(body.Minutes) * time.Minute)
	}
	return s.tell(w, r, c, always(e))
}

func (s *Server) removeMessage(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.tell(w, r, c, always(room.Event{Kind: room.Messaged}))
}
