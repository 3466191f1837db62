package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"onthestack/internal/playground"
	"onthestack/runner/analysis"
	"onthestack/runner/queue"
	"onthestack/runner/remote"
)

// These endpoints are the playground's: they build, vet, run and format a program that a client sends.

// programQuestion returns the question about a program.
func programQuestion(kind string, req programRequest) analysis.Question {
	return analysis.Question{Kind: kind, Body: []byte(req.Body), WithVet: req.WithVet}
}

// compile reads a request to build a program and run it, and to vet it meanwhile if the client asks for that. A mistake
// in the program is in the answer, a *playground.Response.
func (s *Server) compile(r *http.Request) (queue.Request, error) {
	return s.program(r, analysis.Compile, programTakes)
}

// vet reads a request to vet a program. The playground keeps the endpoint for older clients; newer ones use /compile.
func (s *Server) vet(r *http.Request) (queue.Request, error) {
	return s.program(r, analysis.Vet, programTakes)
}

// escape reads a request for the compiler's escape report on a program, which includes a verdict on the program's
// benchmarks.
func (s *Server) escape(r *http.Request) (queue.Request, error) {
	return s.program(r, analysis.Escape, 0)
}

// program reads a request that asks a question about a program.
func (s *Server) program(r *http.Request, kind string, takes time.Duration) (queue.Request, error) {
	req, err := readProgramRequest(r)
	if err != nil {
		return queue.Request{}, err
	}
	return queue.Request{Key: s.keyOf(r, strconv.FormatBool(req.WithVet)+" "+req.Body),
		Work: s.work(r, programQuestion(kind, req)).do, Takes: takes}, nil
}

// step reads a request to run a program statement by statement. A mistake in the program is in the answer, a
// *step.Document. The event "picture" has the steps before the allocations are counted. The form value "go" names a
// release of Go other than the one that builds all else.
func (s *Server) step(r *http.Request) (queue.Request, error) {
	req, err := readProgramRequest(r)
	if err != nil {
		return queue.Request{}, err
	}
	on, err := s.toolchainFor(req.Go)
	if err != nil {
		return queue.Request{}, err
	}
	work := s.work(r, programQuestion(analysis.Step, req))
	if work.on = on; on.release.Version != s.release.Version {
		work.sent = remote.Request{} // workers have the same release
	}
	return queue.Request{Key: queue.KeyOf(r.URL.Path, on.release.Version, req.Body), Work: work.do}, nil
}

// format reads a request to format the form value "body" and, if the form value "imports" is set, to complete its
// imports.
func (s *Server) format(r *http.Request) (queue.Request, error) {
	if err := readForm(r); err != nil {
		return queue.Request{}, err
	}
	// Completing imports takes the go command.
	text, imports := r.Form.Get("body"), r.Form.Get("imports") != "" && s.tools != nil
	if len(text) > maxProgram {
		return queue.Request{}, errProgramTooLarge
	}
	return queue.Request{Work: func(ctx context.Context, _ *queue.Task) (queue.Result, error) {
		formatted, err := formatProgram(ctx, s.folder(), text, imports, s.settings.RequestTime)
		return queue.Result{Value: playground.Formatted{Body: formatted.Text, Error: formatted.Mistake}}, err
	}}, nil
}

// folder returns the folder for temporary files; "" is the system's.
func (s *Server) folder() string {
	if s.tools == nil {
		return ""
	}
	return s.tools.isolated.Folder()
}

const healthProgram = "package main\n\nfunc main() { print(\"ok\") }\n"

// health answers "ok" if a program can be built and run. It waits for a slot, as every program does.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if s.tools == nil {
		s.refuse(w, s.unable())
		return
	}
	question := programQuestion(analysis.Compile, programRequest{Body: healthProgram})
	work := work{Server: s, question: question, on: s.tools.toolchain}
	answer, err := s.builds.Do(r.Context(), &queue.Request{Client: recordOf(r).client, Work: work.do, Takes: programTakes})
	var response playground.Response
	if err == nil {
		err = json.Unmarshal(answer.Body, &response)
	}
	if err == nil && (response.Errors != "" || len(response.Events) != 1 || response.Events[0].Message != "ok") {
		err = fmt.Errorf("health check: a program that prints \"ok\" gave %+v", response)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	io.WriteString(w, "ok")
}
