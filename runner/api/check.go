package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"onthestack/internal/verdict"
	"onthestack/runner/jobs"
)

// A checkRequest is the body of a request for /check.
type checkRequest struct {
	Exercise string            `json:"exercise"` // "exercise1"
	Files    map[string]string `json:"files"`    // texts of the solution's files, by name
}

// Limits of a solution, far beyond what any exercise needs.
const (
	maxFiles    = 20
	maxFileName = 100 // bytes
)

var errSolutionTooLarge = tooLarge("solution", maxProgram)

// check reads a request to check a solution.
func (s *Server) check(r *http.Request, j *jobs.Job) error {
	var req checkRequest
	if err := readJSON(r, &req, true); err != nil {
		return err
	}
	e := s.catalog.Lookup(req.Exercise)
	if e == nil {
		var known []string
		for _, e := range s.catalog {
			known = append(known, e.ID)
		}
		return &refusal{http.StatusNotFound, "there is no such exercise: there are " + strings.Join(known, ", ")}
	}
	if len(req.Files) > maxFiles {
		return badRequest("the solution has %d files: send at most %d", len(req.Files), maxFiles)
	}
	files, total := map[string][]byte{}, 0
	for name, text := range req.Files {
		if !validName(name) {
			return badRequest("%q is not the name of a file of the exercise", shorten(name, maxFileName))
		}
		files[name] = []byte(text)
		total += len(text)
	}
	if total > maxProgram {
		return errSolutionTooLarge
	}
	key, err := json.Marshal(req) // Marshal sorts the files by name, so equal solutions have equal keys
	if err != nil {
		return err
	}
	j.Key = s.keyOf(r, string(key))
	j.Work = func(ctx context.Context, stage func(string)) (jobs.Result, error) {
		a := s.newAttempt()
		v, err := verdict.Checker{Builder: a, Runner: a, Stage: stage}.Check(ctx, e, files)
		return a.result(v), err
	}
	return nil
}

// validName reports whether name may be the name of a file in an exercise's folder.
func validName(name string) bool {
	return name != "" && len(name) <= maxFileName && name != "." && name != ".." &&
		strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`/\:`, r) }) < 0
}
