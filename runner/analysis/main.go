package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/tools/imports"

	"onthestack/internal/advice"
	"onthestack/internal/programs"
	"onthestack/internal/step"
	"onthestack/internal/verdict"
	"onthestack/runner/queue"
)

// Command is the argument with which the server starts its executable for one request.
const Command = "answer-one"

// maxStack bounds the stack of the process in bytes, which deep recursion in the type checker fills. The runtime says
// so then, which is quicker than to run out of memory.
const maxStack = 256 << 20

// Main answers the question of the server at the other end of in and out, and returns the exit code.
func Main(in io.Reader, out, failure io.Writer) int {
	debug.SetMaxStack(maxStack)
	debug.SetGCPercent(gcPercent)
	server := remote{client: rpc.NewClientWithCodec(jsonrpc.NewClientCodec(connection{in, out}))}
	var q Question
	if err := server.call("Question", Nothing{}, &q); err != nil {
		fmt.Fprintf(failure, "read the question: %v\n", err)
		return 1
	}
	server.engine = engine(q.Engine)
	value, vetted, err := server.answer(q)
	var body []byte
	if err == nil {
		bound(value)
		body, err = json.Marshal(value)
	}
	// An error of the server comes back here: the server has recorded it already.
	if err != nil && !errors.As(err, new(rpc.ServerError)) {
		err = server.call("Fail", err.Error(), new(Nothing))
	} else if err == nil {
		err = server.call("Answer", Answer{body, vetted}, new(Nothing))
	}
	if err != nil {
		fmt.Fprintln(failure, err)
		return 1
	}
	return 0
}

// gcPercent is also the GC percentage of the server. With it, most answers need no collection.
const gcPercent = 400

// answer answers a question. vetted is true if the answer contains what vet found.
func (r remote) answer(q Question) (value any, vetted bool, err error) {
	ctx := context.Background()
	compiler := programs.Compiler{Builder: r, GOOS: "wasip1", Language: q.Language}
	play := programs.Playground{Compiler: compiler, Runner: r, Loader: r, Vetter: r, Output: q.Output}
	body := string(q.Body)
	switch q.Kind {
	case Check:
		stage := func(name string) { r.tell(queue.Stage(name)) }
		value, err = verdict.Checker{Builder: r, Runner: r, Stage: stage, Advise: advice.Of}.Check(ctx, q.Exercise, q.Files)
	case Compile:
		var response *programs.Response
		response, err = play.Compile(ctx, body, q.WithVet)
		value, vetted = response, err == nil && response.VetErrors != ""
	case Vet:
		plan, problem := play.Plan(body)
		if problem == "" {
			problem, err = r.Vet(ctx, plan)
			vetted = true
		}
		value = &programs.Response{Errors: problem}
	case Escape:
		value, err = play.Explain(ctx, body)
	case Format:
		value = format(q)
	case Step:
		stepper := step.Stepper{Compiler: compiler, Recorder: r, Picture: func(d *step.Document) {
			if text, err := json.Marshal(d); err == nil {
				r.tell(queue.Event{Name: queue.EventPicture, Data: string(text)})
			}
		}}
		value, err = stepper.Steps(ctx, body)
	default:
		err = fmt.Errorf("%q is not a kind of question", q.Kind)
	}
	return value, vetted, err
}

// maxFormatted is the limit on the size of a formatted program, in bytes. The size of the indentation grows with the
// square of the depth of nesting: 24 KB can become 64 MB.
const maxFormatted = 1 << 20

// format formats a program and, if the question says so, completes its imports.
func format(q Question) *programs.Formatted {
	goFile := programs.FormatGo
	if q.Imports {
		goFile = func(name string, text []byte) ([]byte, error) { return imports.Process(name, text, nil) }
	}
	text, err := programs.Format(q.Body, goFile)
	if err == nil && len(text) > maxFormatted {
		err = fmt.Errorf("%s: formatted, the program is larger than %d KiB", programs.File, maxFormatted>>10)
	}
	if err != nil {
		return &programs.Formatted{Error: strings.TrimSpace(err.Error())}
	}
	return &programs.Formatted{Body: string(text)}
}

// tell reports an event of the work. The server shows it to the client, or nobody waits for it.
func (r remote) tell(e queue.Event) { r.call("Tell", e, new(Nothing)) }

// A connection is the process's input and output. The process ends with its input: the server has ended then, or needs
// no answer any more.
type connection struct {
	io.Reader
	io.Writer
}

func (c connection) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err != nil && n == 0 {
		os.Exit(1)
	}
	return n, err
}

func (c connection) Close() error { return nil }
