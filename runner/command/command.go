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

// Subcommands.
const (
	workerCommand  = "worker"
	openAPICommand = "openapi"
)

// Run is the runner: it serves, or does the work of other runners, until a signal stops it, and returns the exit code.
// As a process that api.Process describes it does one thing for a server instead, and with openAPICommand it prints the
// description of the interface.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if code, ok := api.Process(args, stdin, stdout, stderr); ok {
		return code
	}
	if slices.Equal(args, []string{openAPICommand}) {
		return describe(stdout, stderr)
	}
	c := call{name: "runner", parse: settings.Parse, do: serve}
	if len(args) > 0 && args[0] == workerCommand {
		c.parse, c.do, args = settings.ParseWorker, work, args[1:]
	}
	return c.run(args, stdout, stderr)
}

// RunOneFile is a command of onthestack: settings.CommandServe, CommandRoom or CommandWorker. site returns the files of
// the built site. CommandServe serves them on a machine without Go, too.
func RunOneFile(command string, site func() (fs.FS, error), args []string, stdout, stderr io.Writer) int {
	c := call{name: settings.OneFile + " " + command, do: work}
	if command != settings.CommandWorker {
		c.do = func(ctx context.Context, set settings.Settings, stdout, stderr io.Writer) (err error) {
			if set.Pages, err = site(); err != nil {
				return err
			}
			return serve(ctx, set, stdout, stderr)
		}
	}
	c.parse = func(args []string, lookup func(string) (string, bool), out io.Writer) (settings.Settings, error) {
		set, err := settings.ParseCommand(command, args, lookup, out)
		set.GoOptional = command == settings.CommandServe
		return set, err
	}
	return c.run(args, stdout, stderr)
}

// A call is one call of a command.
type call struct {
	name  string // what the user types before the flags
	parse func(args []string, lookup func(string) (string, bool), out io.Writer) (settings.Settings, error)
	do    func(ctx context.Context, set settings.Settings, stdout, stderr io.Writer) error
}

// run runs the command until it ends or a signal stops it, and returns the exit code.
func (c call) run(args []string, stdout, stderr io.Writer) int {
	set, err := c.parse(args, os.LookupEnv, stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\nTry \"%s --help\".\n", c.name, err, c.name)
		return exitUsage
	}
	setGC(os.LookupEnv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	err = c.do(ctx, set, stdout, stderr)
	if set.Room && set.Command != "" && errors.Is(err, build.ErrNoGo) {
		err = fmt.Errorf("a room checks again what participants hand in, for which it needs Go: %w; "+
			"\"%s %s\" serves the workbook without Go", err, settings.OneFile, settings.CommandServe)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", c.name, err)
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
