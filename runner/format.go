package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"onthestack/internal/confine"
	"onthestack/internal/program"
)

// A formatResponse is the answer of /fmt, in the playground's shape.
type formatResponse struct {
	Body  string
	Error string // where the program does not parse: "prog.go:3:1: …"
}

// formatTime bounds formatting one program: the time that go/format takes grows with the cube of how deep the source nests, and
// 60 KB can take a minute.
const formatTime = 3 * time.Second

// maxFormatted bounds what formatting makes of a program, in bytes.
const maxFormatted = 1 << 20

// formatMemory bounds the address space of that process, in bytes.
const formatMemory = 2 << 30

// formatCommand, as the only argument, makes this program format what is on stdin; see formatOne.
const formatCommand = "format-one"

// withImports is the environment variable that asks formatOne to complete the imports.
const withImports = "RUNNER_IMPORTS"

// format formats the form value "body" and, where "imports" is set, completes its imports.
func (s *server) format(r *http.Request) (task, error) {
	if err := readForm(r); err != nil {
		return task{}, err
	}
	text, fixImports := r.Form.Get("body"), r.Form.Get("imports") != ""
	if len(text) > maxProgram {
		return task{}, errProgramTooLarge
	}
	return task{do: func(ctx context.Context) (result, error) {
		response, err := formatted(ctx, text, fixImports)
		return result{answer: response}, err
	}}, nil
}

// formatted formats in a process of its own, which can be stopped.
func formatted(ctx context.Context, text string, fixImports bool) (formatResponse, error) {
	self, err := os.Executable()
	if err != nil {
		return formatResponse{}, fmt.Errorf("find this program: %w", err)
	}
	// An empty folder stands for GOPATH and for the working directory: imports are looked for in the standard library alone, not
	// in the modules that this machine happens to have, which no program here can import.
	dir, err := os.MkdirTemp("", "runner-format-")
	if err != nil {
		return formatResponse{}, fmt.Errorf("make a folder for formatting: %w", err)
	}
	defer os.RemoveAll(dir)
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, formatTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, formatCommand)
	cmd.Dir = dir
	cmd.Env = formatEnviron(dir, fixImports)
	confine.Bound(cmd, confine.Limits{Memory: formatMemory, CPU: 2 * formatTime})
	// Indentation grows with the square of how deep a source nests: 24 KB can become 64 MB.
	out, mistake := &bounded{most: maxFormatted, full: cancel}, &bounded{most: maxFormatted, full: cancel}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), out, mistake
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case parent.Err() != nil:
		return formatResponse{}, context.Cause(parent)
	case out.over || mistake.over:
		return formatResponse{Error: fmt.Sprintf("%s: formatted, the program is larger than %d KiB", program.File, maxFormatted>>10)}, nil
	case ctx.Err() != nil:
		return formatResponse{Error: fmt.Sprintf("%s: formatting took longer than %v and was stopped", program.File, formatTime)}, nil
	case errors.As(err, &exit) && exit.ExitCode() == exitFailed:
		return formatResponse{Error: strings.TrimSpace(mistake.text.String())}, nil
	case exit != nil:
		// What it printed is its own stack.
		return formatResponse{Error: fmt.Sprintf("%s: formatting needed more memory or time than there is for it", program.File)}, nil
	case err != nil:
		return formatResponse{}, fmt.Errorf("format a program: %w", err)
	}
	return formatResponse{Body: out.text.String()}, nil
}

// A bounded buffer calls full, and keeps nothing more, when there is more than most bytes.
type bounded struct {
	text bytes.Buffer
	most int
	full func()
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.text.Len()+len(p) > b.most; b.over {
		b.full()
	} else {
		b.text.Write(p)
	}
	return len(p), nil
}

// formatEnviron is the environment of the process that formats: where Go is, and nothing else of this machine's. The go command
// that it asks for that keeps statistics in a home folder, also when it is over, so there is none.
func formatEnviron(dir string, fixImports bool) []string {
	env := []string{"GO111MODULE=off", "GOFLAGS=", "GOWORK=off", "GOENV=off", "GOTOOLCHAIN=local", "GOPATH=" + dir, "TMPDIR=" + dir, "PWD=" + dir}
	for _, name := range []string{"PATH", "GOROOT", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if fixImports {
		env = append(env, withImports+"=1")
	}
	return env
}

// formatOne formats the program on in, to out. Where that does not parse it says why on mistake and returns exitFailed.
func formatOne(in io.Reader, out, mistake io.Writer) int {
	text, err := io.ReadAll(in)
	if err != nil {
		fmt.Fprintln(mistake, err)
		return exitUsage
	}
	formatted, err := program.Format(text, os.Getenv(withImports) != "")
	if err != nil {
		fmt.Fprintln(mistake, err)
		return exitFailed
	}
	if _, err := out.Write(formatted); err != nil {
		fmt.Fprintln(mistake, err)
		return exitUsage
	}
	return exitOK
}
