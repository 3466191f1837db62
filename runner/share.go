package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"onthestack/runner/snippets"
)

// A playground keeps and shows programs that readers share. Its answers are the playground's at play.golang.org.
type playground struct {
	store   *snippets.Store // nil where the runner keeps no programs
	book    string          // folder of the built book, with the editor's script and style
	version string          // of Go: "go1.26.8"
	log     *slog.Logger
}

// crossSite lets pages of other sites use the answer, as the playground does, and answers a preflight request, which it reports.
func crossSite(w http.ResponseWriter, r *http.Request) (preflight bool) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Headers", "Content-Type")
	h.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
	return true
}

// share is POST /share: it stores the body as it is and answers with its id.
func (p *playground) share(w http.ResponseWriter, r *http.Request) {
	if crossSite(w, r) {
		return
	}
	setWriteDeadline(w)
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST, OPTIONS")
		http.Error(w, "Requires POST", http.StatusMethodNotAllowed)
		return
	case p.store == nil:
		http.Error(w, "This runner keeps no programs: it was started without a file for them", http.StatusNotImplemented)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, snippets.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		http.Error(w, "Snippet is too large", http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		http.Error(w, "The program did not arrive whole", http.StatusBadRequest)
		return
	}
	id, err := p.store.Put(r.Context(), body)
	switch {
	case err == nil:
		w.Header().Set("Content-Type", contentTypes[".txt"])
		io.WriteString(w, id)
	case errors.Is(err, snippets.ErrFull):
		p.log.Warn("a program was not stored", "error", err)
		http.Error(w, "This runner has no room for more shared programs", http.StatusInsufficientStorage)
	default:
		p.fail(w, r, err)
	}
}

// snippet is GET /p/ID.go, which answers with the program as it was sent, and GET /p/ID, the editor with it.
func (p *playground) snippet(w http.ResponseWriter, r *http.Request) {
	if crossSite(w, r) || !readOnly(w, r) {
		return
	}
	setWriteDeadline(w)
	id, asText := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/p/"), ".go")
	body, err := p.find(r, id)
	switch {
	case errors.Is(err, snippets.ErrNotFound) && asText:
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "Snippet not found", http.StatusNotFound)
	case errors.Is(err, snippets.ErrNotFound):
		p.show(w, http.StatusNotFound, page{Title: "Snippet not found", Missing: true, Unlisted: true})
	case err != nil:
		p.fail(w, r, err)
	case asText:
		serveText(w, r, id, body)
	default:
		p.show(w, http.StatusOK, programPage("Program "+id, id, body))
	}
}

func (p *playground) find(r *http.Request, id string) ([]byte, error) {
	if p.store == nil {
		return nil, snippets.ErrNotFound
	}
	return p.store.Get(r.Context(), id)
}

// serveText answers with a program that will always be the same.
func serveText(w http.ResponseWriter, r *http.Request, id string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentTypes[".txt"])
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", `"`+id+`"`)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	if r.URL.Query().Get("download") == "true" {
		h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.go"`, id))
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// readOnly answers requests that would write, and reports whether this one does not.
func readOnly(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD, OPTIONS")
	http.Error(w, "Requires GET", http.StatusMethodNotAllowed)
	return false
}

func setWriteDeadline(w http.ResponseWriter) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
}

// fail answers a request that came to nothing by no fault of the client.
func (p *playground) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		// Nobody is there to read it; the status is for the log.
		http.Error(w, "The request was canceled", statusClientGone)
		return
	}
	p.log.Error("request failed", "path", shorten(r.URL.Path, 100), "error", err)
	http.Error(w, "The runner could not do this; its log says why", http.StatusInternalServerError)
}
