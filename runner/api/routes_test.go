package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestUnknownPath(t *testing.T) {
	wantError(t, send(t, "POST", "/nowhere", "", ""), http.StatusNotFound, `there is nothing at "/nowhere"`)
	wantError(t, send(t, "POST", "/api/rooms/K7M2QX/join", "", ""), http.StatusNotFound, "this server has no rooms: start")
	// A request for a page without a route gets the site's 404 page.
	for path, want := range map[string]struct {
		status int
		page   string
	}{"/": {http.StatusOK, "front page"}, "/nowhere": {http.StatusNotFound, "no such page"}} {
		if a := send(t, "GET", path, "", ""); a.status != want.status || !strings.Contains(a.body, want.page) {
			t.Errorf("%s: status %d, %s", path, a.status, a.body)
		}
	}
}

// TestHeaders tests the headers of each path's answers, and which paths pages of other origins may use if all origins
// may.
func TestHeaders(t *testing.T) {
	t.Parallel()
	s := idleServer(t, 1, 1).prepared(t, "fmt")
	allowOrigin(t, s, "*")
	ts := httptest.NewServer(s.handler())
	defer ts.Close()
	for _, c := range []struct {
		method, path string
		status       int
		open         bool
	}{
		{"GET", "/version", http.StatusOK, true},
		{"GET", "/compile", http.StatusMethodNotAllowed, true},
		{"GET", "/vet", http.StatusMethodNotAllowed, true},
		{"GET", "/fmt", http.StatusMethodNotAllowed, true},
		{"POST", "/compile", http.StatusBadRequest, true},
		{"POST", "/vet", http.StatusBadRequest, true},
		{"POST", "/fmt", http.StatusOK, true},
		{"GET", "/check", http.StatusMethodNotAllowed, true},
		{"GET", "/escape", http.StatusMethodNotAllowed, true},
		{"GET", "/step", http.StatusMethodNotAllowed, true},
		{"GET", "/api/exercises", http.StatusOK, true},
		{"GET", "/share", http.StatusMethodNotAllowed, true},
		{"GET", "/p/AAAAAAAAAAA.go", http.StatusNotFound, true},
		{"GET", "/p/AAAAAAAAAAA", http.StatusNotFound, true},
		{"GET", "/_ah/health", http.StatusOK, true},
		{"GET", "/", http.StatusOK, false},
		{"GET", "/book/", http.StatusOK, false},
		{"OPTIONS", "/book/", http.StatusNotFound, false},
		{"GET", "/metrics", http.StatusOK, false},
		{"GET", "/nowhere", http.StatusNotFound, false},
	} {
		origin, exposed := "", ""
		if c.open {
			origin, exposed = "*", "Retry-After, X-Cache"
		}
		a := send(t, c.method, ts.URL+c.path, "", "")
		for header, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": exposed,
			"Access-Control-Allow-Headers": "",
		} {
			if got := a.header.Get(header); a.status != c.status || got != want {
				t.Errorf("%s %s: status %d, want %d; %s: %q, want %q", c.method, c.path, a.status, c.status, header,
					got, want)
			}
		}
		if !c.open {
			continue
		}
		a = send(t, "OPTIONS", ts.URL+c.path, "", "")
		for header, want := range map[string]string{
			"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "Content-Type",
			"Access-Control-Allow-Methods": "GET, POST, OPTIONS",
		} {
			if got := a.header.Get(header); a.status != http.StatusOK || a.body != "" || got != want {
				t.Errorf("preflight of %s: status %d, %q; %s: %q, want %q", c.path, a.status, a.body, header, got, want)
			}
		}
	}
}

// TestMetricsAreNotForAll requests the metrics as another machine would.
func TestMetricsAreNotForAll(t *testing.T) {
	s := idleServer(t, 1, 1)
	get := func(s *Server, remote, forwarded string) int {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.RemoteAddr, r.Host = remote, "localhost:8080"
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, r)
		return w.Code
	}
	for _, c := range []struct {
		remote, forwarded string
		want              int
	}{
		{"127.0.0.1:1234", "", 200}, {"[::1]:1234", "", 200}, {"203.0.113.7:1234", "", 404}, {"127.0.0.1:1234",
			"203.0.113.7",
			404}, {"127.0.0.1:1234", "127.0.0.1", 404},
	} {
		if got := get(s, c.remote, c.forwarded); got != c.want {
			t.Errorf("%s for %q: status %d, want %d", c.remote, c.forwarded, got, c.want)
		}
	}
	s.settings.MetricsAddr = "127.0.0.1:0"
	if got := get(s, "127.0.0.1:1234", ""); got != 404 {
		t.Errorf("with --metrics-addr: status %d", got)
	}
}
