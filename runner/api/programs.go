package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/runner/analysis"
	"onthestack/runner/queue"
	"onthestack/runner/request"
)

// These endpoints are the playground's: they build, vet, run and format a program that a client sends.

// program reads a request for /compile, /vet or /escape, which is a question about a program. A mistake in the program
// is in the answer. The playground keeps /vet for older clients; newer ones use /compile.
func (s *Server) program(r *http.Request) (queue.Request, error) {
	req, err := readProgramRequest(r)
	if err != nil {
		return queue.Request{}, err
	}
	return s.request(s.tools.toolchain, req.question(r.URL.Path), strconv.FormatBool(req.WithVet)+" "+req.Body), nil
}

func (req programRequest) question(kind string) analysis.Question {
	return analysis.Question{Kind: kind, Body: []byte(req.Body), WithVet: req.WithVet}
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
	return s.request(on, req.question(analysis.Step), req.Body), nil
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
	q := analysis.Question{Kind: analysis.Format, Body: []byte(text), Imports: imports}
	return queue.Request{Work: func(ctx context.Context, _ *queue.Task) (queue.Result, error) {
		return s.formatted(ctx, q)
	}}, nil
}

// formatTime is the limit on the processor time for formatting one program. The time that go/format takes grows with
// the cube of the depth of nesting, so that 60 KB of source can take a minute.
const formatTime = 3 * time.Second

// formatted has a process format a program, in an empty folder. Imports are then completed from the standard library
// alone, and not from the modules that this machine happens to have, which programs cannot import.
func (s *Server) formatted(ctx context.Context, q analysis.Question) (queue.Result, error) {
	folder, err := os.MkdirTemp(s.folder(), "format-")
	if err != nil {
		return queue.Result{}, fmt.Errorf("make a folder for formatting: %w", err)
	}
	defer os.RemoveAll(folder)
	ctx, _, end := withRequestTime(ctx, s.settings.RequestTime)
	defer end()
	limits := analysis.DefaultLimits()
	limits.CPU, limits.Folder = formatTime, folder
	answer, err := analysis.Ask(ctx, limits, q, nil)
	var failed *analysis.Failure
	if !errors.As(err, &failed) {
		return queue.Result{Value: answer.Body}, err
	}
	mistake := programs.File + ": formatting ran out of memory"
	if stop := failed.Stop; stop.Kind == execution.ProcessorTime || stop.Kind == execution.BuildTime {
		mistake = fmt.Sprintf("%s: formatting took longer than %v and was stopped", programs.File, stop.Time)
	}
	return queue.Result{Value: programs.Formatted{Error: mistake}}, nil
}

// folder returns the folder for temporary files; "" is the system's.
func (s *Server) folder() string {
	if s.tools == nil {
		return ""
	}
	return s.tools.isolated.Folder()
}

const healthProgram = "package main\n\nfunc main() { print(\"ok\") }\n"

// health answers "ok" if a program can be built and run, or "degraded" and the reason if only the rooms do not work. It
// waits for a slot, as every program does.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if s.tools == nil {
		s.unable().Send(w)
		return
	}
	question := programRequest{Body: healthProgram}.question(analysis.Compile)
	q := queue.Request{Client: recordOf(r).client, Kind: "health", Work: work{s, question, s.tools.toolchain}.do}
	answer, err := s.builds.Do(r.Context(), &q)
	var response programs.Response
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
	if s.rooms != nil {
		if why := s.rooms.degraded(); why != "" {
			io.WriteString(w, "degraded: "+why)
			return
		}
	}
	io.WriteString(w, "ok")
}

// Maximum sizes in bytes. Encoded as a form or as JSON, a program takes up to three times its size.
const (
	maxProgram = execution.MaxSource
	maxBody    = 3*maxProgram + 4<<10
)

var errProgramTooLarge = request.TooLarge("program", maxProgram)

// A programRequest is the body of a request for /compile, /vet, /escape and /step. Old clients send it as a form, newer
// ones as JSON.
type programRequest struct {
	Body    string
	WithVet bool
	Go      string // the release to step through the program on, "1.27"; only /step has it
}

// readProgramRequest reads a program from a form, from the query, or from JSON.
func readProgramRequest(r *http.Request) (programRequest, error) {
	if err := readForm(r); err != nil {
		return programRequest{}, err
	}
	req := programRequest{Body: r.Form.Get("body")}
	switch {
	case req.Body != "":
		req.WithVet, _ = strconv.ParseBool(r.Form.Get("withVet"))
		req.Go = r.Form.Get("go")
	case mediaType(r) == "application/x-www-form-urlencoded", mediaType(r) == "multipart/form-data":
		return req, request.Bad("the form has no program: send it as its value \"body\"")
	default:
		if err := request.ReadJSON(r.Body, &req, false); err != nil {
			return req, err
		}
	}
	if len(req.Body) > maxProgram {
		return req, errProgramTooLarge
	}
	return req, nil
}

// readForm fills in r.Form from the query and, where the body is a form, from the body.
func readForm(r *http.Request) error {
	err := r.ParseForm()
	// ParseMultipartForm alone would swallow ParseForm's error.
	if err == nil && mediaType(r) == "multipart/form-data" {
		err = r.ParseMultipartForm(maxBody)
	}
	if err != nil {
		return request.BodyError(err)
	}
	return nil
}

func mediaType(r *http.Request) string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind
}
