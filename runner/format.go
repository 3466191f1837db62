package main

import (
	"context"
	"net/http"

	"onthestack/internal/playground"
	"onthestack/runner/format"
)

// format formats the form value "body" and, where "imports" is set, completes its imports.
func (s *server) format(r *http.Request) (task, error) {
	if err := readForm(r); err != nil {
		return task{}, err
	}
	text, imports := r.Form.Get("body"), r.Form.Get("imports") != ""
	if len(text) > maxProgram {
		return task{}, errProgramTooLarge
	}
	return task{do: func(ctx context.Context) (result, error) {
		formatted, err := format.Program(ctx, s.tools.Folder(), text, imports)
		return result{answer: playground.Formatted{Body: formatted.Text, Error: formatted.Mistake}}, err
	}}, nil
}
