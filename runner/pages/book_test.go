package pages

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func bookMux(dir string) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /book/", Book(dir, failTo(slog.New(slog.DiscardHandler))))
	return mux
}

func TestBook(t *testing.T) {
	root := t.TempDir()
	book := filepath.Join(root, "book")
	for name, text := range map[string]string{
		"secret.html": "secret", "book/index.html": "first page", "book/404.html": "no such page", "book/chapter/index.html": "a chapter",
		"book/app.js": "js", "book/app.css": "css", "book/a.svg": "svg", "book/a.woff2": "font", "book/a.json": "{}", "book/a.wasm": "wasm",
		"book/a.unknown": "?", "book/files/a.txt": "text",
	} {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mux := bookMux(book)
	for path, want := range map[string]struct {
		status     int
		kind, body string
	}{
		"/book/":                                {200, "text/html; charset=utf-8", "first page"},
		"/book/index.html":                      {200, "text/html; charset=utf-8", "first page"},
		"/book/chapter/":                        {200, "text/html; charset=utf-8", "a chapter"},
		"/book/app.js":                          {200, "text/javascript; charset=utf-8", "js"},
		"/book/app.css":                         {200, "text/css; charset=utf-8", "css"},
		"/book/a.svg":                           {200, "image/svg+xml", "svg"},
		"/book/a.woff2":                         {200, "font/woff2", "font"},
		"/book/a.json":                          {200, "application/json", "{}"},
		"/book/a.wasm":                          {200, "application/wasm", "wasm"},
		"/book/a.unknown":                       {200, "application/octet-stream", "?"},
		"/book/files/":                          {404, "text/html; charset=utf-8", "no such page"},
		"/book/none.html":                       {404, "text/html; charset=utf-8", "no such page"},
		"/book/%2e%2e/secret.html":              {404, "", ""},
		"/book/..%2fsecret.html":                {404, "", ""},
		"/book/x%00":                            {404, "text/html; charset=utf-8", "no such page"},
		"/book/chapter%5c..%5c..%5csecret.html": {404, "text/html; charset=utf-8", "no such page"},
	} {
		a := ask(mux, "GET", path, nil)
		if a.Code == http.StatusMovedPermanently || a.Code == http.StatusTemporaryRedirect {
			// The mux cleans the path first.
			a = ask(mux, "GET", a.Header().Get("Location"), nil)
		}
		if a.Code != want.status || want.kind != "" && a.Header().Get("Content-Type") != want.kind || want.body != "" && a.Body.String() != want.body {
			t.Errorf("%s: status %d, %s, %q; want %+v", path, a.Code, a.Header().Get("Content-Type"), a.Body, want)
		}
		if strings.Contains(a.Body.String(), "secret") && a.Code == 200 {
			t.Errorf("%s shows a file outside the book", path)
		}
	}
	if a := ask(mux, "GET", "/book/chapter", nil); a.Code != http.StatusFound || a.Header().Get("Location") != "/book/chapter/" {
		t.Errorf("a folder without its slash: status %d to %q", a.Code, a.Header().Get("Location"))
	}
}

func TestBookIsRevalidated(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "index.html")
	write := func(text string) {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	mux := bookMux(dir)
	first := ask(mux, "GET", "/book/", nil)
	tag := first.Header().Get("ETag")
	if first.Header().Get("Cache-Control") != "no-cache" || tag == "" || first.Header().Get("Last-Modified") == "" {
		t.Fatalf("headers %v", first.Header())
	}
	if got := first.Header().Get("Content-Security-Policy"); got != bookPolicy {
		t.Errorf("Content-Security-Policy: %q", got)
	}
	again := func() int {
		r := httptest.NewRequest("GET", "/book/", nil)
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

func TestBookIsMissing(t *testing.T) {
	mux := bookMux(filepath.Join(t.TempDir(), "none"))
	a := ask(mux, "GET", "/book/", nil)
	if a.Code != http.StatusNotFound || !strings.Contains(a.Body.String(), "make serve") {
		t.Errorf("status %d: %s", a.Code, a.Body)
	}
}

// TestBookFails asks for a file that is there and cannot be read.
func TestBookFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("page.html", filepath.Join(dir, "page.html")); err != nil {
		t.Fatal(err)
	}
	if a := ask(bookMux(dir), "GET", "/book/page.html", nil); a.Code != http.StatusTeapot {
		t.Errorf("status %d: %s", a.Code, a.Body)
	}
}
