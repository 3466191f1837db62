package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"onthestack/internal/exercise"
	"onthestack/internal/printable"
	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/workspace"
)

// Exit codes.
const (
	exitPassed = 0
	exitNotYet = 1
	exitUsage  = 2
	exitFailed = 3 // the check could not be made
)

// streams are what a command reads and writes: results go to out, what only a person reads about progress to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// A command is one call of checkalloc.
type command struct {
	streams
	plain   io.Writer               // out as it is: what programs read goes through no terminal's colors
	end     context.CancelCauseFunc // where out cannot be written to
	catalog exercise.Catalog
	limits  sandbox.Limits
	width   int
	self    string // how the reader calls this program

	// Flags of all subcommands.
	dir     string
	engine  string // "native" or "wasm", once ready
	json    bool
	noColor bool
	// Flags of some; see subcommands.
	format    string // of package export; "" for none
	points    int
	spoil     bool
	yes       bool
	onlyCheck bool
	releases  []string
	keep      string // folder of cached verdicts; "" for no cache
	brief     bool
	explaining
	versus comparing
}

// errUsage is a mistake in how checkalloc was called.
type errUsage struct{ message string }

func (e errUsage) Error() string { return e.message }

func usageError(format string, args ...any) error { return errUsage{fmt.Sprintf(format, args...)} }

// run is the whole program; it returns the exit code.
func run(args []string, s streams) int {
	catalog, err := exercise.Sealed()
	if err != nil {
		fmt.Fprintln(s.err, "checkalloc:", err)
		return exitFailed
	}
	return runWith(catalog, sandbox.CheckLimits(), self(), args, s)
}

// runWith is run with a catalog, limits and a name of the program of the caller's.
func runWith(catalog exercise.Catalog, limits sandbox.Limits, self string, args []string, s streams) int {
	c := &command{streams: s, plain: s.out, catalog: catalog, limits: limits, self: self}
	sub, rest, err := c.parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		c.help(sub)
		return exitPassed
	case err != nil:
		fmt.Fprintf(s.err, "checkalloc: %s; \"%s\" lists the flags\n", printable.Text(err.Error()), strings.TrimSpace("checkalloc "+sub.name)+" --help")
		return exitUsage
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// Who reads the output may leave, as head does: what is under way has to be cleaned up all the same.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	c.end = cancel
	c.terminal()

	code, err := unlessStuck(ctx, func() (int, error) {
		if err := c.ready(); err != nil {
			return 0, err
		}
		return sub.run(ctx, rest)
	})
	if lost := (unwritten{}); errors.As(context.Cause(ctx), &lost) {
		if err == nil && errors.Is(lost, syscall.EPIPE) {
			return code // all was done, and who left knows
		}
		err = lost
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitFailed
	}
	if err != nil {
		fmt.Fprintln(s.err, "checkalloc:", printable.Text(message(ctx, err)))
		var u errUsage
		if errors.As(err, &u) {
			return exitUsage
		}
		return exitFailed
	}
	return code
}

// grace is how long a command that was interrupted may take to clean up.
const grace = 3 * time.Second

// unlessStuck runs a command. It waits no longer than grace for one that was interrupted: what is not over then writes to a pipe
// that nobody reads.
func unlessStuck(ctx context.Context, run func() (int, error)) (code int, err error) {
	ended := make(chan struct{})
	var late int
	var failed error
	go func() {
		defer close(ended)
		late, failed = run()
	}()
	select {
	case <-ended:
		return late, failed
	case <-ctx.Done():
	}
	select {
	case <-ended:
		return late, failed
	case <-time.After(grace):
		return 0, context.Cause(ctx)
	}
}

// self is how the reader calls this program: "go run" puts what it builds in a folder named go-build….
func self() string {
	if name, err := os.Executable(); err == nil && strings.Contains(filepath.ToSlash(name), "/go-build") {
		return "go run ./tools/checkalloc"
	}
	return "checkalloc"
}

// message is an error's text; an interruption by the user is called by its name.
func message(ctx context.Context, err error) string {
	if ctx.Err() != nil && !errors.As(err, new(unwritten)) {
		return "interrupted"
	}
	return untemporary(err).Error()
}

// terminal learns the width of the terminal that out is, and takes color out of what goes elsewhere. Where nothing can be written any
// more it ends the command.
func (c *command) terminal() {
	c.width = 80
	if f, ok := c.out.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			c.width = min(max(width, 80), 110)
		}
	}
	out := colorprofile.NewWriter(c.out, os.Environ())
	if c.noColor {
		out.Profile = colorprofile.NoTTY
	}
	if c.end != nil {
		out.Forward = &outlet{to: out.Forward, end: c.end}
	}
	// Behind what takes the color out: the beginning of a line is as the reader's log has it.
	out.Forward = printable.NewWriter(out.Forward)
	c.out = out
}

// encoder encodes values for programs as JSON, each on a line.
func (c *command) encoder() *json.Encoder { return json.NewEncoder(printable.JSON(c.plain)) }

// ready validates the flags of all subcommands and sets the default engine. Documents for graders are about other people's code, so
// without --engine that code runs in the sandbox.
func (c *command) ready() error {
	if c.engine == "" {
		c.engine = "native"
		if c.format != "" {
			c.engine = "wasm"
		}
	}
	if c.engine != "native" && c.engine != "wasm" {
		return usageError("--engine %s: it is native or wasm", c.engine)
	}
	return nil
}

// lookup finds an exercise by its name; its number does, too.
func (c *command) lookup(name string) (*exercise.Exercise, error) {
	if e := c.catalog.Lookup(strings.TrimSuffix(name, "/")); e != nil {
		return e, nil
	}
	if e := c.catalog.Lookup("exercise" + name); e != nil {
		return e, nil
	}
	var known []string
	for _, e := range c.catalog {
		known = append(known, e.ID)
	}
	return nil, usageError("no command or exercise %q; the exercises are %s", name, strings.Join(known, ", "))
}

func (c *command) workspace() (*workspace.Workspace, error) {
	dir := c.dir
	if dir == "" {
		dir = "."
	}
	w, err := workspace.Find(dir)
	if errors.Is(err, workspace.ErrNone) {
		return nil, errUsage{err.Error()}
	}
	return w, err
}
