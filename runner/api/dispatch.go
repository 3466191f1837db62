package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"onthestack/runner/clients"
	"onthestack/runner/jobs"
)

// dispatch answers every request: it makes the request's job, admits or refuses the request, and passes it to its
// endpoint. Afterwards it logs the request and counts it under its route.
func (s *Server) dispatch(mux *http.ServeMux) http.Handler {
	names := clients.NewPseudonyms()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		handler, pattern := mux.Handler(r)
		j := &jobs.Job{Client: s.client(r), Kind: routeOf(pattern)}
		response := &statusRecorder{ResponseWriter: w}
		returned := false
		// Deferred, so that a request whose handler panics is logged too.
		defer func() {
			if !returned && response.status == 0 {
				response.status = http.StatusInternalServerError
			}
			s.record(r, j, response, names.Of(j.Client), time.Since(start))
		}()
		if s.inflight.enter() {
			defer s.inflight.leave()
			if s.admit(response, r) {
				if e, ok := handler.(endpoint); ok {
					e(response, r, j)
				} else {
					mux.ServeHTTP(response, r)
				}
			}
		} else {
			// The request came on a connection that was open already. New connections are refused by then.
			w.Header().Set("Connection", "close")
			s.fail(response, r, errStopping)
		}
		returned = true
	})
}

// admit reports whether a request may be answered. If not, it has sent the refusal, or the answer to a preflight
// request.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	setSecurityHeaders(w)
	if refused := s.checkHost(s.settings.Addr, r); refused != nil {
		s.deny(w, r, refused)
		return false
	}
	return s.checkOrigin(w, r)
}

// record logs a request and counts it. The log has no source code: not the body, and not the query, which may contain a
// program.
func (s *Server) record(r *http.Request, j *jobs.Job, response *statusRecorder, client string, took time.Duration) {
	status := cmp.Or(response.status, http.StatusOK)
	line := []slog.Attr{
		slog.String("method", shorten(r.Method, 20)), slog.String("path", shorten(r.URL.Path, 100)),
		slog.Int("status", status),
		slog.Int("bytes", response.bytes), slog.Int64("ms", took.Milliseconds()), slog.String("client", client),
	}
	if j.CacheStatus != "" {
		line = append(line, slog.String("cache", string(j.CacheStatus)))
	}
	if j.QueueTime >= time.Millisecond {
		line = append(line, slog.Int64("queue_ms", j.QueueTime.Milliseconds()))
	}
	s.log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "request", line...)
	s.metrics.Request(j.Kind, status, took)
}

// routeOf returns the path of a route's pattern: "/p/" for every shared program, "other" for pages and for paths
// without a route.
func routeOf(pattern string) string {
	if _, path, ok := strings.Cut(pattern, " "); ok {
		pattern = path
	}
	switch pattern {
	case "", "/":
		return "other"
	}
	return pattern
}

// shorten truncates s to n bytes and appends an ellipsis. Shorter text is returned unchanged.
func shorten(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

// A statusRecorder notes the status and the size of an answer.
type statusRecorder struct {
	http.ResponseWriter
	status int
	bytes  int
}

// Unwrap is for http.ResponseController.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush is for the package that compresses answers, which does not unwrap.
func (r *statusRecorder) Flush() { http.NewResponseController(r.ResponseWriter).Flush() }

func (r *statusRecorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *statusRecorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.bytes += n
	return n, err
}
