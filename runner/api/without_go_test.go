package api

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"onthestack/internal/build"
	"onthestack/runner/settings"
)

// withoutGo leaves no more of PATH than a shell, with which the server bounds the memory of a process.
func withoutGo(t *testing.T) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(shell, filepath.Join(bin, "sh")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
}

// TestWithoutGo has a server on a machine without Go: it serves the site and shares programs, and refuses the rest.
func TestWithoutGo(t *testing.T) {
	withoutGo(t)
	set := testSettings(1, 1)
	set.Data = t.TempDir()
	set.Pages = fstest.MapFS{"index.html": {Data: []byte("<p>The workbook")}}
	open := func(change func(*settings.Settings)) (*Server, error) {
		set := set
		change(&set)
		return New(set, sealedExercises(), nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	}
	for name, change := range map[string]func(*settings.Settings){
		"the runner": func(*settings.Settings) {},
		"a room":     func(s *settings.Settings) { s.GoOptional, s.Room = true, true },
	} {
		if s, err := open(change); !errors.Is(err, build.ErrNoGo) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	s, err := open(func(s *settings.Settings) { s.GoOptional = true })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	built := make(chan struct{})
	s.warm(t.Context(), built) // does nothing
	const lacks = "the go command is not on PATH: install Go "
	if says := s.Checks(); !strings.Contains(says, lacks) {
		t.Errorf("it says %q", says)
	}
	handler := s.handler()
	ask := func(method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for _, path := range []string{"/check", "/compile", "/vet", "/escape", "/_ah/health"} {
		if w := ask("POST", path, "{}"); w.Code != http.StatusNotImplemented ||
			!strings.Contains(w.Body.String(), lacks) {
			t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
		}
	}
	if w := ask("GET", "/version", ""); !strings.Contains(w.Body.String(), `"Engine":"none"`) ||
		!strings.Contains(w.Body.String(), lacks) {
		t.Errorf("/version: %s", w.Body)
	}
	form := strings.NewReader("imports=true&body=package+main%3Bfunc+main(){fmt.Println()}")
	r := httptest.NewRequest("POST", "http://localhost/fmt", form)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	if handler.ServeHTTP(w, r); w.Code != http.StatusOK ||
		!strings.Contains(w.Body.String(), "func main() { fmt.Println() }") {
		t.Errorf("/fmt: status %d: %s", w.Code, w.Body)
	}
	if w := ask("GET", "/", ""); w.Code != http.StatusOK || w.Body.String() != "<p>The workbook" {
		t.Errorf("the site: status %d: %s", w.Code, w.Body)
	}
}
