package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"onthestack/runner/queue"
	"onthestack/runner/request"
)

// answer does the work of a request and sends its answer. The header X-Cache is its CacheStatus; answers that are never
// cached do not have it.
func (e endpoint) answer(w http.ResponseWriter, r *http.Request, q *queue.Request) {
	a, err := e.queue.Do(r.Context(), q)
	e.answered(r, a)
	if err != nil {
		e.fail(w, r, err)
		return
	}
	if a.CacheStatus != "" {
		w.Header().Set("X-Cache", string(a.CacheStatus))
	}
	e.unsent.add(q.Client, len(a.Body))
	defer e.unsent.add(q.Client, -len(a.Body))
	e.send(w, http.StatusOK, a.Body)
}

// answered counts where an answer came from, and records it for the log.
func (s *Server) answered(r *http.Request, a queue.Answer) {
	recordOf(r).answer = a
	if a.CacheStatus != "" {
		s.metrics.Answer(a.CacheStatus)
	}
}

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

// refuse answers a request with a refusal, as JSON.
func (s *Server) refuse(w http.ResponseWriter, r *request.Refusal) {
	s.reply(w, r.Status, errorAnswer{r.Message})
}

// unable returns the refusal of a server that cannot build and run programs. The status tells pages to do it
// themselves: asking again is of no use.
func (s *Server) unable() *request.Refusal {
	return request.Refuse(http.StatusNotImplemented, "this server does not check or run programs: "+s.release.EngineReason)
}

// An errorAnswer is the answer to a request that failed.
type errorAnswer struct {
	Error string `json:"error"`
}

// statusClientGone is the status with which nginx logs a request whose client has left.
const statusClientGone = 499

// refusalOf returns the refusal for an error, and after how many seconds the client may send the same request again, or
// "" if it should not. An error of the server itself is logged, and not shown to the client.
func (s *Server) refusalOf(r *http.Request, err error) (_ *request.Refusal, retry string) {
	var refused *request.Refusal
	var full *queue.Full
	switch {
	case errors.As(err, &refused):
		return refused, ""
	case errors.As(err, &full):
		s.metrics.Refused()
		return request.Refuse(http.StatusServiceUnavailable, full.Error()),
			strconv.Itoa(int(full.RetryAfter / time.Second))
	case errors.Is(err, errUnsent):
		s.metrics.Unsent()
		refused = request.Refuse(http.StatusServiceUnavailable,
			"answers to your earlier requests are still unread: read them first")
		return refused, strconv.Itoa(int(writeTime / time.Second))
	case errors.Is(err, errStopping), errors.Is(context.Cause(r.Context()), errStopping):
		refused = request.Refuse(http.StatusServiceUnavailable, "the runner is stopping: try again in "+retryStopping+
			" s")
		return refused, retryStopping
	case r.Context().Err() != nil:
		// The client has left; the status is for the log.
		return request.Refuse(statusClientGone, "the request was canceled"), ""
	}
	s.log.Error("request failed", "path", shorten(r.URL.Path, 100), "error", err)
	return request.Refuse(http.StatusInternalServerError, "the runner could not do this; its log says why"), ""
}

// fail answers a request that failed.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	s.refuse(w, s.failure(w, r, err))
}

// failAsText is fail for paths whose clients expect plain text.
func (s *Server) failAsText(w http.ResponseWriter, r *http.Request, err error) {
	refused := s.failure(w, r, err)
	http.Error(w, strings.ToUpper(refused.Message[:1])+refused.Message[1:], refused.Status)
}

// failure is refusalOf, and sets the header Retry-After.
func (s *Server) failure(w http.ResponseWriter, r *http.Request, err error) *request.Refusal {
	refused, retry := s.refusalOf(r, err)
	if retry != "" {
		w.Header().Set("Retry-After", retry)
	}
	return refused
}

// failSite answers a request for a file of the site that cannot be read.
func (s *Server) failSite(w http.ResponseWriter, _ *http.Request, err error) {
	s.log.Error("read the site", "error", err)
	s.refuse(w, request.Refuse(http.StatusInternalServerError, "the runner could not read this page; its log says why"))
}
