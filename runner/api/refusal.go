package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"onthestack/runner/jobs"
)

// A refusal is an error whose message is for the client. The message of a full queue is in package jobs (queue.go).
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return r.message }

// refuse answers a request with a refusal, as JSON.
func (s *Server) refuse(w http.ResponseWriter, r *refusal) {
	s.reply(w, r.status, errorAnswer{r.message})
}

// unable returns the refusal of a server that cannot build and run programs. The status tells pages to do it
// themselves: asking again is of no use.
func (s *Server) unable() *refusal {
	return &refusal{http.StatusNotImplemented, "this server does not check or run programs: " + s.unavailable}
}

// An errorAnswer is the answer to a request that failed.
type errorAnswer struct {
	Error string `json:"error"`
}

// statusClientGone is the status with which nginx logs a request whose client has left.
const statusClientGone = 499

// refusalOf returns the refusal for an error, and after how many seconds the client may send the same request again, or
// "" if it should not. An error of the server itself is logged, and not shown to the client.
func (s *Server) refusalOf(r *http.Request, err error) (_ *refusal, retry string) {
	var refused *refusal
	var full *jobs.Full
	switch {
	case errors.As(err, &refused):
		return refused, ""
	case errors.As(err, &full):
		s.metrics.Refused()
		return &refusal{http.StatusServiceUnavailable, full.Error()}, strconv.Itoa(int(full.RetryAfter / time.Second))
	case errors.Is(err, errUnsent):
		s.metrics.Unsent()
		refused = &refusal{http.StatusServiceUnavailable,
			"answers to your earlier requests are still unread: read them first"}
		return refused, strconv.Itoa(int(writeTime / time.Second))
	case errors.Is(err, errStopping), errors.Is(context.Cause(r.Context()), errStopping):
		refused = &refusal{http.StatusServiceUnavailable, "the runner is stopping: try again in " + retryStopping +
			" s"}
		return refused, retryStopping
	case r.Context().Err() != nil:
		// The client has left; the status is for the log.
		return &refusal{statusClientGone, "the request was canceled"}, ""
	}
	s.log.Error("request failed", "path", shorten(r.URL.Path, 100), "error", err)
	return &refusal{http.StatusInternalServerError, "the runner could not do this; its log says why"}, ""
}

// fail answers a request that failed.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	s.refuse(w, s.failure(w, r, err))
}

// failAsText is fail for paths whose clients expect plain text.
func (s *Server) failAsText(w http.ResponseWriter, r *http.Request, err error) {
	refused := s.failure(w, r, err)
	http.Error(w, strings.ToUpper(refused.message[:1])+refused.message[1:], refused.status)
}

// failure is refusalOf, and sets the header Retry-After.
func (s *Server) failure(w http.ResponseWriter, r *http.Request, err error) *refusal {
	refused, retry := s.refusalOf(r, err)
	if retry != "" {
		w.Header().Set("Retry-After", retry)
	}
	return refused
}

// failSite answers a request for a file of the site that cannot be read.
func (s *Server) failSite(w http.ResponseWriter, _ *http.Request, err error) {
	s.log.Error("read the site", "error", err)
	s.refuse(w, &refusal{http.StatusInternalServerError, "the runner could not read this page; its log says why"})
}
