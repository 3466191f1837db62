// Command testsummary runs the parts of "make test", "make proof" and "make nightly", and reports at the end how many tests ran and how
// long they took.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const usage = `testsummary runs the parts of "make test", "make proof" and "make nightly", counts their tests and measures their time.

usage:
  testsummary parts [-note TEXT] TARGET… [-beside TARGET…]
      make each target, even if an earlier one failed, and at the same time those after -beside; then print a table
      of the targets, the skipped tests, TEXT, and a last line with the numbers of passed, failed and skipped tests
  testsummary go ARGUMENT…
      run "go test ARGUMENT…", print its output, and count its tests

Within "testsummary parts", a program that runs tests appends its counts to the file named by the variable
TEST_COUNTS, each as one line of JSON, which is here broken into two:
{"passed": 3, "failed": 0, "skipped": [{"name": "TestX", "reason": "no mdbook"}],
 "packages": [{"name": "runner", "seconds": 9.5}]}
`

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// variable is the environment variable with the name of the file to which programs append their counts.
const variable = "TEST_COUNTS"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	// An interrupt from the terminal reaches the child processes too. The tests that ran before it are still counted.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var ok bool
	var err error
	switch {
	case len(args) >= 2 && args[0] == "parts":
		ok, err = parts(ctx, args[1:], stdout, stderr)
	case len(args) >= 1 && args[0] == "go":
		ok, err = goTest(ctx, args[1:], stdout, stderr)
	default:
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	if err != nil {
		fmt.Fprintln(stderr, "testsummary:", err)
		return exitFailed
	}
	if !ok {
		return exitFailed
	}
	return exitOK
}

// parts makes the targets, prints a summary and reports whether all succeeded. A failed target is not an error.
func parts(ctx context.Context, args []string, stdout, stderr io.Writer) (ok bool, err error) {
	note, targets := "", args
	if targets[0] == "-note" && len(targets) > 2 {
		note, targets = targets[1], targets[2:]
	}
	var beside []string
	if at := slices.Index(targets, "-beside"); at >= 0 {
		targets, beside = targets[:at], targets[at+1:]
	}
	dir, err := os.MkdirTemp("", "testsummary-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	var others []part
	var othersErr error
	var running sync.WaitGroup
	running.Go(func() { others, othersErr = makeTargets(ctx, beside, dir, true, stdout, stderr) })
	made, err := makeTargets(ctx, targets, dir, false, stdout, stderr)
	running.Wait()
	if err := errors.Join(err, othersErr); err != nil {
		return false, err
	}
	all := summary{append(made, others...), time.Since(began)}
	all.write(stdout, note)
	return ctx.Err() == nil && all.ok(), nil
}

// makeTargets makes targets, one after the other. With hold, a target's output appears as a whole when it is made, so
// that it is not mixed with that of targets that are made at the same time.
func makeTargets(
	ctx context.Context, targets []string, dir string, hold bool, stdout, stderr io.Writer,
) (made []part, err error) {
	for _, target := range targets {
		if ctx.Err() != nil {
			break
		}
		counted := filepath.Join(dir, target)
		// Not CommandContext: an interrupted part cleans up and ends by itself.
		cmd := exec.Command("make", "--no-print-directory", target)
		var held bytes.Buffer
		if cmd.Stdout, cmd.Stderr = stdout, stderr; hold {
			cmd.Stdout, cmd.Stderr = &held, &held
		}
		cmd.Env = append(os.Environ(), variable+"="+counted)
		began := time.Now()
		runErr := cmd.Run()
		if _, err := stdout.Write(held.Bytes()); err != nil {
			return nil, err
		}
		p := part{target: target, took: time.Since(began), ok: runErr == nil}
		var exit *exec.ExitError
		if runErr != nil && !errors.As(runErr, &exit) {
			return nil, runErr
		}
		p.used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if p.counts, err = readCounts(counted); err != nil {
			return nil, err
		}
		made = append(made, p)
	}
	return made, nil
}

// goTest runs "go test -json" and prints what "go test" prints: a line for each package, and the output of tests that
// failed.
func goTest(ctx context.Context, args []string, stdout, stderr io.Writer) (ok bool, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that tests can clean up
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	c, readErr := readEvents(out, stdout)
	waitErr := cmd.Wait()
	var exit *exec.ExitError
	if readErr != nil {
		return false, fmt.Errorf("read the output of go test: %w", readErr)
	}
	if waitErr != nil && !errors.As(waitErr, &exit) {
		return false, waitErr
	}
	if name := os.Getenv(variable); name != "" {
		if err := c.append(name); err != nil {
			return false, err
		}
	} else {
		fmt.Fprintln(stdout, c.line())
	}
	if waitErr == nil && c.Failed > 0 {
		return false, fmt.Errorf("go test succeeded although %d tests failed: %s", c.Failed, strings.Join(args, " "))
	}
	return waitErr == nil, nil
}
