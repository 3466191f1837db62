package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"onthestack/runner/jobs"
)

// A refusal is an error that the client is told.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return r.message }

func (s *server) refuse(w http.ResponseWriter, r *refusal) {
	s.reply(w, r.status, errorAnswer{r.message})
}

// An errorAnswer is the answer to a request that came to nothing.
type errorAnswer struct {
	Error string `json:"error"`
}

// statusClientGone is the status by which nginx logs a request whose client did not wait.
const statusClientGone = 499

// refusalOf is what a client is told of an error, and in how many seconds it may send the same again, "" where that is of no
// use. Where the error is the server's own the log has it.
func (s *server) refusalOf(r *http.Request, err error) (_ *refusal, retry string) {
	var refused *refusal
	var full *jobs.Full
	switch {
	case errors.As(err, &refused):
		return refused, ""
	case errors.As(err, &full):
		s.metrics.Refused()
		return &refusal{http.StatusServiceUnavailable, full.Error()}, strconv.Itoa(int(full.RetryAfter / time.Second))
	case errors.Is(err, errUnsent):
		s.metrics.Unread()
		return &refusal{http.StatusServiceUnavailable, "answers to earlier requests of yours are not read yet: read them first"}, strconv.Itoa(int(writeTime / time.Second))
	case errors.Is(err, errStopping), errors.Is(context.Cause(r.Context()), errStopping):
		return &refusal{http.StatusServiceUnavailable, "the runner is stopping: try again in " + retryStopping + " s"}, retryStopping
	case r.Context().Err() != nil:
		// Nobody is there to read it; the status is for the log.
		return &refusal{statusClientGone, "the request was canceled"}, ""
	}
	s.log.Error("request failed", "path", shorten(r.URL.Path, 100), "error", err)
	return &refusal{http.StatusInternalServerError, "the runner could not do this; its log says why"}, ""
}

// fail answers a request that came to nothing.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	s.refuse(w, s.failure(w, r, err))
}

// failAsText is fail for paths whose clients know no JSON.
func (s *server) failAsText(w http.ResponseWriter, r *http.Request, err error) {
	refused := s.failure(w, r, err)
	http.Error(w, strings.ToUpper(refused.message[:1])+refused.message[1:], refused.status)
}

// failure is refusalOf, with the header that says when to try again.
func (s *server) failure(w http.ResponseWriter, r *http.Request, err error) *refusal {
	refused, retry := s.refusalOf(r, err)
	if retry != "" {
		w.Header().Set("Retry-After", retry)
	}
	return refused
}

// failSite answers a request for a page that cannot be read.
func (s *server) failSite(w http.ResponseWriter, _ *http.Request, err error) {
	s.log.Error("read the site", "error", err)
	s.refuse(w, &refusal{http.StatusInternalServerError, "the runner could not read this page; its log says why"})
}
