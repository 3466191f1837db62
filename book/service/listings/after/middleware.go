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
// A request is what the service knows of a request, and records what a handler
// responds.
type request struct {
	http.ResponseWriter
	status, bytes int
	id            int64
	user          string
	log           *slog.Logger
}

type contextKey struct{}

// observe gives each request a number, and counts and logs it.
func (s *service) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		q := &request{
			ResponseWriter: w, status: http.StatusOK, id: s.requests.Add(1),
			user: r.Header.Get("X-User"), log: s.log,
		}
		r = r.WithContext(context.WithValue(r.Context(), contextKey{}, q))
		next.ServeHTTP(q, r)
		s.metrics.count(labels{r.Method, r.Pattern, q.status})
		s.log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.Int64("request", q.id),
			slog.String("user", q.user), slog.String("method", r.Method),
			slog.String("path", r.URL.Path), slog.Int("status", q.status),
			slog.Int("bytes", q.bytes), slog.Duration("took", time.Since(began)))
	})
}

// requestOf returns the request that a context belongs to.
func requestOf(ctx context.Context) *request { return ctx.Value(contextKey{}).(*request) }

// ANCHOR_END: observe

func (q *request) WriteHeader(status int) {
	q.status = status
	q.ResponseWriter.WriteHeader(status)
}

func (q *request) Write(p []byte) (int, error) {
	n, err := q.ResponseWriter.Write(p)
	q.bytes += n
	return n, err
}

// ANCHOR: metrics
// labels tell the requests apart that metrics counts.
type labels struct {
	method, route string
	status        int
}

// metrics counts requests by their labels.
type metrics struct {
	mu     sync.Mutex
	counts map[labels]int
}

func newMetrics() *metrics { return &metrics{counts: map[labels]int{}} }

func (m *metrics) count(l labels) {
	m.mu.Lock()
	m.counts[l]++
	m.mu.Unlock()
}

// ANCHOR_END: metrics

func (m *metrics) show(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var lines []string
	for l, n := range m.counts {
		lines = append(lines, fmt.Sprintf("requests{method=%q,route=%q,status=\"%d\"} %d\n", l.method, l.route,
			l.status, n))
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprint(w, line)
	}
}
