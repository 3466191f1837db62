package api

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestLogLine has one client send the same request twice, and another client send two others.
func TestLogLine(t *testing.T) {
	var log syncBuffer
	s := idleServer(t, 1, 1)
	s.log = slog.New(slog.NewJSONHandler(&log, nil))
	handler := s.handler()
	for _, c := range []struct{ remote, path string }{
		{"203.0.113.7:1", "/check"}, {"203.0.113.7:2", "/check"}, {"203.0.113.8:1", "/version?secret"},
		{"203.0.113.8:1", "/no\nline"},
	} {
		r := httptest.NewRequest("POST", "/",
			strings.NewReader(`{"exercise":"exercise6","files":{"stream.go":"secret"}}`))
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(c.path, "?")
		r.RemoteAddr, r.Host = c.remote, "localhost:8080"
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	type line struct {
		Msg, Method, Path, Client, Cache string
		Status, Bytes                    int
	}
	var lines []line
	for text := range strings.Lines(log.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		lines = append(lines, l)
	}
	if len(lines) != 4 {
		t.Fatalf("%d lines for 4 requests:\n%s", len(lines), &log)
	}
	for i, want := range []line{
		{"request", "POST", "/check", lines[0].Client, "miss", http.StatusOK, lines[0].Bytes},
		{"request", "POST", "/check", lines[0].Client, "hit", http.StatusOK, lines[0].Bytes},
		{"request", "POST", "/version", lines[2].Client, "", http.StatusOK, lines[2].Bytes},
		{"request", "POST", "/no\nline", lines[2].Client, "", http.StatusNotFound, lines[3].Bytes},
	} {
		if lines[i] != want || want.Bytes < 10 {
			t.Errorf("line %d is %+v, want %+v", i, lines[i], want)
		}
	}
	if lines[0].Client == lines[2].Client || strings.Contains(log.String(), "203.0.113") ||
		strings.Contains(log.String(), "secret") {
		t.Errorf("the log has too much or too little:\n%s", &log)
	}
}
