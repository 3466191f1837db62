package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// How long sending an answer may take.
const (
	writeTime     = 30 * time.Second
	siteWriteTime = 2 * time.Minute // a file of the site
)

// writeWithin bounds sending what is written from now on. A time for the whole request would count what it waits in the queue.
func writeWithin(w http.ResponseWriter, d time.Duration) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d))
}

// timely bounds sending the answers of what answers at once.
func timely(d time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeWithin(w, d)
		next.ServeHTTP(w, r)
	})
}

// reply sends an answer as JSON.
func (s *server) reply(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		s.log.Error("encode an answer", "error", err)
		status, text = http.StatusInternalServerError, []byte(`{"error":"the runner could not encode its answer; its log says why"}`)
	}
	s.send(w, status, text)
}

// send sends an answer that is JSON already. The text is left as it is: others may have the same.
func (s *server) send(w http.ResponseWriter, status int, text []byte) {
	writeWithin(w, writeTime)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	w.Write(text)
	w.Write([]byte{'\n'})
}
