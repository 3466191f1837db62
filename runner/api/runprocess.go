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
	"time"

	"onthestack/internal/confine"
	"onthestack/internal/execution"
	"onthestack/internal/sandbox"
)

// A runRequest is what the process reads.
type runRequest struct {
	Binary string
	Args   []string
	Limits sandbox.Limits
	Zones  []byte
}

// runMain runs the program that the request on in names, writes the execution.Result to out as JSON, and
// returns the exit code.
func runMain(in io.Reader, out, failure io.Writer) int {
	if err := runOne(in, out); err != nil {
		fmt.Fprintln(failure, err)
		return exitFailed
	}
	return exitOK
}

func runOne(in io.Reader, out io.Writer) error {
	var r runRequest
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	go func() {
		io.Copy(io.Discard, in) // the input ends when the server does
		os.Exit(exitFailed)
	}()
	w := sandbox.Wasm{Limits: r.Limits, Zones: r.Zones, OwnProcess: true}
	result, err := w.RunCompiled(context.Background(), r.Binary, r.Args...)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(result)
}

const (
	// backgroundNice is the niceness of the processes of requests in the background, except for the one below. A build
	// gets a quarter of a processor beside one other process, so that it ends within its limit by the clock.
	backgroundNice = 5
	// programNice is the niceness of the process that runs a program. Beside one other process it gets a twentieth of a
	// processor, which delays the others little; see sched(7). Its limits are in processor time.
	programNice = 13
	// backgroundMemory is the limit on the address space of the process, in bytes. Go's runtime reserves about 1 GiB of
	// it.
	backgroundMemory = 4 << 30
	// maxResult bounds what the process writes, in bytes: JSON of the output of a program.
	maxResult = 8 * execution.MaxOutput
	// maxFailure bounds the message of a process that fails, in bytes.
	maxFailure = 4 << 10
)

// runInProcess runs a program that takes long in a process of its own, which gets a low priority and is bounded in
// processor time.
func runInProcess(ctx context.Context, w sandbox.Wasm, binary string, args []string) (*execution.Result, error) {
	request, err := json.Marshal(runRequest{Binary: binary, Args: args, Limits: w.Limits, Zones: w.Zones})
	if err != nil {
		return nil, fmt.Errorf("run a program: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, runCommand)
	cmd.Env = runEnviron()
	// Compiling may use two processors. The process measures the limits itself; the system holds it to their sum.
	most := cmp.Or(w.Limits.Ready, sandbox.DefaultReady) + 2*w.Limits.Time
	confine.Bound(cmd, confine.Limits{Memory: backgroundMemory, CPU: most, Nice: programNice})
	cmd.WaitDelay = time.Second
	out := &execution.Buffer{Meter: &execution.Meter{Left: maxResult, Full: func() {}}}
	failure := &execution.Buffer{Meter: &execution.Meter{Left: maxFailure, Full: func() {}}}
	cmd.Stdout, cmd.Stderr = out, failure
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("run a program: %w", err)
	}
	if err = cmd.Start(); err == nil {
		go input.Write(request) // fails if the process ends, whose exit code then says why
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &exit) && (exit.ExitCode() < 0 || execution.OutOfMemory(failure.Bytes())):
		stop := execution.Stop{Kind: execution.Killed}
		return &execution.Result{Exit: 1, Stop: stop, Events: []execution.Event{
			{Message: fmt.Sprintf("the program %s\n", stop), Kind: execution.Stderr}}}, nil
	case err != nil:
		return nil, fmt.Errorf("run a program: %w: %s", err, bytes.TrimSpace(failure.Bytes()))
	}
	result := new(execution.Result)
	if err := json.Unmarshal(out.Bytes(), result); err != nil {
		return nil, fmt.Errorf("run a program: read its result: %w", err)
	}
	return result, nil
}

// runEnviron returns the environment of the process, which says nothing about this machine.
func runEnviron() []string {
	env := []string{}                               // nil would stand for the environment of this process
	if root, ok := os.LookupEnv("SYSTEMROOT"); ok { // Windows
		env = append(env, "SYSTEMROOT="+root)
	}
	return env
}
