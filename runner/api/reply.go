package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// How long sending an answer may take. A client that reads slowly holds the answer in memory.
const (
	writeTime     = 30 * time.Second
	siteWriteTime = 2 * time.Minute // a file of the site
)

// writeWithin limits the time for sending what is written from now on. A limit for the whole request would include its
// time in the queue.
func writeWithin(w http.ResponseWriter, d time.Duration) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d))
}

// timely limits how long next may take to send an answer. It is for handlers whose requests do not wait in a queue.
func timely(d time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeWithin(w, d)
		next.ServeHTTP(w, r)
	})
}

// reply sends an answer as JSON.
func (s *Server) reply(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		s.log.Error("encode an answer", "error", err)
		status = http.StatusInternalServerError
		text = []byte(`{"error":"the runner could not encode its answer; its log says why"}`)
	}
	s.send(w, status, text)
}

// send sends an answer that is JSON already. It does not modify the text, which other requests may share.
func (s *Server) send(w http.ResponseWriter, status int, text []byte) {
	writeWithin(w, writeTime)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	w.Write(text)
	w.Write([]byte{'\n'})
}
