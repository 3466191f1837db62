package sandbox

import (
	"strings"
	"time"
	"unicode/utf8"
)

// An Event is a piece of what a program printed.
type Event struct {
	Message string // valid UTF-8
	Kind    string // "stdout" or "stderr"
	// Delay is how long after the event before it was printed, in the program's own time.
	Delay time.Duration
}

// eventCost is what an event takes from the limit on output beside its text, in bytes: what it takes in JSON.
const eventCost = 50

// An eventLog gathers what a program prints, in order. Writes of one kind at one moment make one event.
//
// When the kind changes, so does the time, by a nanosecond if need be. The playground at play.golang.org needs that to
// find the order of two separate streams again; here it keeps the same answers.
type eventLog struct {
	meter  *meter
	clock  *clock
	last   int64 // time of the last write, in nanoseconds since 1970
	pieces []piece
}

type piece struct {
	kind string
	time int64
	text []byte
}

func (l *eventLog) write(kind string, p []byte) {
	t := l.last
	previous := len(l.pieces) - 1
	if previous >= 0 && l.pieces[previous].kind != kind {
		t++
	}
	t = max(t, l.clock.now)
	l.last = t
	if previous < 0 || l.pieces[previous].kind != kind || l.pieces[previous].time != t {
		if l.meter.take(eventCost) < eventCost {
			return
		}
		l.pieces = append(l.pieces, piece{kind: kind, time: t})
		previous++
	}
	l.pieces[previous].text = append(l.pieces[previous].text, p[:l.meter.take(len(p))]...)
}

// note writes what the program did not print to stderr, whether there is room for it or not.
func (l *eventLog) note(text string) {
	l.meter.give(eventCost + len(text))
	l.write("stderr", []byte(text))
}

func (l *eventLog) events() []Event {
	var events []Event
	last := int64(epoch)
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

// An eventWriter is one stream of a program's.
type eventWriter struct {
	log  *eventLog
	kind string
}

// Write implements io.Writer.
func (w eventWriter) Write(p []byte) (int, error) {
	w.log.write(w.kind, p)
	return len(p), nil
}
