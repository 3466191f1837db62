// Package command has the runner's command line: it reads the flags, and makes the server from the packages beside this
// one. The program runner is this command line alone. The program onthestack, a single file for instructors, offers it
// beside the checker's commands, and contains the built site.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/pflag"

	"onthestack/internal/build"
	"onthestack/runner/api"
	"onthestack/runner/settings"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// Run is the runner: it serves, or does the work of other runners, until a signal stops it, and returns the exit code.
// As a process that api.Process describes it does one thing for a server instead, and with "openapi" it prints the
// description of the interface.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if code, ok := api.Process(args, stdin, stdout, stderr); ok {
		return code
	}
	if slices.Equal(args, []string{"openapi"}) {
		text, err := api.OpenAPI()
		if err == nil {
			_, err = stdout.Write(text)
		}
		if err != nil {
			fmt.Fprintf(stderr, "runner: describe the interface: %v\n", err)
			return exitFailed
		}
		return exitOK
	}
	if len(args) > 0 && args[0] == "worker" {
		return RunCommand(settings.RunnerWorker, nil, args[1:], stdin, stdout, stderr)
	}
	return RunCommand(settings.Runner, nil, args, stdin, stdout, stderr)
}

// RunCommand runs a command until it ends or a signal stops it, and returns the exit code. site returns the files of
// the built site; it is nil if they are in the folder that a flag names.
func RunCommand(
	command settings.Command, site func() (fs.FS, error), args []string, stdin io.Reader, stdout, stderr io.Writer,
) int {
	set, err := command.Parse(args, os.LookupEnv, stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\nTry \"%s --help\".\n", command, err, command)
		return exitUsage
	}
	setGC(os.LookupEnv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	run := serve
	if command.IsWorker() {
		run = work
	} else if site != nil {
		set.Pages, err = site()
	}
	if err == nil {
		err = run(ctx, set, stdin, stdout, stderr)
	}
	if set.Room && set.Command != "" && errors.Is(err, build.ErrNoGo) {
		err = fmt.Errorf("a room checks again what participants hand in, for which it needs Go: %w; "+
			"\"%s\" serves the workbook without Go", err, settings.OneFileServe)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", command, err)
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
