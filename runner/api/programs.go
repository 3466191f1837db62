package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"onthestack/internal/programs"
	"onthestack/runner/analysis"
	"onthestack/runner/jobs"
)

// These endpoints are the playground's: they build, vet, run and format a program that a client sends.

// program returns the question about a program.
func program(kind string, req programRequest) analysis.Question {
	return analysis.Question{Kind: kind, Body: []byte(req.Body), WithVet: req.WithVet}
}

// compile reads a request to build a program and run it, and to vet it meanwhile if the client asks for that. A mistake
// in the program is in the answer, a *programs.Response.
func (s *Server) compile(r *http.Request, j *jobs.Job) error {
	req, err := s.readProgram(r, j)
	if err != nil {
		return err
	}
	j.Work = func(ctx context.Context, slot *jobs.Slot) (jobs.Result, error) {
		return s.newAttempt(slot).answer(ctx, program(analysis.Compile, req))
	}
	return nil
}

// vet reads a request to vet a program. The playground keeps the endpoint for older clients; newer ones use /compile.
func (s *Server) vet(r *http.Request, j *jobs.Job) error {
	req, err := s.readProgram(r, j)
	if err != nil {
		return err
	}
	j.Work = func(ctx context.Context, slot *jobs.Slot) (jobs.Result, error) {
		return s.newAttempt(slot).answer(ctx, program(analysis.Vet, req))
	}
	return nil
}

// escape reads a request for the compiler's escape report on a program, which includes a verdict on the program's
// benchmarks.
func (s *Server) escape(r *http.Request, j *jobs.Job) error {
	req, err := s.readProgram(r, j)
	if err != nil {
		return err
	}
	j.Work = func(ctx context.Context, slot *jobs.Slot) (jobs.Result, error) {
		return s.newAttempt(slot).answer(ctx, program(analysis.Escape, req))
	}
	return nil
}

// step reads a request to run a program statement by statement. A mistake in the program is in the answer, a
// *step.Document. The event "picture" has the steps before the allocations are counted. The form value "go" names a
// release of Go other than the one that builds all else.
func (s *Server) step(r *http.Request, j *jobs.Job) error {
	req, err := s.readProgram(r, j)
	if err != nil {
		return err
	}
	on, err := s.toolchainFor(req.Go)
	if err != nil {
		return err
	}
	if on.release.Version != s.release.Version {
		j.Key, j.Here = jobs.KeyOf(r.URL.Path, on.release.Version, req.Body), true
	}
	j.Work = func(ctx context.Context, slot *jobs.Slot) (jobs.Result, error) {
		a := s.newAttempt(slot)
		a.toolchain = on
		return a.answer(ctx, program(analysis.Step, req))
	}
	return nil
}

// format reads a request to format the form value "body" and, if the form value "imports" is set, to complete its
// imports.
func (s *Server) format(r *http.Request, j *jobs.Job) error {
	if err := readForm(r); err != nil {
		return err
	}
	// Completing imports takes the go command.
	text, imports := r.Form.Get("body"), r.Form.Get("imports") != "" && s.unavailable == ""
	if len(text) > maxProgram {
		return errProgramTooLarge
	}
	j.Work = func(ctx context.Context, _ *jobs.Slot) (jobs.Result, error) {
		formatted, err := formatProgram(ctx, s.folder(), text, imports, s.settings.RequestTime)
		return jobs.Result{Value: programs.Formatted{Body: formatted.Text, Error: formatted.Mistake}}, err
	}
	return nil
}

// folder returns the folder for temporary files; "" is the system's.
func (s *Server) folder() string {
	if s.tools == nil {
		return ""
	}
	return s.tools.Folder()
}

const healthProgram = "package main\n\nfunc main() { print(\"ok\") }\n"

// health answers "ok" if a program can be built and run. It waits for a slot, as every program does.
func (s *Server) health(w http.ResponseWriter, r *http.Request, j *jobs.Job) {
	if s.unavailable != "" {
		s.refuse(w, s.unable())
		return
	}
	j.Work = func(ctx context.Context, slot *jobs.Slot) (jobs.Result, error) {
		result, err := s.newAttempt(slot).answer(ctx, program(analysis.Compile, programRequest{Body: healthProgram}))
		if err != nil {
			return jobs.Result{}, err
		}
		text, err := json.Marshal(result.Value)
		if err != nil {
			return jobs.Result{}, err
		}
		var response programs.Response
		if err := json.Unmarshal(text, &response); err != nil {
			return jobs.Result{}, err
		}
		if response.Errors != "" || len(response.Events) != 1 || response.Events[0].Message != "ok" {
			return jobs.Result{}, fmt.Errorf("health check: a program that prints \"ok\" gave %+v", response)
		}
		return jobs.Result{}, nil
	}
	if _, err := s.builds.Do(r.Context(), j); err != nil {
		s.fail(w, r, err)
		return
	}
	io.WriteString(w, "ok")
}
