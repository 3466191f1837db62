package execution

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Epoch is 2009-11-10 23:00:00 UTC, in nanoseconds since 1970: the moment when Go became public, at which the clock of every
// program begins.
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
	// Delay is how long after the event before it was printed, in the program's own time.
	Delay time.Duration
}

// eventCost is what an event takes from the limit on output beside its text, in bytes: what it takes in JSON.
const eventCost = 50

// A Log gathers what a program prints, in order. Writes of one kind at one moment make one event.
//
// When the kind changes, so does the time, by a nanosecond if need be. The playground at play.golang.org needs that to
// find the order of two separate streams again; here it keeps the same answers.
type Log struct {
	meter  *Meter
	last   int64 // time of the last write, in nanoseconds since 1970
	pieces []piece
}

type piece struct {
	kind string
	time int64
	text []byte
}

// NewLog returns an empty log, which keeps what its meter has left for.
func NewLog(m *Meter) *Log { return &Log{meter: m, last: Epoch} }

// Write adds what the program wrote to a stream when its clock was at now, in nanoseconds since 1970.
func (l *Log) Write(kind string, now int64, p []byte) {
	t := l.last
	previous := len(l.pieces) - 1
	if previous >= 0 && l.pieces[previous].kind != kind {
		t++
	}
	t = max(t, now)
	l.last = t
	if previous < 0 || l.pieces[previous].kind != kind || l.pieces[previous].time != t {
		if l.meter.Take(eventCost) < eventCost {
			return
		}
		l.pieces = append(l.pieces, piece{kind: kind, time: t})
		previous++
	}
	l.pieces[previous].text = append(l.pieces[previous].text, p[:l.meter.Take(len(p))]...)
}

// Note writes what the program did not print to stderr, whether there is room for it or not.
func (l *Log) Note(now int64, text string) {
	l.meter.Give(eventCost + len(text))
	l.Write(Stderr, now, []byte(text))
}

// Events returns what was written so far.
func (l *Log) Events() []Event {
	var events []Event
	last := int64(Epoch)
	for _, p := range l.pieces {
		events = append(events, Event{Message: withoutDump(validUTF8(p.text)), Kind: p.kind, Delay: time.Duration(p.time - last)})
		last = p.time
	}
	return events
}

// validUTF8 puts U+FFFD in the place of each byte that is not part of a valid encoding.
func validUTF8(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return string([]rune(string(text)))
}

// withoutDump leaves out what the runtime prints of its own stack when a goroutine's overflows: on WebAssembly it cannot unwind
// that, complains, and shows the bytes.
func withoutDump(text string) string {
	before, rest, found := strings.Cut(text, "\nruntime stack:\n")
	dump, after, ends := strings.Cut(rest, "\n\ngoroutine ")
	if !found || !ends || !strings.Contains(dump, "unexpected return pc") {
		return text
	}
	return before + "\ngoroutine " + after
}
