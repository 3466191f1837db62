package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func bookServer(t *testing.T, dir string) *httptest.Server {
	t.Helper()
	s := &server{config: config{book: dir}, log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	ts := httptest.NewServer(s.handler())
	t.Cleanup(ts.Close)
	return ts
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
	ts := bookServer(t, book)
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
		a := send(t, "GET", ts.URL+path, "", "")
		if a.status == http.StatusMovedPermanently || a.status == http.StatusTemporaryRedirect {
			// The mux cleans the path first.
			a = send(t, "GET", ts.URL+a.header.Get("Location"), "", "")
		}
		if a.status != want.status || want.kind != "" && a.header.Get("Content-Type") != want.kind || want.body != "" && a.body != want.body {
			t.Errorf("%s: status %d, %s, %q; want %+v", path, a.status, a.header.Get("Content-Type"), a.body, want)
		}
		if strings.Contains(a.body, "secret") && a.status == 200 {
			t.Errorf("%s shows a file outside the book", path)
		}
	}
	if a := send(t, "GET", ts.URL+"/book/chapter", "", ""); a.status != http.StatusFound || a.header.Get("Location") != "/book/chapter/" {
		t.Errorf("a folder without its slash: status %d to %q", a.status, a.header.Get("Location"))
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
	ts := bookServer(t, dir)
	first := send(t, "GET", ts.URL+"/book/", "", "")
	tag := first.header.Get("ETag")
	if first.header.Get("Cache-Control") != "no-cache" || tag == "" || first.header.Get("Last-Modified") == "" {
		t.Fatalf("headers %v", first.header)
	}
	for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Content-Security-Policy": bookPolicy} {
		if got := first.header.Get(header); got != want {
			t.Errorf("%s: %q", header, got)
		}
	}
	again := func() int {
		r, err := http.NewRequestWithContext(t.Context(), "GET", ts.URL+"/book/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("If-None-Match", tag)
		reply, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		return reply.StatusCode
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
	ts := bookServer(t, filepath.Join(t.TempDir(), "none"))
	a := send(t, "GET", ts.URL+"/book/", "", "")
	if a.status != http.StatusNotFound || !strings.Contains(a.body, "make serve") {
		t.Errorf("status %d: %s", a.status, a.body)
	}
}
