package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"syscall"
	"time"

	"onthestack/internal/compilelink"
	"onthestack/internal/confine"
	"onthestack/internal/execution"
)

// Limits bound a build. Those below Output are the operating system's, for each of the build's processes, on Unix only; 0 is no
// bound.
type Limits struct {
	Time      time.Duration // wall clock, of the whole build
	Output    int           // bytes that compiler and linker print
	Memory    int           // bytes of address space
	CPU       time.Duration // processor time; it ends a build also when this process is no longer there to do so
	File      int           // bytes of a file that is written
	Processes int           // processes and threads of the user's, this process's own included; no bound for root
}

// DefaultLimits are for the caller's own code, and allow for the first build on a machine, which compiles the standard library too.
// Memory is twice what StrangerLimits have.
func DefaultLimits() Limits {
	return Limits{Time: 3 * time.Minute, Output: 64 << 20, Memory: 4 << 30, CPU: 3 * time.Minute, File: 1 << 30}
}

// StrangerLimits are for programs of strangers on a server, where the standard library is compiled already. The compiler needs 1.2 GiB of
// address space for hello world, nearly all of it never touched.
func StrangerLimits() Limits {
	return Limits{Time: 10 * time.Second, Output: 1 << 20, Memory: 2 << 30, CPU: 20 * time.Second, File: 256 << 20, Processes: 8192}
}

// SandboxLimits are for programs of strangers on a person's own machine. A process of the build may take what StrangerLimits allow. The
// time is that of DefaultLimits, because the first build compiles the standard library, and processes are not counted, because all of
// that person's count.
func SandboxLimits() Limits {
	l := StrangerLimits()
	l.Time, l.Processes = DefaultLimits().Time, 0
	return l
}

// overtime is why a build's context ended whose time is over.
type overtime time.Duration

func (o overtime) Error() string { return o.stop().String() }

func (o overtime) stop() execution.Stop {
	return execution.Stop{Kind: execution.BuildTime, Time: time.Duration(o)}
}

// deadline starts the build's time. Who runs several commands for one build starts it once.
func (l Limits) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, l.Time, overtime(l.Time))
}

// bound holds a command to those of the limits that are the operating system's.
func (l Limits) bound(cmd *exec.Cmd) {
	confine.Bound(cmd, confine.Limits{Memory: l.Memory, CPU: l.CPU, File: l.File, Processes: l.Processes})
}

// run runs a command of the toolchain's in dir under the limits, of which ctx holds the time. An error is a failure of ours, or
// the end of the caller's own context.
func (l Limits) run(ctx context.Context, dir string, env []string, command string, args ...string) (compilelink.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	output := &boundedBuffer{limit: l.Output, full: func() { cancel(errOutput) }}
	cmd := exec.CommandContext(ctx, command, args...)
	// With PWD the command calls dir by this name, also where a link leads there.
	cmd.Dir, cmd.Env = dir, slices.Concat(env, []string{"PWD=" + dir})
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = time.Second
	l.bound(cmd)
	err := cmd.Run()
	o := compilelink.Result{Output: output.buf.Bytes()}
	var exit *exec.ExitError
	var late overtime
	switch cause := context.Cause(ctx); {
	case output.over:
		o.Stop = execution.Stop{Kind: execution.Output, Bytes: l.Output}
	case errors.As(cause, &late):
		o.Stop = late.stop()
	case cause != nil:
		return o, cause
	case err != nil && !errors.As(err, &exit):
		return o, fmt.Errorf("run the Go toolchain: %w", err)
	case err != nil:
		if o.Stop = l.reached(o.Output, exit); o.Stop.Kind != execution.NotStopped {
			o.Output = nil // it is the compiler's own stack
		}
	default:
		o.OK = true
	}
	return o, nil
}

var errOutput = errors.New("too much output")

// What a tool says that reached a limit of the system's. What a program's source can make a compiler say has a quote before it.
var (
	outOfMemory = regexp.MustCompile(`(?m)^(fatal error: runtime: .*out of memory|fatal error: runtime: cannot allocate memory|runtime: out of memory|runtime: failed to create new OS thread)` +
		`|^[^"` + "`" + `\n]*cannot allocate memory$`)
	fileTooLarge = regexp.MustCompile(`(?m)^[^"` + "`" + `\n]*file too large$`)
	killed       = regexp.MustCompile(`(?m)^[^"` + "`" + `\n]*signal: killed$`)
)

// reached returns which of the operating system's limits ended a command.
func (l Limits) reached(output []byte, exit *exec.ExitError) execution.Stop {
	status, _ := exit.Sys().(syscall.WaitStatus)
	switch {
	case l.Memory > 0 && outOfMemory.Match(output):
		return execution.Stop{Kind: execution.Memory, Bytes: l.Memory}
	case l.File > 0 && fileTooLarge.Match(output):
		return execution.Stop{Kind: execution.FileSize, Bytes: l.File}
	case !status.Signaled() && !killed.Match(output):
		return execution.Stop{}
	case l.CPU > 0 && exit.UserTime()+exit.SystemTime() >= l.CPU*9/10: // the system counts in ticks
		return execution.Stop{Kind: execution.ProcessorTime, Time: l.CPU}
	}
	return execution.Stop{Kind: execution.Killed}
}

// A boundedBuffer keeps what is written to it up to a limit, and calls full when there is more.
type boundedBuffer struct {
	buf   bytes.Buffer
	limit int
	full  func()
	over  bool
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	keep := min(len(p), b.limit-b.buf.Len())
	b.buf.Write(p[:keep])
	if keep < len(p) && !b.over {
		b.over = true
		b.full()
	}
	return len(p), nil
}
