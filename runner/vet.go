package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"onthestack/internal/playground"
	"onthestack/internal/program"
)

// vet answers /vet, which the playground keeps for older clients: newer ones ask /compile for it.
func (s *server) vet(r *http.Request) (task, error) {
	req, err := readProgramRequest(r)
	if err != nil {
		return task{}, err
	}
	return task{key: req.key(), do: func(ctx context.Context) (result, error) {
		plan, problem := s.playground(new(atomic.Bool)).Plan(req.Body)
		if problem != "" {
			return result{answer: &playground.Response{Errors: problem}}, nil
		}
		var passing atomic.Bool
		problems, err := vetter{countedBuilder{s, &passing}}.Vet(ctx, plan)
		if err != nil {
			return result{}, fmt.Errorf("vet a program: %w", err)
		}
		return result{answer: &playground.Response{Errors: problems}, passing: passing.Load()}, nil
	}}, nil
}

// A vetter vets programs.
type vetter struct{ builds countedBuilder }

// Vet implements playground.Vetter.
func (v vetter) Vet(ctx context.Context, plan program.Plan) (problems string, err error) {
	b, err := v.builds.Vet(ctx, playground.Source(plan))
	if err != nil {
		return "", err
	}
	defer b.Close()
	switch {
	case b.Stopped != "":
		return "go vet " + b.Stopped + "\n", nil
	case !b.OK:
		return findings(playground.WithoutBanners(b.Output), plan.Files), nil
	}
	return "", nil
}

// findings names files as the compiler does, "./prog.go:5:2: …", which is how clients of the playground know vet's findings too.
func findings(output string, files map[string][]byte) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		line = strings.TrimPrefix(line, "vet: ")
		// Of other files the runner speaks, not vet.
		if name, _, ok := strings.Cut(line, ".go:"); ok && files[name+".go"] != nil && !strings.Contains(name, "/") {
			line = "./" + line
		}
		b.WriteString(line)
	}
	return b.String()
}
