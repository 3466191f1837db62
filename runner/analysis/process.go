package analysis

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"os/exec"
	"regexp"
	"time"

	"onthestack/internal/execution"
)

// Limits bound a process that answers a question. Builds and runs have their own limits.
type Limits struct {
	Memory int           // bytes of address space
	CPU    time.Duration // processor time in whole seconds
	// Messages bounds what it writes in bytes: its answer, the picture before it, and the sources that are to be built.
	Messages int
	Nice     int
	// Folder, unless "", is the working directory and the GOPATH of the process, which may call the go command.
	Folder string
}

// DefaultLimits returns the limits of a server. Memory is as much as a build may use. The largest programs that are
// sent take less than a second of processor time.
func DefaultLimits() Limits {
	return Limits{Memory: 2 << 30, CPU: 5 * time.Second, Messages: 64 << 20}
}

// lateDelay is how long the process has for its answer after the request's time is over.
var lateDelay = 5 * time.Second

// maxFailure bounds the message of a process that fails, in bytes. A traceback begins with the reason.
const maxFailure = 4 << 10

// A Failure is the error of a process that ended without an answer. It is the client's program that ended it.
type Failure struct {
	Stop execution.Stop // the limit that it reached; the zero Stop if it crashed
	Log  string         // what it printed when it crashed, for the server's log
}

func (f *Failure) Error() string {
	if f.Stop.Kind != execution.NotStopped {
		return "parsing and type-checking the code " + f.Stop.String() + ": make it smaller or simpler"
	}
	return "the code could not be parsed and type-checked: make it smaller or simpler"
}

// Ask returns the answer of a new process to a question. An error of the means is returned as it is. If the process
// reached a limit or crashed, the error is a *Failure. If ctx ends, so does the process, unless the cause is the end of
// the request's time, an execution.StopError: the means then end at once with results of their own, which make an
// answer, and a process that is still busy soon after that has reached a limit.
func Ask(ctx context.Context, l Limits, q Question, m Means) (Answer, error) {
	self, err := os.Executable()
	if err != nil {
		return Answer{}, fmt.Errorf("find this program: %w", err)
	}
	alive, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	cmd := exec.CommandContext(alive, self, Command)
	cmd.Dir, cmd.Env = l.Folder, Environ(l.Folder)
	execution.Bound(cmd, execution.ProcessLimits{Memory: l.Memory, CPU: l.CPU, Nice: l.Nice})
	cmd.WaitDelay = time.Second
	failure := &execution.Buffer{Meter: &execution.Meter{Left: maxFailure, Full: func() {}}}
	cmd.Stderr = failure
	in, err := cmd.StdinPipe()
	if err != nil {
		return Answer{}, fmt.Errorf("answer a request: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Answer{}, fmt.Errorf("answer a request: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return Answer{}, fmt.Errorf("answer a request: %w", err)
	}
	stop := context.AfterFunc(ctx, func() {
		if errors.As(context.Cause(ctx), new(execution.StopError)) {
			time.AfterFunc(lateDelay, end)
		} else {
			end()
		}
	})
	defer stop()
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &service{ctx: working, question: q, means: m, end: end, builds: map[string]*execution.Build{}}
	defer s.close()
	server := rpc.NewServer()
	if err := server.RegisterName(serviceName, s); err != nil {
		return Answer{}, fmt.Errorf("answer a request: %w", err)
	}
	ended := errors.New("the process of a request has ended")
	messages := &bounded{r: out, left: l.Messages, end: func() { end(); cancel(ended) }}
	// ServeCodec returns when the process has ended and its calls are done: builds and runs end with it.
	server.ServeCodec(jsonrpc.NewServerCodec(struct {
		io.Reader
		io.WriteCloser
	}{messages, in}))
	err = cmd.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var exit *exec.ExitError
	var over execution.StopError
	switch cause := context.Cause(ctx); {
	case s.answer != nil:
		return *s.answer, nil
	case s.err != nil && !errors.Is(s.err, ended):
		return Answer{}, s.err
	case errors.As(cause, &over):
		return Answer{}, &Failure{Stop: execution.Stop{Kind: execution.BuildTime, Time: over.Time}}
	case cause != nil:
		return Answer{}, cause
	case messages.left <= 0:
		return Answer{}, &Failure{Stop: execution.Stop{Kind: execution.Output, Bytes: l.Messages}}
	case errors.As(err, &exit):
		failed := &Failure{Stop: l.reached(exit, failure.Bytes())}
		if failed.Stop.Kind == execution.NotStopped {
			failed.Log = string(bytes.TrimSpace(failure.Bytes()))
		}
		return Answer{}, failed
	}
	return Answer{}, fmt.Errorf("answer a request: %w", err)
}

// reached returns the limit that ended the process, the zero Stop if it crashed.
func (l Limits) reached(exit *exec.ExitError, printed []byte) execution.Stop {
	switch {
	case execution.OutOfMemory(printed):
		return execution.Stop{Kind: execution.Memory, Bytes: l.Memory}
	case noStack.Match(printed):
		return execution.Stop{Kind: execution.Memory, Bytes: maxStack}
	case execution.ReachedCPU(l.CPU, exit.ProcessState):
		return execution.Stop{Kind: execution.ProcessorTime, Time: l.CPU}
	case exit.ExitCode() < 0:
		return execution.Stop{Kind: execution.Killed}
	}
	return execution.Stop{}
}

// noStack matches the message of Go's runtime when the stack is full.
var noStack = regexp.MustCompile(`(?m)^fatal error: stack overflow`)

// Environ returns the environment of a process of the server, which says where Go is if it has a folder, and nothing
// else about this machine. With cgo, the C library would otherwise reserve 128 MiB of address space for each thread. There is no home
// folder: the go command would write its telemetry there, even after the process has ended.
func Environ(folder string) []string {
	env := []string{"MALLOC_ARENA_MAX=1"}
	names := []string{"SYSTEMROOT"} // Windows
	if folder != "" {
		env = append(env, "GO111MODULE=off", "GOFLAGS=", "GOWORK=off", "GOENV=off", "GOTOOLCHAIN=local",
			"GOPATH="+folder, "TMPDIR="+folder, "PWD="+folder)
		names = append(names, "PATH", "GOROOT")
	}
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// A bounded reader ends after left bytes. It calls end when nothing more can be read.
type bounded struct {
	r    io.Reader
	left int
	end  func()
}

func (b *bounded) Read(p []byte) (n int, err error) {
	if b.left > 0 {
		n, err = b.r.Read(p[:min(len(p), b.left)])
		b.left -= n
	}
	if b.left <= 0 {
		err = io.ErrShortBuffer
	}
	if err != nil {
		b.end()
	}
	return n, err
}
