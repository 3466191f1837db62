package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/runner/analysis"
	"onthestack/runner/jobs"
	"onthestack/runner/request"
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

var errSolutionTooLarge = request.TooLarge("solution", maxProgram)

// check reads a request to check a solution.
func (s *Server) check(r *http.Request, j *jobs.Job) error {
	var req checkRequest
	if err := request.ReadJSON(r.Body, &req, true); err != nil {
		return err
	}
	e, files, err := s.solution(req)
	if err != nil {
		return err
	}
	if j.Key, err = s.checkKey(req); err != nil {
		return err
	}
	j.Work = s.checking(e, files)
	return nil
}

// checkKey returns the key of a check, with the files in the order of their names.
func (s *Server) checkKey(req checkRequest) (jobs.Key, error) {
	text, err := json.Marshal(req)
	return jobs.KeyOf("/check", s.release.Version, string(text)), err
}

// checking returns the work of checking a solution.
func (s *Server) checking(e *exercise.Exercise, files map[string][]byte) jobs.Work {
	unsolved := *e
	unsolved.Solution = nil // a check does not need it
	return func(ctx context.Context, slot *jobs.Slot) (jobs.Result, error) {
		return s.newAttempt(slot).answer(ctx, analysis.Question{Kind: analysis.Check, Exercise: &unsolved, Files: files})
	}
}

// solution returns the exercise and the files of a request, or a refusal.
func (s *Server) solution(req checkRequest) (*exercise.Exercise, map[string][]byte, error) {
	e := s.catalog.Lookup(req.Exercise)
	if e == nil {
		var known []string
		for _, e := range s.catalog {
			known = append(known, e.ID)
		}
		return nil, nil, request.Refuse(http.StatusNotFound,
			"there is no such exercise: there are "+strings.Join(known, ", "))
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
