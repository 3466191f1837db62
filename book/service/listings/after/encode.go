package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// ANCHOR: scratch
// A scratch is what one request needs for its body and its response.
type scratch struct {
	text bytes.Buffer
	json *json.Encoder // writes to text
	gzip *gzip.Writer  // writes to the scratch
	to   io.Writer     // what the scratch writes to
}

var scratches = sync.Pool{New: func() any {
	s := new(scratch)
	s.json = json.NewEncoder(&s.text)
	s.gzip = gzip.NewWriter(s)
	return s
}}

func (s *scratch) Write(p []byte) (int, error) { return s.to.Write(p) }

// free puts a scratch back into the pool, unless it has grown large.
func (s *scratch) free() {
	s.to = nil // or the pool would keep the response
	if s.text.Cap() <= 64<<10 {
		s.text.Reset()
		scratches.Put(s)
	}
}

// ANCHOR_END: scratch

// ANCHOR: read
// readJSON reads a request's body.
func readJSON(body io.Reader, v any) error {
	s := scratches.Get().(*scratch)
	defer s.free()
	if _, err := s.text.ReadFrom(body); err != nil {
		return err
	}
	return json.Unmarshal(s.text.Bytes(), v)
}

// ANCHOR_END: read

// ANCHOR: reply
// reply writes a response, compressed if the client understands gzip.
func reply(w http.ResponseWriter, r *http.Request, status int, v any) {
	s := scratches.Get().(*scratch)
	defer s.free()
	if err := s.json.Encode(v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Length", strconv.Itoa(s.text.Len()))
		w.WriteHeader(status)
		w.Write(s.text.Bytes())
		return
	}
	header.Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	s.to = w
	s.gzip.Reset(s)
	s.gzip.Write(s.text.Bytes())
	s.gzip.Close()
}

// ANCHOR_END: reply

// fail writes a response about an error, and logs it.
func fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	q := requestOf(r.Context())
	q.log.Warn("failed", "request", q.id, "error", err)
	reply(w, r, status, map[string]any{"error": err.Error()})
}
