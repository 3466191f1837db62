package main

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"onthestack/runner/cache"
	"onthestack/runner/clients"
)

// A record is what is noted of a request while it is answered.
type record struct {
	client string        // by which the queue tells clients apart
	route  string        // by which it knows how long the request will take
	cache  cache.Outcome // "" where no answer was looked for
	queued atomic.Int64  // nanoseconds that it waited for slots; the task may still be under way when its client has left
}

type recordKey struct{}

// recordOf is the record of the request that ctx belongs to, or an empty one.
func recordOf(ctx context.Context) *record {
	if rec, ok := ctx.Value(recordKey{}).(*record); ok {
		return rec
	}
	return new(record)
}

// logged writes one line a request, and counts it under its route. The line holds no source code: not the body, and not the
// query, which may carry one.
func (s *server) logged(routes *http.ServeMux, next http.Handler) http.Handler {
	names := clients.NewPseudonyms()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &record{client: s.settings.Proxies.Client(r), route: routeOf(routes, r)}
		w2 := &statusRecorder{ResponseWriter: w}
		ended := false
		// A handler that panics has its line too, and then the server's.
		defer func() {
			took := time.Since(start)
			status := cmp.Or(w2.status, http.StatusOK)
			if !ended && w2.status == 0 {
				status = http.StatusInternalServerError
			}
			line := []slog.Attr{
				slog.String("method", shorten(r.Method, 20)), slog.String("path", shorten(r.URL.Path, 100)), slog.Int("status", status),
				slog.Int("bytes", w2.bytes), slog.Int64("ms", took.Milliseconds()), slog.String("client", names.Of(rec.client)),
			}
			if rec.cache != "" {
				line = append(line, slog.String("cache", string(rec.cache)))
			}
			if queued := time.Duration(rec.queued.Load()); queued >= time.Millisecond {
				line = append(line, slog.Int64("queue_ms", queued.Milliseconds()))
			}
			s.log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "request", line...)
			s.metrics.Request(rec.route, status, took)
		}()
		next.ServeHTTP(w2, r.WithContext(context.WithValue(r.Context(), recordKey{}, rec)))
		ended = true
	})
}

// routeOf is the path of the route that answers the request: "/p/{id}" for every shared program, "other" for what there is not.
func routeOf(routes *http.ServeMux, r *http.Request) string {
	_, pattern := routes.Handler(r)
	if _, path, ok := strings.Cut(pattern, " "); ok {
		pattern = path
	}
	switch pattern {
	case "", "/":
		return "other"
	}
	return strings.TrimSuffix(pattern, "{$}")
}

func shorten(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

// A statusRecorder remembers what was answered.
type statusRecorder struct {
	http.ResponseWriter
	status int
	bytes  int
}

// Unwrap serves http.ResponseController.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

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
