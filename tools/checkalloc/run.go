package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"onthestack/internal/exercise"
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

const usage = `Usage:
  checkalloc                        where you are: progress and the next exercise
  checkalloc EXERCISE... | all      check one exercise, several, or all
  checkalloc list                   the exercises
  checkalloc hint EXERCISE          a hint; one more each time
  checkalloc diff EXERCISE          your code against the solution (once passed, or with --spoil)
  checkalloc solution EXERCISE      the solution (once passed, or with --spoil)
  checkalloc reset EXERCISE         start again: asks first, keeps a backup
  checkalloc init DIR               make a workspace of your own in DIR
  checkalloc dev check|seal|new     for authors (see CONTRIBUTING.md)

Flags:
%s
Exit codes:
  0 passed · 1 not yet · 2 wrong usage · 3 could not check
`

// streams are what a command reads and writes: results go to out, what only a person reads about progress to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// A command is one call of checkalloc.
type command struct {
	streams
	plain   io.Writer // out as it is: what programs read goes through no terminal's colors
	catalog exercise.Catalog
	limits  sandbox.Limits
	width   int
	self    string // how the reader calls this program

	dir      string
	engine   string
	json     bool
	format   string // of package export; "" for none
	points   int
	noColor  bool
	spoil    bool
	yes      bool
	releases []string
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
	flags := pflag.NewFlagSet("checkalloc", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.BoolVar(&c.json, "json", false, "print verdicts as JSON, one a line")
	flags.StringVar(&c.format, "format", "", "print one document for graders: junit, gradescope, github-classroom or exercism")
	flags.IntVar(&c.points, "points", 0, "with --format: the points of all exercises together, whole for each (default: 1 each)")
	flags.StringVar(&c.dir, "dir", "", "the workspace (default: searched from here upwards)")
	flags.StringVar(&c.engine, "engine", "native", "where the solution runs: native, or wasm in a sandbox")
	flags.BoolVar(&c.noColor, "no-color", false, "no color, also on a terminal")
	flags.BoolVar(&c.spoil, "spoil", false, "show a solution that you have not found yet")
	flags.BoolVar(&c.yes, "yes", false, "reset without asking")
	flags.StringSliceVar(&c.releases, "go", nil, "dev check: Go releases (default: the last of Go 1.26 and the newest)")
	help := flags.BoolP("help", "h", false, "print this help")
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}

	if err := flags.Parse(args); err != nil {
		fmt.Fprintf(s.err, "checkalloc: %v; \"checkalloc --help\" lists the flags\n", err)
		return exitUsage
	}
	if *help || flags.Arg(0) == "help" {
		fmt.Fprintf(s.out, usage, flags.FlagUsages())
		return exitPassed
	}
	c.terminal()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	code, err := c.dispatch(ctx, flags.Args())
	if err != nil {
		fmt.Fprintln(s.err, "checkalloc:", message(ctx, err))
		var u errUsage
		if errors.As(err, &u) {
			return exitUsage
		}
		return exitFailed
	}
	return code
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
	if ctx.Err() != nil {
		return "interrupted"
	}
	return err.Error()
}

// terminal learns the width of the terminal that out is, and takes color out of what goes elsewhere.
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
	c.out = out
}

func (c *command) dispatch(ctx context.Context, args []string) (int, error) {
	if c.engine != "native" && c.engine != "wasm" {
		return 0, usageError("--engine %s: it is native or wasm", c.engine)
	}
	if err := c.exportFlags(args); err != nil {
		return 0, err
	}
	if len(args) == 0 {
		return exitPassed, c.overview()
	}
	name, rest := args[0], args[1:]
	one := func(do func(*exercise.Exercise) error) (int, error) {
		if len(rest) != 1 {
			return 0, usageError("%s needs one exercise: \"checkalloc %s exercise1\"", name, name)
		}
		e, err := c.lookup(rest[0])
		if err != nil {
			return 0, err
		}
		return exitPassed, do(e)
	}
	switch name {
	case "list":
		if len(rest) > 0 {
			return 0, usageError("list takes no argument")
		}
		return exitPassed, c.list()
	case "hint":
		return one(c.hint)
	case "diff":
		return one(c.diff)
	case "solution":
		return one(c.solution)
	case "reset":
		reset := true
		code, err := one(func(e *exercise.Exercise) (err error) {
			reset, err = c.reset(e)
			return err
		})
		if err == nil && !reset {
			code = exitNotYet
		}
		return code, err
	case "init":
		if len(rest) != 1 {
			return 0, usageError("init needs a folder: \"checkalloc init DIR\"")
		}
		return exitPassed, c.init(rest[0])
	case "dev":
		return c.dev(ctx, rest)
	}
	exercises := c.catalog
	if name != "all" || len(rest) > 0 {
		exercises = nil
		for _, arg := range args {
			e, err := c.lookup(arg)
			if err != nil {
				return 0, err
			}
			exercises = append(exercises, e)
		}
	}
	return c.check(ctx, exercises)
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
