package request

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"time"
)

// KeepAlive is the interval between the comments that keep a stream alive: proxies close connections that are silent
// for about a minute.
const KeepAlive = 10 * time.Second

// A Stream is an answer of server-sent events. It is safe for concurrent use.
type Stream struct {
	W      http.ResponseWriter
	Broken func(error) // called when a write fails: the client has left

	mu    sync.Mutex
	begun bool
}

// Begun reports whether anything was sent, and with it the header.
func (s *Stream) Begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// Send sends an event. Clients that reconnect send the ID of the last one; "" for none.
func (s *Stream) Send(id, name, data string) {
	var b []byte
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	s.write(appendEvent(b, name, data))
}

// Comment sends what clients ignore.
func (s *Stream) Comment(text string) { s.write([]byte(": " + text + "\n\n")) }

func (s *Stream) write(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	WriteWithin(s.W, WriteTime)
	if !s.begun {
		s.begun = true
		h := s.W.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // nginx would buffer the events
		s.W.WriteHeader(http.StatusOK)
	}
	_, err := s.W.Write(text)
	if err == nil {
		err = http.NewResponseController(s.W).Flush()
	}
	if err != nil {
		s.Broken(err)
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
