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
	"regexp"
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
	w := sandbox.Wasm{Limits: r.Limits, Zones: r.Zones, OwnProcess: true}
	result, err := w.RunFully(context.Background(), r.Binary, r.Args...)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(result)
}

const (
	// longNice is the niceness of requests in the background. On two busy processors, one such request gets about a
	// seventh of the processor time, which is enough to finish within --request-time. While others wait, pace gives it
	// less.
	longNice = 5
	// longMemory is the limit on the address space of the process, in bytes. Go's runtime reserves about 1 GiB of it.
	longMemory = 4 << 30
	// maxResult bounds what the process writes, in bytes: JSON of the output of a program.
	maxResult = 8 * execution.MaxOutput
	// maxFailure bounds the message of a process that fails, in bytes.
	maxFailure = 4 << 10
)

// runInProcess runs a program that takes long with a low priority in a process of its own. A program inside this
// process could not have a priority. As long as crowded reports that requests wait for slots, the process is paced.
func runInProcess(
	ctx context.Context, w sandbox.Wasm, binary string, args []string, crowded func() bool,
) (*execution.Result, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	request, err := json.Marshal(runRequest{binary, args, w.Limits, w.Zones})
	if err != nil {
		return nil, fmt.Errorf("run a program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, runCommand)
	cmd.Env = runEnviron()
	// If the server is killed, nothing cancels this process, so a limit on processor time ends it. Compiling may use
	// two processors.
	most := 2*cmp.Or(w.Limits.Ready, sandbox.DefaultReady) + 2*w.Limits.Time
	confine.Bound(cmd, confine.Limits{Memory: longMemory, CPU: most, Nice: longNice})
	cmd.WaitDelay = time.Second
	out := &execution.Buffer{Meter: &execution.Meter{Left: maxResult, Full: func() {}}}
	failure := &execution.Buffer{Meter: &execution.Meter{Left: maxFailure, Full: func() {}}}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(request), out, failure
	if err = cmd.Start(); err == nil {
		ended := make(chan struct{})
		go pace(cmd, crowded, ended)
		err = cmd.Wait()
		close(ended)
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &exit) && (exit.ExitCode() < 0 || noMemory.Match(failure.Bytes())):
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

// noMemory matches the message of Go's runtime when the operating system refuses memory.
var noMemory = regexp.MustCompile(`(?m)^(fatal error: |runtime: ).*(out of memory|cannot allocate memory)`)

// runEnviron returns the environment of the process, which says nothing about this machine.
func runEnviron() []string {
	env := []string{}                               // nil would stand for the environment of this process
	if root, ok := os.LookupEnv("SYSTEMROOT"); ok { // Windows
		env = append(env, "SYSTEMROOT="+root)
	}
	return env
}
