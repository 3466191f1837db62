package main

import (
	"context"
	"net/http"
	"sync/atomic"
)

func (s *server) escape(r *http.Request) (task, error) {
	req, err := readProgramRequest(r)
	if err != nil {
		return task{}, err
	}
	return task{key: req.key(), do: func(ctx context.Context) (result, error) {
		var passing atomic.Bool
		report, err := s.playground(&passing).Escape(ctx, req.Body)
		return result{answer: report, passing: passing.Load()}, err
	}}, nil
}
