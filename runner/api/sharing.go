package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"onthestack/runner/site"
	"onthestack/runner/store"
)

// sharing answers the requests with which readers share programs: POST /share, and GET /p/ID and /p/ID.go. It
// answers as play.golang.org does.
type sharing struct {
	Store *store.Snippets // nil if the runner stores no programs
	Site  fs.FS           // the built site, with the editor's page
	Log   *slog.Logger
	// Client returns the client of a request.
	Client func(*http.Request) string
	// Limited is called with the error for a program that was not stored because the store reached a limit.
	Limited func(error)
	// Fail answers, as text, a request that failed through no fault of the client.
	Fail func(http.ResponseWriter, *http.Request, error)
}

// Share answers POST /share: it stores the body unchanged and answers with its id.
func (p *sharing) Share(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST, OPTIONS")
		http.Error(w, "Requires POST", http.StatusMethodNotAllowed)
		return
	case p.Store == nil:
		http.Error(w, "This runner stores no programs: it was started without a file for them",
			http.StatusNotImplemented)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, store.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		http.Error(w, "Snippet is too large", http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		http.Error(w, "The program did not arrive whole", http.StatusBadRequest)
		return
	}
	id, err := p.Store.Put(r.Context(), p.Client(r), body)
	if err != nil {
		p.notShared(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, id)
}

// notShared answers a request whose program was not stored.
func (p *sharing) notShared(w http.ResponseWriter, r *http.Request, err error) {
	var tooFast *store.TooFast
	switch {
	case errors.As(err, &tooFast):
		seconds := strconv.Itoa(int((tooFast.Wait + time.Second - 1) / time.Second))
		w.Header().Set("Retry-After", seconds)
		http.Error(w, fmt.Sprintf("This runner stores up to %d new programs a minute from one address: share again "+
			"in %s s",
			tooFast.Limit, seconds),
			http.StatusTooManyRequests)
	case errors.Is(err, store.ErrClientFull):
		http.Error(w, "This runner cannot store more programs from your address: ask its owner to make room",
			http.StatusInsufficientStorage)
	case errors.Is(err, store.ErrFull):
		http.Error(w, "This runner has no room for more shared programs: ask its owner to make room",
			http.StatusInsufficientStorage)
	default:
		p.Fail(w, r, err)
		return
	}
	p.Log.Warn("a program was not stored", "error", err)
	p.Limited(err)
}

// Snippet answers GET /p/ID.go with the program as it was sent, and GET /p/ID with the editor's page for it.
func (p *sharing) Snippet(w http.ResponseWriter, r *http.Request) {
	if !readOnly(w, r) {
		return
	}
	id, asText := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/p/"), ".go")
	body, err := p.find(r, id)
	switch {
	case errors.Is(err, store.ErrNotFound) && asText:
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "Snippet not found", http.StatusNotFound)
	case errors.Is(err, store.ErrNotFound) && strings.Contains(id, "/"):
		site.NotFound(w, r, p.Site) // the relative links of the editor's page do not work in a deeper path
	case errors.Is(err, store.ErrNotFound):
		p.show(w, r, http.StatusNotFound, missingPage())
	case err != nil:
		p.Fail(w, r, err)
	case asText:
		serveText(w, r, id, body)
	default:
		p.show(w, r, http.StatusOK, programPage(id, body))
	}
}

// find returns the program with this id.
func (p *sharing) find(r *http.Request, id string) ([]byte, error) {
	if p.Store == nil {
		return nil, store.ErrNotFound
	}
	return p.Store.Get(r.Context(), id)
}

// serveText answers with a program. An id always has the same program, so clients may cache it forever.
func serveText(w http.ResponseWriter, r *http.Request, id string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", `"`+id+`"`)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	if r.URL.Query().Get("download") == "true" {
		h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.go"`, id))
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// readOnly reports whether the request is a GET or HEAD, and refuses it otherwise.
func readOnly(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD, OPTIONS")
	http.Error(w, "Requires GET", http.StatusMethodNotAllowed)
	return false
}
