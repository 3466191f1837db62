package request

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// WriteTime bounds how long sending an answer may take. A client that reads slowly holds the answer in memory.
const WriteTime = 30 * time.Second

// WriteWithin limits the time for sending what is written from now on. A limit for the whole request would include its
// time in a queue.
func WriteWithin(w http.ResponseWriter, d time.Duration) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d))
}

// An Error is the answer to a request that is refused.
type Error struct {
	Error string `json:"error"` // a sentence for the person at the client
}

// Send answers with the refusal, as JSON.
func (r *Refusal) Send(w http.ResponseWriter) {
	r.SetRetry(w)
	Reply(w, r.Status, Error{r.Message})
}

// SetRetry sets the header Retry-After.
func (r *Refusal) SetRetry(w http.ResponseWriter) {
	if r.Retry != "" {
		w.Header().Set("Retry-After", r.Retry)
	}
}

// Reply answers with a value, as JSON. If the value cannot be encoded, the client is told so.
func Reply(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		status = http.StatusInternalServerError
		text, _ = json.Marshal(Error{"the runner could not encode its answer: " + err.Error()}) // a text always can be
	}
	ReplyJSON(w, status, text)
}

// ReplyJSON answers with JSON. It does not modify the text, which other requests may share.
func ReplyJSON(w http.ResponseWriter, status int, text []byte) {
	WriteWithin(w, WriteTime)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	w.Write(text)
	w.Write([]byte{'\n'})
}

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
