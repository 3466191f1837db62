package site

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func siteMux(dir string) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/", Files(os.DirFS(dir), failTo(slog.New(slog.DiscardHandler))))
	return mux
}

func TestSite(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"secret.html": "secret", "site/index.html": "front page", "site/404.html": "no such page",
		"site/exercises/index.html": "exercises",
		"site/book/index.html":      "first page", "site/book/chapter/index.html": "a chapter",
		"site/app.js": "js", "site/app.css": "css", "site/a.svg": "svg", "site/a.woff2": "font", "site/a.json": "{}",
		"site/engine/manifest.json": "{}", "site/engine/a.wasm": "wasm", "site/engine/a.wasm.gz": "packed",
		"site/engine/a.pack": "archives",
		"site/a.pdf":         "pdf", "site/a.png": "png", "site/index.xml": "feed", "site/a.unknown": "?",
		"site/files/a.txt": "text",
	} {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mux := siteMux(filepath.Join(root, "site"))
	const html = "text/html; charset=utf-8"
	for path, want := range map[string]struct {
		status             int
		kind, body, policy string
	}{
		"/":                                {200, html, "front page", PagePolicy},
		"/index.html":                      {200, html, "front page", PagePolicy},
		"/exercises/":                      {200, html, "exercises", PagePolicy},
		"/book/":                           {200, html, "first page", PagePolicy},
		"/book/index.html":                 {200, html, "first page", PagePolicy},
		"/book/chapter/":                   {200, html, "a chapter", PagePolicy},
		"/app.js":                          {200, "text/javascript; charset=utf-8", "js", filePolicy},
		"/app.css":                         {200, "text/css; charset=utf-8", "css", filePolicy},
		"/a.svg":                           {200, "image/svg+xml", "svg", filePolicy},
		"/a.woff2":                         {200, "font/woff2", "font", filePolicy},
		"/a.json":                          {200, "application/json", "{}", filePolicy},
		"/engine/manifest.json":            {200, "application/json", "{}", filePolicy},
		"/engine/a.wasm":                   {200, "application/wasm", "wasm", filePolicy},
		"/engine/a.wasm.gz":                {200, "application/octet-stream", "packed", filePolicy},
		"/engine/a.pack":                   {200, "application/octet-stream", "archives", filePolicy},
		"/a.pdf":                           {200, "application/pdf", "pdf", filePolicy},
		"/a.png":                           {200, "image/png", "png", filePolicy},
		"/index.xml":                       {200, "text/xml; charset=utf-8", "feed", filePolicy},
		"/a.unknown":                       {200, "application/octet-stream", "?", filePolicy},
		"/files/":                          {404, html, "no such page", PagePolicy},
		"/none.html":                       {404, html, "no such page", PagePolicy},
		"/bookish":                         {404, html, "no such page", PagePolicy},
		"/book/none.html":                  {404, html, "no such page", PagePolicy},
		"/%2e%2e/secret.html":              {404, "", "", ""},
		"/..%2fsecret.html":                {404, "", "", ""},
		"/book/..%2f..%2fsecret.html":      {404, "", "", ""},
		"/book/x%00":                       {404, html, "no such page", PagePolicy},
		"/chapter%5c..%5c..%5csecret.html": {404, html, "no such page", PagePolicy},
	} {
		a := ask(mux, "GET", path, nil)
		if a.Code == http.StatusMovedPermanently || a.Code == http.StatusTemporaryRedirect {
			// The mux cleans the path first.
			a = ask(mux, "GET", a.Header().Get("Location"), nil)
		}
		h := a.Header()
		if a.Code != want.status || want.kind != "" && h.Get("Content-Type") != want.kind || want.body != "" &&
			a.Body.String() != want.body ||
			want.policy != "" && h.Get("Content-Security-Policy") != want.policy {
			t.Errorf("%s: status %d, %s, %q, %s; want %+v", path, a.Code, h.Get("Content-Type"), a.Body,
				h.Get("Content-Security-Policy"), want)
		}
		if strings.Contains(a.Body.String(), "secret") && a.Code == 200 {
			t.Errorf("%s shows a file outside the site", path)
		}
	}
	if a := ask(mux, "GET", "/book/chapter", nil); a.Code != http.StatusFound ||
		a.Header().Get("Location") != "./chapter/" {
		t.Errorf("a folder without its slash: status %d to %q", a.Code, a.Header().Get("Location"))
	}
}

func TestSiteIsRevalidated(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	write := func(text string) {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	mux := siteMux(dir)
	first := ask(mux, "GET", "/page.html", nil)
	tag := first.Header().Get("ETag")
	if first.Header().Get("Cache-Control") != "no-cache" || tag == "" || first.Header().Get("Last-Modified") == "" {
		t.Fatalf("headers %v", first.Header())
	}
	if got := first.Header().Get("Content-Security-Policy"); got != PagePolicy {
		t.Errorf("Content-Security-Policy: %q", got)
	}
	again := func() int {
		r := httptest.NewRequest("GET", "/page.html", nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w.Code
	}
	if status := again(); status != http.StatusNotModified {
		t.Errorf("unchanged: status %d", status)
	}
	write("three")
	if status := again(); status != http.StatusOK {
		t.Errorf("changed: status %d", status)
	}
}

func TestSiteIsMissing(t *testing.T) {
	mux := siteMux(filepath.Join(t.TempDir(), "none"))
	a := ask(mux, "GET", "/book/", nil)
	if a.Code != http.StatusNotFound || !strings.Contains(a.Body.String(), "make serve") {
		t.Errorf("status %d: %s", a.Code, a.Body)
	}
}

// TestSiteFails requests a file that exists but cannot be read.
func TestSiteFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("page.html", filepath.Join(dir, "page.html")); err != nil {
		t.Fatal(err)
	}
	if a := ask(siteMux(dir), "GET", "/page.html", nil); a.Code != http.StatusTeapot {
		t.Errorf("status %d: %s", a.Code, a.Body)
	}
}

// writeAged writes a file with the given modification time.
func writeAged(t *testing.T, name, text string, when time.Time) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, when, when); err != nil {
		t.Fatal(err)
	}
}

func TestSiteCompressed(t *testing.T) {
	dir, then := t.TempDir(), time.Now().Add(-time.Hour)
	write := func(name, text string, when time.Time) { writeAged(t, filepath.Join(dir, name), text, when) }
	write("both.css", "plain", then)
	write("both.css.br", "brotli", then)
	write("both.css.gz", "gzip", then.Add(time.Second))
	write("old.css", "plain", then)
	write("old.css.br", "brotli of another file", then.Add(-time.Second))
	write("none.css", "plain", then)
	write("link-0123abcd.wasm", "plain", then)
	write("link-0123abcd.wasm.br", "brotli", then)
	write("link-0123abcd.wasm.gz", "gzip", then)
	mux := siteMux(dir)
	get := func(path, accept, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Encoding", accept)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w
	}
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".wasm": "application/wasm",
		".gz": "application/octet-stream"}
	tags := map[string]string{}
	for _, c := range []struct{ path, accept, coding, body string }{
		{"/both.css", "", "", "plain"},
		{"/both.css", "gzip, deflate, br, zstd", "br", "brotli"},
		{"/both.css", "gzip, deflate", "gzip", "gzip"},
		{"/both.css", "GZIP;q=0.5", "gzip", "gzip"},
		{"/both.css", "br;q=0, gzip", "gzip", "gzip"},
		{"/both.css", "br; q=0.0, gzip;q=0", "", "plain"},
		{"/both.css", "*", "br", "brotli"},
		{"/both.css", "*;q=0", "", "plain"},
		{"/both.css", "br;q=0, *", "gzip", "gzip"},
		{"/both.css", "br;q=many", "", "plain"},
		{"/both.css", "identity", "", "plain"},
		{"/old.css", "br, gzip", "", "plain"},
		{"/none.css", "br, gzip", "", "plain"},
		{"/link-0123abcd.wasm", "gzip, br", "br", "brotli"},
		{"/link-0123abcd.wasm", "gzip", "gzip", "gzip"},
		{"/link-0123abcd.wasm", "", "", "plain"},
		{"/link-0123abcd.wasm.gz", "gzip, br", "", "gzip"},
	} {
		a := get(c.path, c.accept, "")
		h := a.Header()
		if a.Code != 200 || a.Body.String() != c.body || h.Get("Content-Encoding") != c.coding ||
			h.Get("Vary") != "Accept-Encoding" ||
			h.Get("Content-Type") != kinds[filepath.Ext(c.path)] {
			t.Errorf("%s to %q: status %d, %q, %v; want %q in coding %q", c.path, c.accept, a.Code, a.Body, h, c.body,
				c.coding)
		}
		if again := get(c.path, c.accept, h.Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s to %q again: status %d, %q", c.path, c.accept, again.Code, again.Body)
		}
		if c.path == "/both.css" {
			if other, ok := tags[h.Get("ETag")]; ok && other != c.coding {
				t.Errorf("ETag %s stands for coding %q and for %q", h.Get("ETag"), other, c.coding)
			}
			tags[h.Get("ETag")] = c.coding
		}
	}
	if len(tags) != 3 {
		t.Errorf("ETags %v, want one a coding", tags)
	}
}

func TestSiteIsKept(t *testing.T) {
	dir := t.TempDir()
	const hash = "743c5da2079f60b81472f239be5ef2ecbb5248e8d35a555bd87e4a7877f5b227"
	mux := siteMux(dir)
	for name, kept := range map[string]bool{
		"site." + hash + ".css": true, "site.min." + hash + ".js": true, "book-609e4cb8.js": true,
		"mark-09e88c2c.min.js": true, "editor-Q7KX2MBA.js": true,
		"open-sans-v17-all-charsets-300-7736aa35.woff2": true, "card.1234abcd.png": true,
		"compile-0123abcd.wasm": true, "std-0123abcd.pack": true, "wasm_exec-0123abcd.js": true,
		"link-0123abcd.wasm.gz": true, "std-0123abcd.pack.br": true,
		"compile.wasm": false, "manifest.json": false, "compile.wasm.gz": false, "x-0123abcd.gz": false,
		"editor.js": false, "page-609e4cb8.html": false, "609e4cb8.js": false, "x-609e4cb.js": false,
		"x-609E4CB8.js":          false,
		"x-609e4cb8.json":        false,
		"x." + hash[1:] + ".css": false,
	} {
		writeAged(t, filepath.Join(dir, name), "text", time.Now())
		a := ask(mux, "GET", "/"+name, nil)
		if got := a.Header().Get("Cache-Control"); a.Code != 200 || strings.Contains(got, "immutable") != kept ||
			!kept &&
				got != "no-cache" {
			t.Errorf("%s: status %d, Cache-Control: %s", name, a.Code, got)
		}
	}
	if a := ask(mux, "GET", "/none."+hash+".css", nil); a.Code != 404 || a.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("a missing file: status %d, Cache-Control: %s", a.Code, a.Header().Get("Cache-Control"))
	}
}

// failTo logs errors and answers with a status that only it uses.
func failTo(log *slog.Logger) func(http.ResponseWriter, *http.Request, error) {
	return func(w http.ResponseWriter, _ *http.Request, err error) {
		log.Error("failed", "error", err)
		http.Error(w, "failed", http.StatusTeapot)
	}
}

// ask sends a request to a handler.
func ask(h http.Handler, method, path string, body io.Reader) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, body))
	return w
}
