package api

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/programs"
)

const (
	// formatTime is the limit on the processor time for formatting one program. The time that go/format takes grows
	// with the cube of the depth of nesting, so that 60 KB of source can take a minute.
	formatTime = 3 * time.Second
	// memory is the limit on the address space of the process, in bytes.
	memory = 2 << 30
	// maxFormatted is the limit on the size of a formatted program, in bytes.
	maxFormatted = 1 << 20
)

// A formatted is a formatted program, or the reason why it cannot be formatted.
type formatted struct {
	Text    string
	Mistake string // for the program's author, such as "prog.go:3:1: …"; "" if there is a Text
}

// formatProgram formats a program and, with imports, completes its imports. It runs the executable of the current
// process with the argument formatCommand, in a temporary folder in dir, so that formatting can be stopped. It takes at
// most formatTime, and wall by the clock: that is longer on a busy machine, and not every system bounds processor time.
func formatProgram(
	ctx context.Context, dir, text string, imports bool, wall time.Duration,
) (formatted, error) {
	self, err := os.Executable()
	if err != nil {
		return formatted{}, fmt.Errorf("find this program: %w", err)
	}
	// GOPATH and the working directory are an empty folder. Imports are then completed from the standard library alone,
	// and not from the modules that this machine happens to have, which programs cannot import.
	dir, err = os.MkdirTemp(dir, "format-")
	if err != nil {
		return formatted{}, fmt.Errorf("make a folder for formatting: %w", err)
	}
	defer os.RemoveAll(dir)
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, formatCommand)
	cmd.Dir = dir
	cmd.Env = environ(dir, imports)
	execution.Bound(cmd, execution.ProcessLimits{Memory: memory, CPU: formatTime})
	// The size of the indentation grows with the square of the depth of nesting: 24 KB can become 64 MB.
	meter := &execution.Meter{Left: maxFormatted, Full: cancel}
	out, mistake := &execution.Buffer{Meter: meter}, &execution.Buffer{Meter: meter}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), out, mistake
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case parent.Err() != nil:
		return formatted{}, context.Cause(parent)
	case meter.Exceeded():
		return mistaken("%s: formatted, the program is larger than %d KiB", programs.File, maxFormatted>>10), nil
	case ctx.Err() != nil:
		return tooSlow(wall), nil
	case errors.As(err, &exit) && exit.ExitCode() == exitMistake:
		return formatted{Mistake: strings.TrimSpace(string(mistake.Bytes()))}, nil
	case exit != nil && execution.ReachedCPU(formatTime, exit.ProcessState):
		return tooSlow(formatTime), nil
	case exit != nil:
		// The process printed its own stack, which is of no use to the author.
		return mistaken("%s: formatting ran out of memory", programs.File), nil
	case err != nil:
		return formatted{}, fmt.Errorf("format a program: %w", err)
	}
	return formatted{Text: string(out.Bytes())}, nil
}

func tooSlow(limit time.Duration) formatted {
	return mistaken("%s: formatting took longer than %v and was stopped", programs.File, limit)
}

func mistaken(format string, args ...any) formatted {
	return formatted{Mistake: fmt.Sprintf(format, args...)}
}

// environ returns the environment of the process, which says where Go is, and nothing else about this machine. There is
// no home folder: the go command, which the process calls, would write its telemetry there, even after the process has
// ended.
func environ(dir string, imports bool) []string {
	env := []string{"GO111MODULE=off", "GOFLAGS=", "GOWORK=off", "GOENV=off", "GOTOOLCHAIN=local", "GOPATH=" + dir,
		"TMPDIR=" + dir, "PWD=" + dir}
	for _, name := range []string{"PATH", "GOROOT", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if imports {
		env = append(env, withImports+"=1")
	}
	return env
}
