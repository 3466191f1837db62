package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/pflag"

	"onthestack/runner/format"
	"onthestack/runner/settings"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// run serves until a signal ends it, and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if slices.Equal(args, []string{format.Command}) {
		return format.Main(stdin, stdout, stderr)
	}
	set, err := settings.Parse(args, os.LookupEnv, stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "runner: %v\nTry \"runner --help\".\n", err)
		return exitUsage
	}
	collectLess(os.LookupEnv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	if err := serve(ctx, set, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "runner: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// What the garbage collector is told, unless the user tells it otherwise by GOGC or GOMEMLIMIT. At Go's own 100 %, a fifth of the
// time of an interpreted program goes into collecting; the limit, which is a soft one, keeps the heap from growing to five times
// what is in use where that is much.
const (
	collectPercent = 400
	memoryLimit    = 1 << 30
)

func collectLess(lookup func(string) (string, bool)) {
	if _, ok := lookup("GOGC"); !ok {
		debug.SetGCPercent(collectPercent)
	}
	if _, ok := lookup("GOMEMLIMIT"); !ok {
		debug.SetMemoryLimit(memoryLimit)
	}
}

// newLog returns the log in the form that was asked for.
func newLog(set settings.Settings, out io.Writer) *slog.Logger {
	if set.LogJSON {
		return slog.New(slog.NewJSONHandler(out, nil))
	}
	return slog.New(slog.NewTextHandler(out, nil))
}
