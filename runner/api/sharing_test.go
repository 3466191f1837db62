package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"onthestack/runner/metrics"
	"onthestack/runner/store"
)

// newHandlers returns a server with a store of its own, the mux that leads to it, and its log.
func newHandlers(t testing.TB, limits store.Limits) (s *Server, mux *http.ServeMux, log *bytes.Buffer) {
	t.Helper()
	_, shared := openSnippets(t, limits)
	log = new(bytes.Buffer)
	s = sharingServer(shared, log)
	return s, playMux(s), log
}

// sharingServer returns a server that does no more than share programs.
func sharingServer(shared *store.Snippets, log io.Writer) *Server {
	s := &Server{shared: shared, log: slog.New(slog.NewTextHandler(log, nil)), metrics: metrics.New("", nil)}
	s.settings.Pages = fstest.MapFS{"play/index.html": {Data: []byte(builtPage)}}
	return s
}

func playMux(s *Server) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/share", s.share)
	mux.HandleFunc("/p/", s.snippet)
	return mux
}

var someSnippets = store.Limits{Count: 100, Bytes: 1 << 20}

func ask(h http.Handler, method, path string, body io.Reader) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, body))
	return w
}

// These requests have the same answers at play.golang.org.
func TestShareProtocol(t *testing.T) {
	const stored = "Snippy McSnipface"
	_, mux, log := newHandlers(t, someSnippets)
	large := strings.Repeat("x", store.MaxBody+1)
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		want                     string // the whole body
		header                   map[string]string
	}{
		{"by GET", "GET", "/share", "", 405, "Requires POST\n", map[string]string{"Allow": "POST, OPTIONS"}},
		{"by PUT", "PUT", "/share", "x", 405, "Requires POST\n", nil},
		{"a program", "POST", "/share", stored, 200, "N_M_YelfGeR",
			map[string]string{"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"}},
		{"the same again", "POST", "/share", stored, 200, "N_M_YelfGeR", nil},
		{"nothing", "POST", "/share", "", 200, "UCPdVNrl0-P", nil},
		{"not UTF-8", "POST", "/share", "\xff\x00\r\n", 200, "UdgOOEeCHl1", nil},
		{"as large as may be", "POST", "/share", large[1:], 200, "nHr4nnGIVAC", nil},
		{"larger", "POST", "/share", large, 413, "Snippet is too large\n", nil},

		{"unknown", "GET", "/p/foo.go", "", 404, "Snippet not found\n", map[string]string{"Cache-Control": "no-store"}},
		{"unknown and well formed", "GET", "/p/AAAAAAAAAAA.go", "", 404, "Snippet not found\n", nil},
		{"without an id", "GET", "/p/.go", "", 404, "Snippet not found\n", nil},
		{"with more", "GET", "/p/N_M_YelfGeR/x.go", "", 404, "Snippet not found\n", nil},
		{"text", "GET", "/p/N_M_YelfGeR.go", "", 200, stored,
			map[string]string{"Content-Type": "text/plain; charset=utf-8",
				"Content-Disposition":    "",
				"X-Content-Type-Options": "nosniff", "ETag": `"N_M_YelfGeR"`,
				"Cache-Control": "public, max-age=31536000, immutable"}},
		{"file", "GET", "/p/N_M_YelfGeR.go?download=true", "", 200, stored,
			map[string]string{"Content-Type": "text/plain; charset=utf-8",
				"Content-Disposition": `attachment; filename="N_M_YelfGeR.go"`}},
		{"no file", "GET", "/p/N_M_YelfGeR.go?download=1", "", 200, stored,
			map[string]string{"Content-Disposition": ""}},
		{"text of nothing", "GET", "/p/UCPdVNrl0-P.go", "", 200, "",
			map[string]string{"Content-Type": "text/plain; charset=utf-8"}},
		{"text not UTF-8", "GET", "/p/UdgOOEeCHl1.go", "", 200, "\xff\x00\r\n", nil},
		{"head", "HEAD", "/p/N_M_YelfGeR.go", "", 200, "", map[string]string{"Content-Length": "17"}},
		{"by POST", "POST", "/p/N_M_YelfGeR.go", "x", 405, "Requires GET\n",
			map[string]string{"Allow": "GET, HEAD, OPTIONS"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := ask(mux, c.method, c.path, strings.NewReader(c.body))
			if w.Code != c.status || w.Body.String() != c.want {
				t.Errorf("status %d, %.80q; want %d, %.80q", w.Code, w.Body, c.status, c.want)
			}
			for name, want := range c.header {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
	if log.Len() > 0 {
		t.Errorf("logged:\n%s", log)
	}
}

func TestSnippetIsCached(t *testing.T) {
	_, mux, _ := newHandlers(t, someSnippets)
	id := ask(mux, "POST", "/share", strings.NewReader("x")).Body.String()
	r := httptest.NewRequest("GET", "/p/"+id+".go", nil)
	r.Header.Set("If-None-Match", `"`+id+`"`)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	if w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("status %d, %q", w.Code, w.Body)
	}
}

func TestShareRefused(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	open := func(limits store.Limits) *store.Snippets {
		_, shared := openSnippets(t, limits)
		return shared
	}
	in, closed := openSnippets(t, someSnippets)
	in.Close()
	full := open(store.Limits{Count: 0, Bytes: 100})
	whole := open(someSnippets)
	crowded := open(store.Limits{Count: 100, Bytes: 1000, ClientBytes: 2})
	hasty := open(store.Limits{Count: 100, Bytes: 1000, ClientRate: 1})
	const client = "192.0.2.1" // of package httptest's requests
	if _, err := hasty.Put(t.Context(), client, []byte("first")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		shared *store.Snippets
		ctx    context.Context
		body   io.Reader
		status int
		want   string
		logged string // a part; "" for nothing
	}{
		"off": {nil, t.Context(), strings.NewReader("x"), 501, "This runner stores no programs", ""},
		"full": {full, t.Context(), strings.NewReader("x"), 507, "no room for more shared programs",
			"it holds 0 snippets, of at most 0"},
		"crowded": {crowded, t.Context(), strings.NewReader("xyz"), 507,
			"This runner cannot store more programs from your address: ask its owner to make room\n",
			"it has 0 snippets, of at most 0, with 0 bytes, of at most 2"},
		"hasty": {hasty, t.Context(), strings.NewReader("second"), 429,
			"This runner stores up to 1 new programs a minute from one address: share again in ",
			"the client stores more than 1 new snippets in a minute"},
		"broken": {whole, t.Context(), iotest.ErrReader(errors.New("reset")), 400, "did not arrive whole", ""},
		"cut off": {whole, t.Context(), io.MultiReader(strings.NewReader("pack"),
			iotest.ErrReader(io.ErrUnexpectedEOF)), 400, "did not arrive whole", ""},
		"canceled": {whole, canceled, strings.NewReader("never stored"), statusClientGone,
			"The request was canceled", ""},
		"failing": {closed, t.Context(), strings.NewReader("x"), http.StatusInternalServerError,
			"The runner could not do this", "connection closed"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			s := sharingServer(c.shared, &log)
			w := httptest.NewRecorder()
			playMux(s).ServeHTTP(w, httptest.NewRequest("POST", "/share", c.body).WithContext(c.ctx))
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) ||
				strings.Contains(w.Body.String(), os.TempDir()) {
				t.Errorf("status %d, %q; want %d, %q", w.Code, w.Body, c.status, c.want)
			}
			if !strings.Contains(log.String(), c.logged) || (c.logged == "") != (log.Len() == 0) {
				t.Errorf("logged %q, want %q", &log, c.logged)
			}
			counts := ask(s.metrics.Handler(), "GET", "/metrics", nil).Body.String()
			limited := regexp.MustCompile(`runner_limits_total\{limit="snippets\w*"\} 1`).FindAllString(counts, -1)
			if want := w.Code == 507 || w.Code == 429; want != (len(limited) == 1) || len(limited) > 1 {
				t.Errorf("counted is %q", limited)
			}
			if retry := w.Header().Get("Retry-After"); (retry != "") != (c.status == 429) {
				t.Errorf("Retry-After: %q", retry)
			}
		})
	}
	if held, err := whole.Stats(t.Context()); err != nil || held.Count != 0 {
		t.Errorf("stored although the body did not arrive: %+v, %v", held, err)
	}
	off := playMux(sharingServer(nil, io.Discard))
	for path, want := range map[string]string{"/p/N_M_YelfGeR.go": "Snippet not found\n",
		"/p/N_M_YelfGeR": "Snippet not found"} {
		if w := ask(off, "GET", path, nil); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s without a store: status %d, %s", path, w.Code, w.Body)
		}
	}
	failing := playMux(sharingServer(closed, io.Discard))
	for _, path := range []string{"/p/N_M_YelfGeR.go", "/p/N_M_YelfGeR"} {
		if w := ask(failing, "GET", path, nil); w.Code != http.StatusInternalServerError {
			t.Errorf("%s from a failing store: status %d, %s", path, w.Code, w.Body)
		}
	}
}

// Readers who share and open programs at the same time, over real connections, each get their own program.
func TestShareTogether(t *testing.T) {
	_, mux, _ := newHandlers(t, someSnippets)
	ts := httptest.NewServer(mux)
	defer ts.Close()
	text := func(resp *http.Response, err error) (string, error) {
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			program := strings.Repeat("// a line\n", i/2+1) // each from two readers
			id, err := text(http.Post(ts.URL+"/share", "text/plain", strings.NewReader(program)))
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := text(http.Get(ts.URL + "/p/" + id + ".go")); err != nil || got != program {
				t.Errorf("%s: %q, %v", id, got, err)
			}
		})
	}
	wg.Wait()
}
