package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"onthestack/internal/exercise"
)

// A catalogEntry is an exercise in the answer of /api/exercises: its entry in "checkalloc list --json", and its
// starter. Hints and solutions are not in it.
type catalogEntry struct {
	exercise.Summary
	Starter map[string]string `json:"starter"` // texts of the files in Edit, by name
}

// exercises returns the handler for the catalog, which does not change while the server runs.
func (s *Server) exercises() http.HandlerFunc {
	entries := []catalogEntry{}
	for _, e := range s.catalog {
		entry := catalogEntry{e.Summary(), map[string]string{}}
		for name, text := range e.Starter() {
			entry.Starter[name] = string(text)
		}
		entries = append(entries, entry)
	}
	text, err := json.Marshal(entries)
	text = append(text, '\n')
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(text))
	return func(w http.ResponseWriter, r *http.Request) {
		if err != nil {
			s.fail(w, r, fmt.Errorf("encode the catalog: %w", err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	}
}
