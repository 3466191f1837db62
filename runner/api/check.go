package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"onthestack/internal/exercise"
	"onthestack/runner/analysis"
	"onthestack/runner/queue"
	"onthestack/runner/request"
)

// A checkRequest is the body of a request for /check.
type checkRequest struct {
	Exercise string            `json:"exercise"` // "exercise6"
	Files    map[string]string `json:"files"`    // texts of the solution's files, by name
}

// Limits of a solution, far beyond what any exercise needs.
const (
	maxFiles    = 20
	maxFileName = 100 // bytes
)

var errSolutionTooLarge = request.TooLarge("solution", maxProgram)

func (s *Server) check(r *http.Request) (queue.Request, error) {
	var req checkRequest
	if err := request.ReadJSON(r.Body, &req, true); err != nil {
		return queue.Request{}, err
	}
	recordOf(r).files = req.Files
	return s.checking(req)
}

func (s *Server) checking(req checkRequest) (queue.Request, error) {
	e, files, err := s.solution(req)
	if err != nil {
		return queue.Request{}, err
	}
	unsolved := *e
	unsolved.Solution = nil        // a check does not need it
	text, err := json.Marshal(req) // with the files in the order of their names
	question := analysis.Question{Kind: analysis.Check, Exercise: &unsolved, Files: files}
	return s.request(s.tools.toolchain, question, string(text)), err
}

// exercise returns the exercise with an ID, or a refusal.
func (s *Server) exercise(id string) (*exercise.Exercise, error) {
	if e := s.catalog.Lookup(id); e != nil {
		return e, nil
	}
	return nil, request.Refuse(http.StatusNotFound, "there is no such exercise: /api/exercises lists them")
}

// solution returns the exercise and the files of a request, or a refusal.
func (s *Server) solution(req checkRequest) (*exercise.Exercise, map[string][]byte, error) {
	e, err := s.exercise(req.Exercise)
	if err != nil {
		return nil, nil, err
	}
	if len(req.Files) > maxFiles {
		return nil, nil, request.Bad("the solution has %d files: send at most %d", len(req.Files), maxFiles)
	}
	files, total := map[string][]byte{}, 0
	for name, text := range req.Files {
		if !validName(name) {
			return nil, nil, request.Bad("%q is not the name of a file of the exercise", shorten(name, maxFileName))
		}
		files[name] = []byte(text)
		total += len(text)
	}
	if total > maxProgram {
		return nil, nil, errSolutionTooLarge
	}
	return e, files, nil
}

// validName reports whether name may be the name of a file in an exercise's folder.
func validName(name string) bool {
	return name != "" && len(name) <= maxFileName && name != "." && name != ".." &&
		strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`/\:`, r) }) < 0
}

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
