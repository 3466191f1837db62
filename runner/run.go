package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/pflag"

	"onthestack/runner/api"
	"onthestack/runner/settings"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// Subcommands.
const (
	workerCommand  = "worker"
	openAPICommand = "openapi"
)

// run serves, or does the work of other runners, until a signal stops it, and returns the exit code. With
// api.FormatCommand it formats one program instead, and with openAPICommand it prints the description of the interface.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if slices.Equal(args, []string{api.FormatCommand}) {
		return api.FormatMain(stdin, stdout, stderr)
	}
	if slices.Equal(args, []string{openAPICommand}) {
		return describe(stdout, stderr)
	}
	parse, do := settings.Parse, serve
	if len(args) > 0 && args[0] == workerCommand {
		parse, do, args = settings.ParseWorker, work, args[1:]
	}
	set, err := parse(args, os.LookupEnv, stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "runner: %v\nTry \"runner --help\".\n", err)
		return exitUsage
	}
	setGC(os.LookupEnv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	if err := do(ctx, set, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "runner: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// Settings of the garbage collector, unless the user has set GOGC or GOMEMLIMIT. With Go's default of 100 percent,
// garbage collection takes a fifth of the time of an interpreted program. The memory limit is a soft one: it has the
// collector run more often when the heap is large.
const (
	gcPercent   = 400
	memoryLimit = 1 << 30 // bytes
)

func setGC(lookup func(string) (string, bool)) {
	if _, ok := lookup("GOGC"); !ok {
		debug.SetGCPercent(gcPercent)
	}
	if _, ok := lookup("GOMEMLIMIT"); !ok {
		debug.SetMemoryLimit(memoryLimit)
	}
}
