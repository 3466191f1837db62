package main

import (
	"cmp"
	"net/http"
	"time"
)

// logged writes one line a request. It holds no source code: not the body, and not the query, which may carry one.
func (s *server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &statusRecorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		s.log.Info("request", "method", shorten(r.Method, 20), "path", shorten(r.URL.Path, 100), "status", cmp.Or(rec.status, http.StatusOK),
			"bytes", rec.bytes, "ms", time.Since(start).Milliseconds())
	})
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
