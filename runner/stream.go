package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"onthestack/runner/cache"
)

// streamed answers a request that accepts text/event-stream by server-sent events, and any other by plain. The events tell how
// the task gets on; the last is one named last with the plain answer, or one that says why there is none, see lastWords. Until
// the stream has begun an error is answered by its status as any other. A stream has no X-Cache: it begins before it is known
// how the answer will be had.
func (s *server) streamed(last string, schedule scheduler, prepare preparer, plain http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if !wantsEvents(r.Header.Values("Accept")) {
			plain(w, r)
			return
		}
		t, err := read(w, r, prepare)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		// A client that takes nothing any more is one that has left.
		stream := &eventStream{w: w, broken: cancel}
		rest := stream.keepAlive(s.beat)
		answer, err := s.answer(ctx, r.URL.Path, schedule, t, func(step cache.Step) { stream.send(step.Kind, step.Text) })
		rest()
		switch {
		case err == nil:
			s.unread.send(recordOf(ctx).client, len(answer), func() { stream.send(last, string(answer)) })
		case !stream.begun:
			s.fail(w, r, err)
		default:
			stream.send(s.lastWords(r, err))
		}
	}
}

// A busyAnswer is the end of a stream for a client that may send the same again: what Retry-After says where there is a status.
type busyAnswer struct {
	Seconds json.Number `json:"seconds"`
	Error   string      `json:"error"`
}

// lastWords is the event that ends a stream whose task came to nothing: "busy" where the client may send the same again, as its
// place in the queue was given away or the server stops, and otherwise "error".
func (s *server) lastWords(r *http.Request, err error) (name, data string) {
	var answer any
	refused, retry := s.refusalOf(r, err)
	if retry == "" {
		name, answer = "error", errorAnswer{refused.message}
	} else {
		name, answer = "busy", busyAnswer{json.Number(retry), refused.message}
	}
	text, _ := json.Marshal(answer) // numbers and strings are always encoded
	return name, string(text)
}

// wantsEvents reports whether the client would rather have events than JSON: it names them, and does not name JSON before.
func wantsEvents(accept []string) bool {
	list := strings.ToLower(strings.Join(accept, ","))
	events, plain := strings.Index(list, "text/event-stream"), strings.Index(list, "application/json")
	return events >= 0 && (plain < 0 || events < plain)
}

// keepAliveTime is how often a stream says that it is alive: proxies end connections on which nothing comes for a minute or so.
const keepAliveTime = 10 * time.Second

// An eventStream is an answer of server-sent events. Its begun may be read once keepAlive has rested.
type eventStream struct {
	w      http.ResponseWriter
	broken func(error) // told when the client takes nothing any more

	mu    sync.Mutex
	begun bool
}

// send sends an event.
func (s *eventStream) send(name, data string) { s.write(appendEvent(nil, name, data)) }

func (s *eventStream) write(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	writeWithin(s.w, writeTime)
	if !s.begun {
		s.begun = true
		h := s.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // nginx would hold the events back
		s.w.WriteHeader(http.StatusOK)
	}
	_, err := s.w.Write(text)
	if err == nil {
		err = http.NewResponseController(s.w).Flush()
	}
	if err != nil {
		s.broken(err)
	}
}

// keepAlive sends a comment each time that the stream has had an interval to itself, until rest is called.
func (s *eventStream) keepAlive(interval time.Duration) (rest func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	ticker := time.NewTicker(interval)
	go func() {
		defer close(stopped)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				s.write([]byte(": still at it\n\n"))
			case <-stop:
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// appendEvent encodes an event: a field is a line, so data of several lines is several fields, and a name keeps its first line.
// What reads it takes any line's end for "\n", and bytes that are not UTF-8 for U+FFFD.
func appendEvent(b []byte, name, data string) []byte {
	name, _, _ = strings.Cut(newlines.Replace(name), "\n")
	if name != "" {
		b = append(append(append(b, "event: "...), name...), '\n')
	}
	for line := range strings.SplitSeq(newlines.Replace(data), "\n") {
		b = append(append(append(b, "data: "...), line...), '\n')
	}
	return append(bytes.ToValidUTF8(b, []byte("\uFFFD")), '\n')
}

// newlines makes "\n" of each end of line that a reader of events knows.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")
