package build

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/gocommand"
)

// Stop returns the limit that ended a command, given the error of its Run and what it printed. The result is the zero
// Stop for a command that ended by itself, even if it failed. The error is a failure of ours, or why ctx was canceled.
func (l Limits) Stop(ctx context.Context, err error, output []byte) (execution.Stop, error) {
	var exit *exec.ExitError
	var late gocommand.Timeout
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &late):
		return late.Stop(), nil
	case cause != nil:
		return execution.Stop{}, cause
	case err == nil:
		return execution.Stop{}, nil
	case !errors.As(err, &exit):
		return execution.Stop{}, fmt.Errorf("run the Go toolchain: %w", err)
	}
	return l.reached(output, exit), nil
}

// WithTimeout returns a context that ends when l.Time is over. A build that runs several commands calls it once.
func (l Limits) WithTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, l.Time, gocommand.Timeout(l.Time))
}

// run runs a command of the toolchain in the folder dir under the limits, except for Limits.Time, which is in ctx. The
// error is a failure of ours, or why ctx was canceled.
func (l Limits) run(
	ctx context.Context,
	dir string,
	env []string,
	name string,
	args ...string,
) (execution.ToolResult, error) {
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	meter := &execution.Meter{Left: l.Output, Full: cancel}
	output := &execution.Buffer{Meter: meter}
	cmd := execution.Command(ctx, l.ProcessLimits, dir, env, name, args...)
	cmd.Stdout, cmd.Stderr = output, output
	err := cmd.Run()
	o := execution.ToolResult{Output: output.Bytes()}
	if meter.Exceeded() {
		o.Stop = execution.Stop{Kind: execution.Output, Bytes: l.Output}
		return o, nil
	}
	if o.Stop, err = l.Stop(parent, err, o.Output); err != nil {
		return o, err
	}
	switch o.Stop.Kind {
	case execution.NotStopped:
		o.OK = cmd.ProcessState.Success()
	case execution.Memory, execution.FileSize, execution.ProcessorTime, execution.Killed:
		o.Output = nil // the compiler printed its own stack
	}
	return o, nil
}

// Messages of a tool that reaches a limit of the operating system. In messages with text from the program's source, a
// quotation mark precedes that text, so it cannot imitate these.
var (
	fileTooLarge = regexp.MustCompile(`(?m)^[^"` + "`" + `\n]*file too large$`)
	killed       = regexp.MustCompile(`(?m)^[^"` + "`" + `\n]*signal: killed$`)
)

// reached returns the limit of the operating system that a command reached.
func (l Limits) reached(output []byte, exit *exec.ExitError) execution.Stop {
	status, _ := exit.Sys().(syscall.WaitStatus)
	switch {
	case l.Memory > 0 && execution.OutOfMemory(output):
		return execution.Stop{Kind: execution.Memory, Bytes: l.Memory}
	case l.File > 0 && fileTooLarge.Match(output):
		return execution.Stop{Kind: execution.FileSize, Bytes: l.File}
	case !status.Signaled() && !killed.Match(output):
		return execution.Stop{}
	case execution.NearCPU(l.CPU, exit.UserTime()+exit.SystemTime()):
		return execution.Stop{Kind: execution.ProcessorTime, Time: l.CPU}
	}
	return execution.Stop{Kind: execution.Killed}
}

// NoGo returns the error for a machine without a go command, which needs the release oldest ("go1.26") or a newer one.
// It is an ErrNoGo.
func NoGo(oldest string) error {
	return noGo(fmt.Sprintf(
		"the go command is not on PATH: install Go %s or newer (https://go.dev/dl/)",
		strings.TrimPrefix(oldest, "go"),
	))
}

// ErrNoGo is the error, in the sense of errors.Is, for a machine that has no Go or one that is too old.
var ErrNoGo = errors.New("there is no Go release that is new enough")

// A noGo is an ErrNoGo with the text for the user.
type noGo string

func (e noGo) Error() string        { return string(e) }
func (e noGo) Is(target error) bool { return target == ErrNoGo }

// commandLimits bound a command of RunTrusted. The first build with a release compiles the standard library too.
var commandLimits = Limits{Time: 5 * time.Minute}

// RunTrusted runs a trusted command in the folder dir, and returns what it prints on stdout and stderr. If it fails,
// that is in the error.
func RunTrusted(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	ctx, cancel := commandLimits.WithTimeout(ctx)
	defer cancel()
	cmd := execution.Command(ctx, commandLimits.ProcessLimits, dir, env, name, args...)
	out, err := cmd.CombinedOutput()
	// The reader gets the command's name without its folder, which is a path of this machine.
	command := strings.Join(append([]string{filepath.Base(name)}, args...), " ")
	var late gocommand.Timeout
	switch {
	case errors.As(context.Cause(ctx), &late):
		return nil, fmt.Errorf("%s took longer than %v", command, commandLimits.Time)
	case err != nil:
		return nil, fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	return out, nil
}

// Limits bound a build.
type Limits struct {
	Time   time.Duration // wall clock, of the whole build
	Output int           // bytes that the compiler and the linker print
	// The limits of each process of the build, on Unix only. The limit on processor time ends a build even after this
	// process has ended. An Isolated sets Nice from the Source.
	execution.ProcessLimits
}

// DefaultLimits returns the limits for the user's own code. They leave time for the first build on a machine, which
// also compiles the standard library. Memory is twice the Memory of StrangerLimits.
func DefaultLimits() Limits {
	return Limits{Time: 3 * time.Minute, Output: 64 << 20,
		ProcessLimits: execution.ProcessLimits{Memory: 4 << 30, CPU: 3 * time.Minute, File: 1 << 30}}
}

// StrangerLimits returns the limits for programs of strangers on a server, which has compiled the standard library
// before. The compiler reserves 1.2 GiB of address space for hello world, and uses little of it.
func StrangerLimits() Limits {
	return Limits{
		Time:   10 * time.Second,
		Output: 4 << 20, // the escape report on a package with generic iterators and their tests is 1 MiB
		ProcessLimits: execution.ProcessLimits{
			Memory: 2 << 30, CPU: 20 * time.Second, File: 256 << 20, Processes: 8192,
		},
	}
}

// SandboxLimits returns the limits for programs of strangers on a user's own machine. The limits on each process are
// the same as in StrangerLimits. The time is the same as in DefaultLimits, because the first build compiles the
// standard library. The number of processes is not limited, because the limit would count all processes of the user.
func SandboxLimits() Limits {
	l := StrangerLimits()
	l.Time, l.Processes = DefaultLimits().Time, 0
	return l
}
