package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"onthestack/runner/metrics"
	"onthestack/runner/site"
	"onthestack/runner/store"
)

// These handlers answer the requests with which readers share programs: POST /share, and GET /p/ID and /p/ID.go. They
// answer as play.golang.org does.

// share answers POST /share: it stores the body unchanged and answers with its id.
func (s *Server) share(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST, OPTIONS")
		http.Error(w, "Requires POST", http.StatusMethodNotAllowed)
		return
	case s.shared == nil:
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
	id, err := s.shared.Put(r.Context(), s.client(r), body)
	if err != nil {
		s.notShared(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, id)
}

func (s *Server) notShared(w http.ResponseWriter, r *http.Request, err error) {
	var tooFast *store.TooFast
	var limit metrics.Result
	status, message := http.StatusInsufficientStorage, ""
	switch {
	case errors.As(err, &tooFast):
		seconds := strconv.Itoa(int((tooFast.Wait + time.Second - 1) / time.Second))
		w.Header().Set("Retry-After", seconds)
		limit, status = metrics.LimitSnippetsRate, http.StatusTooManyRequests
		message = fmt.Sprintf("This runner stores up to %d new programs a minute from one address: share again in %s s",
			tooFast.Limit, seconds)
	case errors.Is(err, store.ErrClientFull):
		limit = metrics.LimitSnippetsClient
		message = "This runner cannot store more programs from your address: ask its owner to make room"
	case errors.Is(err, store.ErrFull):
		limit = metrics.LimitSnippets
		message = "This runner has no room for more shared programs: ask its owner to make room"
	default:
		s.failAsText(w, r, err)
		return
	}
	http.Error(w, message, status)
	s.log.Warn("a program was not stored", "error", err)
	s.metrics.Reached(limit)
}

// snippet answers GET /p/ID.go with the program as it was sent, and GET /p/ID with the editor's page for it.
func (s *Server) snippet(w http.ResponseWriter, r *http.Request) {
	if !readOnly(w, r) {
		return
	}
	id, asText := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/p/"), ".go")
	body, err := s.find(r, id)
	switch {
	case errors.Is(err, store.ErrNotFound) && asText:
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "Snippet not found", http.StatusNotFound)
	case errors.Is(err, store.ErrNotFound) && strings.Contains(id, "/"):
		site.NotFound(w, r, s.settings.Files()) // the relative links of the editor's page do not work in a deeper path
	case errors.Is(err, store.ErrNotFound):
		s.show(w, r, http.StatusNotFound, missingPage)
	case err != nil:
		s.failAsText(w, r, err)
	case asText:
		serveText(w, r, id, body)
	default:
		s.show(w, r, http.StatusOK, programPage(id, body))
	}
}

func (s *Server) find(r *http.Request, id string) ([]byte, error) {
	if s.shared == nil {
		return nil, store.ErrNotFound
	}
	return s.shared.Get(r.Context(), id)
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
