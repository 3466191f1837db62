package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
)

// A checkRequest is the request for /check: a solver's files by name.
type checkRequest struct {
	Exercise string            `json:"exercise"`
	Files    map[string]string `json:"files"`
}

// Bounds of a solution, far beyond what any exercise needs.
const (
	maxFiles    = 20
	maxFileName = 100 // bytes
)

var errSolutionTooLarge = &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the solution is larger than %d KiB", maxProgram>>10)}

func (s *server) check(r *http.Request) (task, error) {
	var req checkRequest
	if err := readJSON(r, &req, true); err != nil {
		return task{}, err
	}
	e := s.catalog.Lookup(req.Exercise)
	if e == nil {
		var known []string
		for _, e := range s.catalog {
			known = append(known, e.ID)
		}
		return task{}, &refusal{http.StatusNotFound, "there is no such exercise: there are " + strings.Join(known, ", ")}
	}
	if len(req.Files) > maxFiles {
		return task{}, badRequest("the solution has %d files: send at most %d", len(req.Files), maxFiles)
	}
	files, total := map[string][]byte{}, 0
	for name, text := range req.Files {
		if !saneName(name) {
			return task{}, badRequest("%q is not the name of a file of the exercise", shorten(name, maxFileName))
		}
		files[name] = []byte(text)
		total += len(text)
	}
	if total > maxProgram {
		return task{}, errSolutionTooLarge
	}
	return task{key: req.key(), do: func(ctx context.Context) (result, error) {
		var passing atomic.Bool
		checker := verdict.Checker{
			Builder: countedBuilder{s, &passing},
			Runner:  countedRunner{sandbox.Wasm{Limits: s.settings.Check}, s.metrics, &passing},
			Stage:   underWay(ctx).stage,
		}
		v, err := checker.Check(ctx, e, files)
		return result{answer: v, passing: passing.Load()}, err
	}}, nil
}

// key is the request itself; encoding/json writes the files in the order of their names.
func (r checkRequest) key() string {
	text, err := json.Marshal(r)
	if err != nil {
		return "" // not kept; strings are always encoded
	}
	return string(text)
}

// saneName reports whether name can be that of a file in an exercise's folder.
func saneName(name string) bool {
	return name != "" && len(name) <= maxFileName && name != "." && name != ".." &&
		strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`/\:`, r) }) < 0
}
