package execution

import (
	"strings"
	"time"
)

// Epoch is 2009-11-10 23:00:00 UTC, the time of Go's public release, in nanoseconds since 1970. The clock of every
// program starts at Epoch.
const Epoch = 1257894000_000000000

// The streams of a program, as an Event's Kind.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// An Event is a piece of what a program printed.
type Event struct {
	Message string // valid UTF-8
	Kind    string // Stdout or Stderr
	// Delay is the time since the previous event, on the program's own clock.
	Delay time.Duration
}

// eventCost is the overhead of an event in JSON, in bytes. It counts toward the limit on output.
const eventCost = 50

// A Log records what a program prints, in order. Consecutive writes to the same stream at the same time become one
// event.
//
// When the stream changes, the recorded time advances by at least a nanosecond. The playground at play.golang.org does
// this to merge its two streams in order; the Log does it to give the same answers.
type Log struct {
	meter  *Meter
	last   int64 // time of the last write, in nanoseconds since 1970
	pieces []Piece
}

// NewLog returns an empty Log whose output is limited by m.
func NewLog(m *Meter) *Log { return &Log{meter: m, last: Epoch} }

// Write records a write to a stream at the time now, in nanoseconds since 1970.
func (l *Log) Write(kind string, now int64, p []byte) {
	t := l.last
	previous := len(l.pieces) - 1
	if previous >= 0 && l.pieces[previous].Kind != kind {
		t++
	}
	t = max(t, now)
	l.last = t
	if previous < 0 || l.pieces[previous].Kind != kind || l.pieces[previous].Time != t {
		if l.meter.Take(eventCost) < eventCost {
			return
		}
		l.pieces = append(l.pieces, Piece{Kind: kind, Time: t})
		previous++
	}
	l.pieces[previous].Text = append(l.pieces[previous].Text, p[:l.meter.Take(len(p))]...)
}

// Note adds a message to stderr that the program did not print, regardless of the limit on output.
func (l *Log) Note(now int64, text string) {
	l.meter.Give(eventCost + len(text))
	l.Write(Stderr, now, []byte(text))
}

// Events returns the events recorded so far.
func (l *Log) Events() []Event {
	var events []Event
	last := int64(Epoch)
	for _, p := range l.pieces {
		message := withoutDump(validUTF8(p.Text))
		events = append(events, Event{Message: message, Kind: p.Kind, Delay: time.Duration(p.Time - last)})
		last = p.Time
	}
	return events
}

// validUTF8 replaces each invalid byte by U+FFFD.
func validUTF8(text []byte) string { return string([]rune(string(text))) }

// withoutDump removes the runtime's traceback of its own stack from a "stack overflow" message. On WebAssembly the
// runtime cannot unwind that stack, and prints its bytes instead.
func withoutDump(text string) string {
	before, rest, found := strings.Cut(text, "\nruntime stack:\n")
	dump, after, ends := strings.Cut(rest, "\n\ngoroutine ")
	if !found || !ends || !strings.Contains(dump, "unexpected return pc") {
		return text
	}
	return before + "\ngoroutine " + after
}
