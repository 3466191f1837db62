package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"onthestack/internal/program"
)

// vet answers /vet, which the playground keeps for older clients: newer ones ask /compile for it.
func (s *server) vet(r *http.Request) (task, error) {
	req, err := readProgramRequest(r)
	if err != nil {
		return task{}, err
	}
	return task{key: req.key(), do: func(ctx context.Context) (result, error) {
		plan, problem := s.plan(req.Body)
		if problem != "" {
			return result{answer: &programResponse{Errors: problem}}, nil
		}
		var v vetting
		v.start(ctx, s, plan)
		v.done.Wait()
		return result{answer: &programResponse{Errors: v.problems}, passing: v.stopped}, v.err
	}}, nil
}

// A vetting is a go vet under way.
type vetting struct {
	done     sync.WaitGroup
	problems string // "" for none
	stopped  bool   // by a limit
	err      error
}

func (v *vetting) start(ctx context.Context, s *server, plan program.Plan) {
	v.done.Go(func() {
		b, err := s.tools.Vet(ctx, source(plan))
		if err != nil {
			v.err = fmt.Errorf("vet a program: %w", err)
			return
		}
		defer b.Close()
		switch {
		case b.Stopped != "":
			v.problems, v.stopped = "go vet "+b.Stopped+"\n", true
		case !b.OK:
			v.problems = findings(withoutBanners(b.Output), plan.Files)
		}
	})
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
