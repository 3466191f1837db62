package main

import (
	"bytes"
	"context"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"strings"
	"sync"

	"onthestack/internal/sandbox"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
)

// A programResponse is the answer of /compile, in the playground's shape.
type programResponse struct {
	Errors      string // of the build, or the limit that the program hit
	Events      []sandbox.Event
	Status      int // the program's exit code
	IsTest      bool
	TestsFailed int
	VetErrors   string `json:",omitempty"`
	VetOK       bool   `json:",omitempty"`
}

// What the playground says in these cases; its clients know the texts.
const (
	errPackage     = "package name must be main"
	errBuildTime   = "timeout running go build"
	errRunTime     = "timeout running program"
	errOutputLarge = "Output too large"
)

func (s *server) compile(r *http.Request) (task, error) {
	req, err := readProgramRequest(r)
	if err != nil {
		return task{}, err
	}
	return task{key: req.key(), do: func(ctx context.Context) (result, error) {
		response, err := s.runProgram(ctx, req)
		return result{answer: response}, err
	}}, nil
}

// A program is built as the file progFile of the module playModule.
const (
	progFile   = "prog.go"
	playModule = "play"
)

// runProgram builds the program and runs it, and meanwhile vets it when asked to. A mistake in the program is in the response.
func (s *server) runProgram(ctx context.Context, req programRequest) (*programResponse, error) {
	text := []byte(req.Body)
	if problem := unbuildable(text); problem != "" {
		return &programResponse{Errors: problem}, nil
	}
	src := s.program(text)
	builder := s.toolchain()
	built, err := builder.BuildProgram(ctx, src)
	if err != nil {
		return nil, fmt.Errorf("build a program: %w", err)
	}
	defer built.Close()
	if !built.OK {
		return &programResponse{Errors: buildErrors(built)}, nil
	}

	var vet vetting
	if req.WithVet {
		vet.start(ctx, builder, src)
	}
	result, err := sandbox.Wasm{Limits: s.config.program}.RunProgram(ctx, built.Binary)
	vet.done.Wait()
	if err != nil {
		return nil, fmt.Errorf("run a program: %w", err)
	}
	if vet.err != nil {
		return nil, fmt.Errorf("vet a program: %w", vet.err)
	}
	response := &programResponse{
		Events: result.Events, Status: result.Exit,
		VetErrors: vet.problems, VetOK: req.WithVet && vet.problems == "",
	}
	// What came before the limit is in the events; the playground leaves it out.
	switch result.Stop {
	case sandbox.OutOfTime:
		response.Errors, response.Status = errRunTime, 0
	case sandbox.TooMuchOutput:
		response.Errors, response.Status = errOutputLarge, 0
	}
	return response, nil
}

// unbuildable says what the go command would not, or would only say of the file that program adds; "" for nothing.
func unbuildable(text []byte) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, progFile, text, parser.ImportsOnly)
	if file == nil || file.Name == nil || file.Name.Name == "_" {
		return ""
	}
	if file.Name.Name != "main" {
		return errPackage
	}
	if err != nil {
		return ""
	}
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			return fmt.Sprintf("./%s: import \"C\": there is no cgo here\n", fset.PositionFor(spec.Pos(), false))
		}
	}
	platform := build.Default
	platform.GOOS, platform.GOARCH, platform.CgoEnabled = "wasip1", "wasm", false
	platform.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	if match, err := platform.MatchFile("", progFile); err == nil && !match {
		return "build constraints exclude all Go files: this is wasip1/wasm\n"
	}
	return ""
}

// program lays out a program of one file.
func (s *server) program(text []byte) verdict.Source {
	return verdict.Source{Files: map[string][]byte{
		progFile:  text,
		"go.mod":  []byte("module " + playModule + "\n\ngo " + s.release.language + "\n"),
		stackFile: []byte(stackSource),
	}}
}

// A program's goroutines may have stacks up to 4 MiB, some 50,000 calls deep. With the runtime's own limit, 1 GB, endless
// recursion would take all of the run's time, and the answer would not be Go's "stack overflow": filling 8 MiB takes 0.7 s, and
// walking them for the trace takes 1.8 s.
const (
	// The compiler puts what it says of a whole package at the last file; that is to be the program's.
	stackFile   = "aa_stack.go"
	stackSource = `package main

import _ "unsafe" // for go:linkname; importing runtime/debug would make a small program twice as large

//go:linkname runner_setMaxStack runtime/debug.setMaxStack
func runner_setMaxStack(int) int

func init() { runner_setMaxStack(4 << 20) }
`
)

// buildErrors is what a failed build printed, as the playground shows it.
func buildErrors(b *verdict.Build) string {
	output := withoutBanners(b.Output)
	switch {
	case strings.HasPrefix(b.Stopped, toolchain.TookTooLong):
		return errBuildTime + "\n" + output
	case b.Stopped != "":
		return "go build " + b.Stopped + "\n" + output
	case output == "":
		return "go build failed without saying why\n"
	}
	return output
}

// withoutBanners removes the lines that name the package: "# play".
func withoutBanners(output []byte) string {
	var kept bytes.Buffer
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("# ")) {
			kept.Write(line)
		}
	}
	return strings.ToValidUTF8(kept.String(), "\uFFFD")
}

// A vetting is a go vet under way.
type vetting struct {
	done     sync.WaitGroup
	problems string // "" for none
	err      error
}

func (v *vetting) start(ctx context.Context, t *toolchain.Toolchain, src verdict.Source) {
	v.done.Go(func() {
		b, err := t.Vet(ctx, src)
		if err != nil {
			v.err = err
			return
		}
		defer b.Close()
		switch {
		case b.Stopped != "":
			v.problems = "go vet " + b.Stopped + "\n"
		case !b.OK:
			v.problems = withoutBanners(b.Output)
		}
	})
}
