package request

import (
	"encoding/json"
	"net/http"
	"strconv"
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
