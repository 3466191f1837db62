package room

import "time"

// Limits of a message to all.
const (
	MaxText    = 200 // characters
	MaxMinutes = 120 // of its countdown
)

// A Message is what the instructor tells all participants.
type Message struct {
	Text  string
	Sent  time.Time
	Until time.Time // the end of the countdown; zero if there is none
}

// message applies a message, which replaces the previous one.
func (r *Room) message(e Event) {
	if r.Message = nil; e.Text != "" {
		r.Message = &Message{e.Text, e.Time, e.Until}
	}
}
