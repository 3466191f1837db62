// Package command has the command line of checkalloc, built with cobra. Most commands have a file, with their flags,
// their arguments and their action; workbook.go has the small ones. Package app has what commands share; package author
// implements the commands for authors.
package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
)

// Run runs one command and returns the exit code. A program that has more than checkalloc adds that by extend.
func Run(a *app.App, args []string, extend ...func(root *cobra.Command)) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// The reader of the output may close it early, as head does. The command has to clean up all the same, so SIGPIPE
	// must not end it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)

	c := newCLI(a)
	for _, add := range extend {
		add(c.root)
	}
	c.root.PersistentPreRunE = func(*cobra.Command, []string) error {
		a.Start(cancel)
		switch a.Engine {
		case "", app.Native, app.Wasm:
		case app.Confined:
			if err := sandbox.Confinable(); err != nil {
				return fmt.Errorf("--engine confined: this machine cannot confine programs: %w; use --engine wasm", err)
			}
		default:
			return app.Usagef("--engine %s: choose native, confined or wasm", a.Engine)
		}
		return nil
	}
	c.root.SetArgs(append([]string{}, args...)) // for nil, cobra takes the arguments of the process
	err := waitOrGiveUp(ctx, func() error { return c.root.ExecuteContext(ctx) })

	var lost *app.WriteError
	if errors.As(context.Cause(ctx), &lost) {
		if err == nil && errors.Is(lost, syscall.EPIPE) {
			return c.code // the command is complete, and its reader chose not to read the rest
		}
		err = lost
	}
	switch {
	case err == nil:
		return c.code
	case errors.Is(err, syscall.EPIPE):
		return app.ExitFailed
	}
	a.Complain(app.Message(ctx, err))
	if errors.As(err, new(app.UsageError)) {
		return app.ExitUsage
	}
	return app.ExitFailed
}

// cleanupTimeout is how long a command that was interrupted may take to clean up.
const cleanupTimeout = 3 * time.Second

// waitOrGiveUp runs a command. If the command is interrupted and does not return within cleanupTimeout, it probably
// writes to a pipe that nobody reads: waitOrGiveUp returns without it.
func waitOrGiveUp(ctx context.Context, run func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- run() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(cleanupTimeout):
		return context.Cause(ctx)
	}
}

// A cli is the tree of commands over one App.
type cli struct {
	*app.App
	root *cobra.Command
	code int // the exit code of the command that ran without an error
}

func init() {
	cobra.EnableCommandSorting = false // the help lists them in the order in which newCLI adds them
	cobra.EnableCaseInsensitive = true
}

func newCLI(a *app.App) *cli {
	c := &cli{App: a}
	c.root = c.command(workbookGroup, c.check())
	c.root.Version = app.Version("", "")
	c.root.Flags().Bool("version", false, "print the release, the commit and the Go release of this program")
	c.root.AddGroup(&cobra.Group{ID: workbookGroup, Title: "Usage"},
		&cobra.Group{ID: ownCodeGroup, Title: "For your own code"})
	for _, s := range c.workbook() {
		c.root.AddCommand(c.command(workbookGroup, s))
	}
	c.root.AddCommand(c.dev())
	for _, s := range []spec{c.explain(), c.suggest(), c.escape(), c.step(), c.compare(), c.guard(), c.lsp(), c.mcp()} {
		c.root.AddCommand(c.command(ownCodeGroup, s))
	}
	help := c.help()
	c.root.SetHelpCommand(help)
	c.root.AddCommand(help) // cobra does so only when it runs
	c.root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(a.Out, cmd, a) })
	c.root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		path := strings.Replace(cmd.CommandPath(), c.Name, c.Program, 1)
		return app.Usagef("%v; %s\"%s --help\" lists the flags", oneDash(cmd, err), nearestFlag(cmd, err), path)
	})
	c.root.CompletionOptions.DisableDefaultCmd = true // see help.go
	c.root.SilenceErrors, c.root.SilenceUsage = true, true
	c.root.SetIn(a.In)
	c.root.SetOut(a.Raw)
	c.root.SetErr(a.Err)
	return c
}

// oneDash returns an error that tells how to write a flag if err is about one with a single dash, as for go test.
func oneDash(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "=")
		if cmd.Flags().Lookup(name) != nil {
			return fmt.Errorf("unknown flag -%s: write --%s, with two dashes", name, name)
		}
	}
	return err
}

// nearestFlag returns a question with the flags whose names are near to the one that err does not know.
func nearestFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return ""
	}
	var flags []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
	return didYouMean("--"+unknown.GetSpecifiedName(), flags)
}

// An action is what a command does with its arguments. It returns the exit code.
type action func(ctx context.Context, args []string) (code int, err error)

// The groups of commands in the help: on the exercises of a workspace, and on the reader's own code.
const (
	workbookGroup = "workbook"
	ownCodeGroup  = "own-code"
)

// A spec describes a command: its help, its arguments, its flags and its action.
type spec struct {
	use, short, example string
	codes               string // what the exit codes mean
	forms               string // of the command's line, if there are several; see usageForms
	complete            cobra.CompletionFunc
	flags               func(*cobra.Command, *pflag.FlagSet) // adds its own flags; nil for none
	noJSON              bool                                 // it has no flag --json
	testFlags           *[]string                            // where arguments behind "--" go; nil for to the action
	do                  action
	exercise            func(*exercise.Exercise) error // in place of do, if the only argument is an exercise
	orNext              bool                           // the exercise may be left out, for the next one
}

// command makes the command that s describes. It adds the flags that all commands of the group have.
func (c *cli) command(group string, s spec) *cobra.Command {
	cmd := &cobra.Command{
		Use: s.use, Short: s.short, Example: s.example, GroupID: group,
		Annotations:           map[string]string{exitCodes: s.codes, usageForms: s.forms},
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs, // each command checks its arguments itself, and says what it takes
		ValidArgsFunction:     s.complete,
	}
	if s.exercise != nil {
		cmd.ValidArgsFunction, s.do = c.completeExercises(1), c.forExercise(cmd.Name(), s)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && s.testFlags != nil {
			args, *s.testFlags = args[:dash], args[dash:]
		}
		if c.code, err = s.do(cmd.Context(), args); errors.Is(err, errDeclined) {
			c.code, err = app.ExitNotYet, nil
		}
		return err
	}
	f := cmd.Flags()
	f.SortFlags = false
	if s.flags != nil {
		s.flags(cmd, f)
	}
	if !s.noJSON {
		f.BoolVar(&c.JSON, "json", false, "print JSON, for programs")
	}
	if group == workbookGroup {
		f.StringVar(&c.Dir, "dir", "",
			"use the workspace in `DIR` (default: the nearest one, from this folder upwards)")
		f.StringVar(&c.Engine, "engine", "",
			"run solutions with engine `NAME`: native, or, in a sandbox, confined or wasm "+
				"(default: native, or wasm with --format)")
		complete(cmd, "dir", completeFolders)
		complete(cmd, "engine", completeWords(app.Native, app.Confined, app.Wasm))
	}
	f.BoolVar(&c.NoColor, "no-color", false, "print no color, even on a terminal")
	f.BoolP("help", "h", false, "print this help")
	return cmd
}

// forExercise is the action of a command with one exercise as its only argument.
func (c *cli) forExercise(name string, s spec) action {
	return func(_ context.Context, args []string) (int, error) {
		if len(args) > 1 || len(args) == 0 && !s.orNext {
			return 0, app.Usagef("%s needs one exercise: \"%s %s exercise1\"", name, c.Program, name)
		}
		e, err := c.named(args)
		if err != nil {
			return 0, err
		}
		return app.ExitPassed, s.exercise(e)
	}
}

// named returns the exercise that the first argument names. Without one, it is the first that has not passed in the
// workspace, or the first of all if all have.
func (c *cli) named(args []string) (*exercise.Exercise, error) {
	if len(args) > 0 {
		return c.lookup(args[0])
	}
	w, err := c.Workspace()
	if err != nil {
		return nil, err
	}
	progress, err := w.Progress()
	if err != nil {
		return nil, err
	}
	return cmp.Or(progress.Next(c.Catalog), c.Catalog[0]), nil // the workbook has exercises
}

// atMostOne reports whether no more than one of the flags is set.
func atMostOne(set ...bool) bool {
	i := slices.Index(set, true)
	return i < 0 || !slices.Contains(set[i+1:], true)
}

// errDeclined is the error of a command that has changed nothing because the reader did not say yes. Its exit code is
// app.ExitNotYet.
var errDeclined = errors.New("the reader did not say yes")

// confirm asks a question on standard error. If the reader does not say yes, it says that the command has changed
// nothing, and returns errDeclined.
func confirm(a *app.App, command, question string) error {
	fmt.Fprintf(a.Err, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(a.In).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(answer)); answer == "y" || answer == "yes" {
		return nil
	}
	fmt.Fprintf(a.Err, "Nothing was changed. With --yes, %s does not ask.\n", command)
	return errDeclined
}

// complete sets how the values of a flag are completed. It panics for a flag that the command does not have.
func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err)
	}
}

// printTo writes a whole document or nothing.
func printTo(out io.Writer, write func(io.Writer) error) error {
	var document strings.Builder
	if err := write(&document); err != nil {
		return err
	}
	_, err := io.WriteString(out, document.String())
	return err
}
