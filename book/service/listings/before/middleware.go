package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

type counter = atomic.Int64

// ANCHOR: observe
type contextKey string

// observe gives each request a number and a logger, and counts and logs it.
func (s *service) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		id := fmt.Sprintf("%08x", s.requests.Add(1))
		user := r.Header.Get("X-User")
		log := s.log.With("request", id, "user", user, "method", r.Method, "path", r.URL.Path)
		ctx := context.WithValue(r.Context(), contextKey("request"), id)
		ctx = context.WithValue(ctx, contextKey("user"), user)
		ctx = context.WithValue(ctx, contextKey("log"), log)
		r = r.WithContext(ctx)

		observed := &recorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(observed, r)
		s.metrics.count(map[string]string{
			"method": r.Method, "route": r.Pattern, "status": fmt.Sprint(observed.status),
		})
		log.Info("request", "status", observed.status, "bytes", observed.bytes, "took", time.Since(began))
	})
}

// logger returns the logger of a request.
func logger(ctx context.Context) *slog.Logger {
	if log, ok := ctx.Value(contextKey("log")).(*slog.Logger); ok {
		return log
	}
	return slog.Default()
}

// A recorder records what a handler responds.
type recorder struct {
	http.ResponseWriter
	status, bytes int
}

// ANCHOR_END: observe

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.bytes += n
	return n, err
}

// ANCHOR: metrics
// metrics counts requests by their labels.
type metrics struct {
	mu     sync.Mutex
	counts map[string]int
}

func newMetrics() *metrics { return &metrics{counts: map[string]int{}} }

func (m *metrics) count(labels map[string]string) {
	key := ""
	for _, name := range []string{"method", "route", "status"} {
		if key != "" {
			key += ","
		}
		key += fmt.Sprintf("%s=%q", name, labels[name])
	}
	m.mu.Lock()
	m.counts[key]++
	m.mu.Unlock()
}

// ANCHOR_END: metrics

func (m *metrics) show(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var lines []string
	for labels, n := range m.counts {
		lines = append(lines, fmt.Sprintf("requests{%s} %d\n", labels, n))
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprint(w, line)
	}
}
