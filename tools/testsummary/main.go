// Command testsummary runs the parts of "make test", "make proof" and "make nightly", and reports at the end how many
// tests ran and how long they took. The parts themselves run the tests, with gotestsum for Go and Node's test runner
// for TypeScript, and leave the results as JUnit XML.
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
	"sync"
	"syscall"
	"time"
)

const usage = `testsummary runs the parts of "make test", "make proof" and "make nightly", counts their tests and measures their time.

usage: testsummary [-note TEXT] TARGET… [-beside TARGET…]

It makes each target, even if an earlier one failed, and at the same time those after -beside. Then it prints a table of
the targets, the failed and the skipped tests, TEXT, and a last line with the numbers of passed, failed and skipped
tests. Programs that run tests write their results as JUnit XML into the folder that the variable TEST_RESULTS names.
`

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// variable is the environment variable with the folder for the results of a part.
const variable = "TEST_RESULTS"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	// An interrupt from the terminal reaches the child processes too. The tests that ran before it are still counted.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	note, targets := "", args
	if len(targets) > 2 && targets[0] == "-note" {
		note, targets = targets[1], targets[2:]
	}
	var beside []string
	if at := slices.Index(targets, "-beside"); at >= 0 {
		targets, beside = targets[:at], targets[at+1:]
	}
	if len(targets) == 0 {
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	all, err := makeParts(ctx, targets, beside, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "testsummary:", err)
		return exitFailed
	}
	all.write(stdout, note)
	if ctx.Err() != nil || !all.ok() {
		return exitFailed
	}
	return exitOK
}

// makeParts makes the targets, and those beside them at the same time. A failed target is not an error.
func makeParts(ctx context.Context, targets, beside []string, stdout, stderr io.Writer) (*summary, error) {
	dir, err := os.MkdirTemp("", "testsummary-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	var others []part
	var othersErr error
	var running sync.WaitGroup
	running.Go(func() { others, othersErr = makeTargets(ctx, beside, dir, true, stdout, stderr) })
	made, err := makeTargets(ctx, targets, dir, false, stdout, stderr)
	running.Wait()
	return &summary{append(made, others...), time.Since(began)}, errors.Join(err, othersErr)
}

// makeTargets makes targets, one after the other. With hold, a target's output appears as a whole when it is made, so
// that it is not mixed with the output of targets that are made at the same time.
func makeTargets(
	ctx context.Context, targets []string, dir string, hold bool, stdout, stderr io.Writer,
) (made []part, err error) {
	for _, target := range targets {
		if ctx.Err() != nil {
			break
		}
		results := filepath.Join(dir, target)
		if err := os.Mkdir(results, 0o755); err != nil {
			return nil, err
		}
		// Not CommandContext: an interrupted part cleans up and ends by itself.
		cmd := exec.Command("make", "--no-print-directory", target)
		var held bytes.Buffer
		if cmd.Stdout, cmd.Stderr = stdout, stderr; hold {
			cmd.Stdout, cmd.Stderr = &held, &held
		}
		cmd.Env = append(os.Environ(), variable+"="+results)
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
		if p.tests, err = readResults(results); err != nil {
			return nil, err
		}
		made = append(made, p)
	}
	return made, nil
}
