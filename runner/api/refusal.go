package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"onthestack/runner/jobs"
	"onthestack/runner/request"
)

// refuse answers a request with a refusal, as JSON.
func (s *Server) refuse(w http.ResponseWriter, r *request.Refusal) {
	s.reply(w, r.Status, errorAnswer{r.Message})
}

// unable returns the refusal of a server that cannot build and run programs. The status tells pages to do it
// themselves: asking again is of no use.
func (s *Server) unable() *request.Refusal {
	return request.Refuse(http.StatusNotImplemented, "this server does not check or run programs: "+s.unavailable)
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
	var full *jobs.Full
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
