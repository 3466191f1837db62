package api

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/runner/metrics"
	"onthestack/runner/room/roomhttp"
	"onthestack/runner/store"
)

func allowOrigin(t *testing.T, s *Server, list string) {
	t.Helper()
	if err := s.settings.Origins.Set(list); err != nil {
		t.Fatal(err)
	}
}

// withSharing gives the server a store of shared programs.
func withSharing(t *testing.T, s *Server) {
	t.Helper()
	s.store, s.shared = openSnippets(t, store.Limits{Count: 1000, Bytes: 1 << 20})
}

// sendWith sends a request with the headers given as "Name: value".
func sendWith(t *testing.T, method, address, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	reply, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply, string(text)
}

// A siteRequest is a request that a page can make a browser send and that would cost processor time or storage.
type siteRequest struct{ method, path, kind, body string }

// crossSite returns such requests about a program.
func crossSite(program string) []siteRequest {
	form := url.Values{"body": {program}}.Encode()
	return []siteRequest{
		{"POST", "/compile", formType, form},
		{"POST", "/compile", "text/plain", fmt.Sprintf(`{"Body":%q}`, program)},
		{"GET", "/compile?body=package+main", "", ""},
		{"POST", "/vet", formType, form},
		{"POST", "/fmt", formType, form},
		{"POST", "/escape", formType, form},
		{"POST", "/step", formType, form},
		{"POST", "/check", "text/plain", `{"exercise":"exercise6","files":{}}`},
		{"POST", "/share", "text/plain", program},
		{"GET", "/_ah/health", "", ""},
	}
}

// TestForeignPages sends all of these requests as browsers do for pages of other web sites, and tests that the runner
// does no work for them.
func TestForeignPages(t *testing.T) {
	s := idleServer(t, 1, 10)
	withSharing(t, s)
	allowOrigin(t, s, "https://class.example.org")
	ts := httptest.NewServer(s.handler())
	defer ts.Close()
	before := scrape(t, ts.URL)
	for _, page := range [][]string{
		{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"},
		// To an address of a network, over plain http, browsers send no Sec-Fetch-Site.
		{"Origin: https://evil.example"},
		{"Origin: null", "Sec-Fetch-Site: cross-site"},
		{"Origin: null"},
		{"Sec-Fetch-Site: cross-site"}, // an image's
		{"Origin: http://localhost:3000", "Sec-Fetch-Site: same-site"},
		{"Origin: https://class.example.org.evil.example", "Sec-Fetch-Site: cross-site"},
		{"Origin: http://class.example.org", "Sec-Fetch-Site: cross-site"},
		{"Origin: https://class.example.org:8443"},
	} {
		for _, a := range crossSite(hello) {
			reply, text := sendWith(t, a.method, ts.URL+a.path, a.body, append(page, "Content-Type: "+a.kind)...)
			if reply.StatusCode != http.StatusForbidden || reply.Header.Get("Access-Control-Allow-Origin") != "" ||
				reply.Header.Get("Vary") != "Origin" {
				t.Errorf("%s %s of %q: status %d, %v: %s", a.method, a.path, page, reply.StatusCode, reply.Header, text)
			}
			if (a.path == "/share") != strings.HasPrefix(reply.Header.Get("Content-Type"), "text/plain") {
				t.Errorf("%s of %q is refused as %s", a.path, page, reply.Header.Get("Content-Type"))
			}
			reply, _ = sendWith(t, "OPTIONS", ts.URL+a.path, "", append(page, "Access-Control-Request-Method: POST",
				"Access-Control-Request-Headers: content-type")...)
			if reply.StatusCode != http.StatusForbidden || reply.Header.Get("Access-Control-Allow-Origin") != "" ||
				reply.Header.Get("Access-Control-Allow-Methods") != "" {
				t.Errorf("preflight of %s of %q: status %d, %v", a.path, page, reply.StatusCode, reply.Header)
			}
		}
		// The other paths answer, and the browser hides the answer from the page.
		for _, path := range []string{"/version", "/api/exercises", "/p/AAAAAAAAAAA.go"} {
			reply, _ := sendWith(t, "GET", ts.URL+path, "", page...)
			if reply.StatusCode == http.StatusForbidden || reply.Header.Get("Access-Control-Allow-Origin") != "" ||
				reply.Header.Get("Vary") != "Origin" {
				t.Errorf("%s of %q: status %d, %v", path, page, reply.StatusCode, reply.Header)
			}
		}
	}
	after := scrape(t, ts.URL)
	for _, name := range []string{"runner_build_duration_seconds", "runner_run_duration_seconds",
		`runner_queue_wait_seconds{queue="work"}`, `runner_queue_wait_seconds{queue="format"}`} {
		if after[name] != before[name] {
			t.Errorf("%s moved by %v", name, after[name]-before[name])
		}
	}
	if held, err := s.shared.Stats(t.Context()); err != nil || held.Count != 0 {
		t.Errorf("shared: %+v, %v", held, err)
	}
	if _, text := sendWith(t, "POST", ts.URL+"/compile", "", "Origin: https://evil.example"); !strings.Contains(text,
		`pages of \"https://evil.example\" may not use this runner: --allow-origin names the allowed origins`) {
		t.Errorf("it is refused with %s", text)
	}
}

// TestPagesThatMay sends requests as the runner's own pages, as clients other than browsers, and as pages of an
// allowed origin. Their program is answered without being built, because its package is not main.
func TestPagesThatMay(t *testing.T) {
	t.Parallel()
	s := idleServer(t, 1, 10).prepared(t, "fmt")
	withSharing(t, s)
	allowOrigin(t, s, "https://class.example.org,http://localhost:3000")
	ts := httptest.NewServer(s.handler())
	defer ts.Close()
	for _, c := range []struct {
		headers []string
		origin  string // that may read the answer
	}{
		{nil, ""},
		{[]string{"Sec-Fetch-Site: same-origin", "Origin: " + ts.URL}, ""},
		{[]string{"Origin: " + ts.URL}, ""},
		{[]string{"Sec-Fetch-Site: none"}, ""}, // typed by the reader
		{[]string{"Origin: https://class.example.org", "Sec-Fetch-Site: cross-site"}, "https://class.example.org"},
		{[]string{"Origin: http://localhost:3000", "Sec-Fetch-Site: same-site"}, "http://localhost:3000"},
		{[]string{"Origin: http://localhost:3000"}, "http://localhost:3000"},
	} {
		for _, a := range crossSite("package other\n") {
			if strings.HasPrefix(a.path, "/compile?") {
				continue
			}
			reply, text := sendWith(t, a.method, ts.URL+a.path, a.body, append(c.headers, "Content-Type: "+a.kind)...)
			if reply.StatusCode != http.StatusOK || reply.Header.Get("Access-Control-Allow-Origin") != c.origin ||
				reply.Header.Values("Vary")[0] != "Origin" {
				t.Errorf("%s of %q: status %d, %v: %s", a.path, c.headers, reply.StatusCode, reply.Header, text)
			}
			if c.origin == "" {
				continue
			}
			reply, _ = sendWith(t, "OPTIONS", ts.URL+a.path, "", append(c.headers,
				"Access-Control-Request-Method: POST",
				"Access-Control-Request-Headers: content-type")...)
			for header, want := range map[string]string{
				"Access-Control-Allow-Origin": c.origin, "Access-Control-Allow-Headers": "Content-Type",
				"Access-Control-Allow-Methods": "GET, POST, OPTIONS", "Vary": "Origin",
			} {
				if got := reply.Header.Get(header); reply.StatusCode != http.StatusOK || got != want {
					t.Errorf("preflight of %s of %q: status %d; %s: %q, want %q", a.path, c.headers,
						reply.StatusCode, header, got, want)
				}
			}
		}
	}
}

// TestRoomMethods asks, as a browser does for a page of an allowed origin, whether it may send each request of a room.
func TestRoomMethods(t *testing.T) {
	s := idleServer(t, 1, 10)
	allowOrigin(t, s, "https://class.example.org")
	ts := httptest.NewServer(s.handler())
	defer ts.Close()
	for _, o := range roomhttp.Operations() {
		reply, _ := sendWith(t, "OPTIONS", ts.URL+o.Path, "", "Origin: https://class.example.org",
			"Sec-Fetch-Site: cross-site", "Access-Control-Request-Method: "+o.Method,
			"Access-Control-Request-Headers: authorization")
		methods := strings.Split(reply.Header.Get("Access-Control-Allow-Methods"), ", ")
		if reply.StatusCode != http.StatusOK || !slices.Contains(methods, o.Method) {
			t.Errorf("%s %s: status %d, methods %q", o.Method, o.Path, reply.StatusCode, methods)
		}
	}
}

// TestHosts requests the runner by its own names and by others, which a web site may make resolve to its address.
func TestHosts(t *testing.T) {
	for _, c := range []struct {
		addr, allow, trust, host string
		want                     int
	}{
		{"127.0.0.1:8080", "", "", "127.0.0.1:8080", 200},
		{"127.0.0.1:8080", "", "", "localhost:9000", 200}, // through a tunnel
		{"127.0.0.1:8080", "", "", "LOCALHOST.", 200},
		{"127.0.0.1:8080", "", "", "book.localhost:8080", 200},
		{"127.0.0.1:8080", "", "", "[::1]:8080", 200},
		{"127.0.0.1:8080", "", "", "[::1]", 200},
		{"127.0.0.1:8080", "", "", "192.168.1.20:8080", 200}, // no name: it leads nowhere else
		{"127.0.0.1:8080", "", "", "evil.example:8080", 403},
		{"127.0.0.1:8080", "", "", "evil.example", 403},
		{"127.0.0.1:8080", "", "", "127.0.0.1.evil.example:8080", 403},
		{"127.0.0.1:8080", "", "", "localhost.evil.example", 403},
		{"localhost:8080", "", "", "evil.example:8080", 403},
		{"[::1]:8080", "", "", "evil.example:8080", 403},
		{"127.0.0.1:8080", "", "127.0.0.1", "class.example.org", 200}, // a proxy's, as the book sets one up
		{"127.0.0.1:8080", "", "10.0.0.0/8", "class.example.org", 403},
		{"127.0.0.1:8080", "class.example.org", "", "class.example.org:8443", 200},
		{"127.0.0.1:8080", "class.example.org", "127.0.0.1", "class.example.org", 200},
		{"127.0.0.1:8080", "class.example.org", "127.0.0.1", "evil.example", 403},
		{"127.0.0.1:8080", "class.example.org", "", "localhost:8080", 200},
		{"127.0.0.1:8080", "*", "", "evil.example", 200},
		{"0.0.0.0:8080", "", "", "class.example.org", 200}, // nobody knows its names
		{"0.0.0.0:8080", "class.example.org", "", "evil.example", 403},
		{"0.0.0.0:8080", "class.example.org", "", "192.168.1.20:8080", 200},
	} {
		s := &Server{release: goRelease{Version: "go1.26"}, log: slog.New(slog.DiscardHandler),
			metrics: metrics.New("", nil)}
		s.settings.Addr, s.settings.Site = c.addr, filepath.Join("testdata", "site")
		for flag, value := range map[interface{ Set(string) error }]string{&s.settings.Hosts: c.allow,
			&s.settings.Proxies: c.trust} {
			if err := flag.Set(value); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{"/version", "/"} {
			r := httptest.NewRequest("GET", path, nil)
			r.Host, r.RemoteAddr = c.host, "127.0.0.1:1234"
			w := httptest.NewRecorder()
			s.handler().ServeHTTP(w, r)
			if w.Code != c.want || c.want == 403 && !strings.Contains(w.Body.String(), "--allow-host") {
				t.Errorf("%s at %s, which knows %q and trusts %q, asked for as %s: status %d, want %d: %s", path,
					c.addr, c.allow,
					c.trust, c.host, w.Code, c.want, w.Body)
			}
		}
	}
}

// TestMetricsByName requests the metrics' own listener as a web site would whose name resolves to this machine.
func TestMetricsByName(t *testing.T) {
	s := idleServer(t, 1, 1)
	s.settings.MetricsAddr = "127.0.0.1:0"
	ts := startServer(t, s.metricsServer().Handler)
	for host, want := range map[string]int{"localhost:9090": 200, "evil.example": 403} {
		if reply, _ := sendWith(t, "GET", ts.URL+"/metrics", "", "Host: "+host); reply.StatusCode != want {
			t.Errorf("%s: status %d, want %d", host, reply.StatusCode, want)
		}
	}
}
