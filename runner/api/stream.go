package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"onthestack/runner/queue"
)

// stream answers with server-sent events: the events of the work, and a last one. If the work succeeds, the last event
// has the endpoint's name for it, and its data is the body that answer would send; otherwise see lastEvent. An error
// before the first event is sent with its status, as answer would. There is no header X-Cache, because the stream
// begins before it is known.
func (e endpoint) stream(w http.ResponseWriter, r *http.Request, q *queue.Request) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	// When nothing can be written to the client any more, it has left.
	stream := &eventStream{w: w, broken: cancel}
	stop := stream.keepAlive(e.beat)
	q.Notify = func(event queue.Event) {
		e.unsent.add(q.Client, len(event.Data))
		defer e.unsent.add(q.Client, -len(event.Data))
		stream.send(event.Name, event.Data)
	}
	a, err := e.queue.Do(ctx, q)
	e.answered(r, a)
	stop()
	switch {
	case err == nil:
		e.unsent.add(q.Client, len(a.Body))
		defer e.unsent.add(q.Client, -len(a.Body))
		stream.send(e.last, string(a.Body))
	case !stream.begun:
		e.fail(w, r, err)
	default:
		stream.send(e.lastEvent(r, err))
	}
}

// A busyAnswer is the data of the event "busy", for a client that may send the same request again.
type busyAnswer struct {
	Seconds json.Number `json:"seconds"` // how long to wait first; the header Retry-After of other answers
	Error   string      `json:"error"`
}

// lastEvent returns the last event of a stream whose work failed: "busy" if the client may send the same request again,
// because the queue is full or the server is stopping, and otherwise "error".
func (s *Server) lastEvent(r *http.Request, err error) (name, data string) {
	var answer any
	refused, retry := s.refusalOf(r, err)
	if retry == "" {
		name, answer = "error", errorAnswer{refused.Message}
	} else {
		name, answer = "busy", busyAnswer{json.Number(retry), refused.Message}
	}
	text, _ := json.Marshal(answer) // never fails for numbers and strings
	return name, string(text)
}

// wantsEvents reports whether the client's Accept headers name text/event-stream, and not application/json before it.
func wantsEvents(accept []string) bool {
	list := strings.ToLower(strings.Join(accept, ","))
	events, plain := strings.Index(list, "text/event-stream"), strings.Index(list, "application/json")
	return events >= 0 && (plain < 0 || events < plain)
}

// keepAliveTime is the interval between the comments that keep a stream alive: proxies close connections that are
// silent for about a minute.
const keepAliveTime = 10 * time.Second

// An eventStream is an answer of server-sent events.
type eventStream struct {
	w      http.ResponseWriter
	broken func(error) // called when a write fails

	mu    sync.Mutex
	begun bool // whether the header has been sent; may be read without the mutex after the stop function of keepAlive
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
		h.Set("X-Accel-Buffering", "no") // nginx would buffer the events
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

// keepAlive sends a comment at each interval, until stop is called.
func (s *eventStream) keepAlive(interval time.Duration) (stop func()) {
	done, stopped := make(chan struct{}), make(chan struct{})
	ticker := time.NewTicker(interval)
	go func() {
		defer close(stopped)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				s.write([]byte(": still at it\n\n"))
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-stopped
	}
}

// appendEvent appends an encoded event to b. A field is a line, so data of several lines becomes several fields, and
// only the first line of a name remains. Clients read every line ending as "\n", and bytes that are not UTF-8 as
// U+FFFD.
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

// newlines replaces each line ending of the event stream format with "\n".
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")
