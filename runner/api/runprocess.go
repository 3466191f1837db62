package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/sandbox"
	"onthestack/runner/analysis"
)

// runCommand is the argument with which the server starts its own executable to run one program. Package analysis has
// another one.
const runCommand = "run-one"

// IsProcess reports whether a server started this process, judging by its arguments. If so, main has to call Process.
func IsProcess(args []string) bool {
	return len(args) == 1 && (args[0] == runCommand || args[0] == analysis.Command)
}

// Process does what a server started this process for, and returns the exit code. ok is false if no server started it:
// see IsProcess.
func Process(args []string, in io.Reader, out, failure io.Writer) (code int, ok bool) {
	switch {
	case !IsProcess(args):
		return 0, false
	case args[0] == analysis.Command:
		return analysis.Main(in, out, failure), true
	}
	if err := runOne(in, out); err != nil {
		fmt.Fprintln(failure, err)
		return 1, true
	}
	return 0, true
}

// A runRequest is what the process reads.
type runRequest struct {
	Binary string
	Args   []string
	Limits sandbox.Limits
	Zones  []byte
	// Late is the limit that the program has reached when the input ends before the program does.
	Late execution.Stop
}

// runOne runs the program that the request on in names, and writes the execution.Result to out as JSON.
func runOne(in io.Reader, out io.Writer) error {
	var r runRequest
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		io.Copy(io.Discard, in) // the server closes the input when the request's time is over
		cancel(execution.StopError{Stop: r.Late})
	}()
	w := sandbox.Wasm{Limits: r.Limits, Zones: r.Zones, OwnProcess: true}
	result, err := w.RunCompiled(ctx, r.Binary, r.Args...)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(result)
}

const (
	// backgroundNice is the niceness of the processes of requests in the background. On two busy processors, one such
	// process gets about a seventh of the processor time. While requests wait for slots, pace gives it less.
	backgroundNice = 5
	// backgroundMemory is the limit on the address space of the process, in bytes. Go's runtime reserves about 1 GiB of
	// it.
	backgroundMemory = 4 << 30
	// maxResult bounds what the process writes, in bytes: JSON of the output of a program.
	maxResult = 8 * execution.MaxOutput
	// maxFailure bounds the message of a process that fails, in bytes.
	maxFailure = 4 << 10
	// lateDelay is how long the process has for its result after the request's time is over.
	lateDelay = 5 * time.Second
)

// runInProcess runs a program that takes long in a process of its own, which gets a low priority. While crowded reports
// that requests wait for slots, the process is suspended again and again. The time in which it is suspended does not
// count as the request's.
func runInProcess(
	ctx context.Context, timer *requestTimer, w sandbox.Wasm, binary string, args []string, crowded func() bool,
) (*execution.Result, error) {
	request, err := json.Marshal(runRequest{Binary: binary, Args: args, Limits: w.Limits, Zones: w.Zones,
		Late: timer.limit})
	if err != nil {
		return nil, fmt.Errorf("run a program: %w", err)
	}
	alive, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	p, err := newRunProcess(alive, w.Limits)
	if err != nil {
		return nil, err
	}
	// The system kills the process when the thread ends that started it; see endWithServer.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("run a program: %w", err)
	}
	go p.input.Write(request) // fails if the process ends, whose exit code then says why
	stop := context.AfterFunc(ctx, func() {
		if _, late := timedOut(context.Cause(ctx)); late {
			p.input.Close()
			time.AfterFunc(lateDelay, kill)
		} else {
			kill()
		}
	})
	defer stop()
	pacing, ended := context.WithCancel(ctx)
	var paced sync.WaitGroup
	if canSuspend {
		paced.Go(func() {
			pace(pacing, crowded, func(suspending bool) {
				suspend(p.cmd.Process, suspending)
				if suspending {
					timer.pause()
				} else {
					timer.resume()
				}
			})
		})
	}
	err = p.cmd.Wait()
	ended()
	paced.Wait()
	return p.result(ctx, err)
}

// A runProcess is a process that runs one program.
type runProcess struct {
	cmd          *exec.Cmd
	input        io.WriteCloser
	out, failure *execution.Buffer
}

// newRunProcess returns a process that is killed when ctx is done.
func newRunProcess(ctx context.Context, limits sandbox.Limits) (*runProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	p := &runProcess{
		cmd:     exec.CommandContext(ctx, self, runCommand),
		out:     &execution.Buffer{Meter: &execution.Meter{Left: maxResult, Full: func() {}}},
		failure: &execution.Buffer{Meter: &execution.Meter{Left: maxFailure, Full: func() {}}},
	}
	p.cmd.Env = analysis.Environ("")
	// Compiling may use two processors. The process measures the limits itself; the system holds it to their sum.
	total := cmp.Or(limits.Ready, sandbox.DefaultReady) + 2*limits.Time
	execution.Bound(p.cmd, execution.ProcessLimits{Memory: backgroundMemory, CPU: total, Nice: backgroundNice})
	endWithServer(p.cmd)
	p.cmd.WaitDelay = time.Second
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.failure
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("run a program: %w", err)
	}
	return p, nil
}

// result returns the result of the process. err is the error of Wait.
func (p *runProcess) result(ctx context.Context, err error) (*execution.Result, error) {
	_, late := timedOut(context.Cause(ctx))
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil && (err != nil || !late):
		return nil, context.Cause(ctx)
	case errors.As(err, &exit) && (exit.ExitCode() < 0 || execution.OutOfMemory(p.failure.Bytes())):
		stop := execution.Stop{Kind: execution.Killed}
		return &execution.Result{Exit: 1, Stop: stop, Events: []execution.Event{
			{Message: fmt.Sprintf("the program %s\n", stop), Kind: execution.Stderr}}}, nil
	case err != nil:
		return nil, fmt.Errorf("run a program: %w: %s", err, bytes.TrimSpace(p.failure.Bytes()))
	}
	result := new(execution.Result)
	if err := json.Unmarshal(p.out.Bytes(), result); err != nil {
		return nil, fmt.Errorf("run a program: read its result: %w", err)
	}
	return result, nil
}

// While requests wait for slots, a process in the background runs for paceSlice of each pacePeriod. A lower priority
// alone is not enough: a nice process keeps its processor for some milliseconds after another one has become ready, and
// a build becomes ready hundreds of times. The policy SCHED_IDLE yields at once, but gives a process almost nothing
// while other programs keep the machine busy.
const (
	paceTick   = 50 * time.Millisecond
	paceSlice  = 200 * time.Millisecond
	pacePeriod = 1 * time.Second
)

// pace calls suspend to suspend and resume a process, as long as crowded reports that requests wait for slots. It
// returns when ctx is done, with the process resumed.
func pace(ctx context.Context, crowded func() bool, suspend func(bool)) {
	tick := time.NewTicker(paceTick)
	defer tick.Stop()
	suspended := false
	set := func(suspending bool) {
		if suspending != suspended {
			suspended = suspending
			suspend(suspending)
		}
	}
	defer set(false)
	for at := time.Duration(0); ; at = (at + paceTick) % pacePeriod {
		set(at >= paceSlice && crowded())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
