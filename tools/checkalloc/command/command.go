// Package command has the command line of checkalloc, built with cobra. Each command has a file, with its flags, its
// arguments and its action. Package app has what commands share; package author implements the commands for authors.
package command

import (
	"bufio"
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
	"onthestack/internal/printable"
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
	code, err := waitOrGiveUp(ctx, func() (int, error) {
		err := c.root.ExecuteContext(ctx)
		return c.code, err
	})

	var lost *app.WriteError
	if errors.As(context.Cause(ctx), &lost) {
		if err == nil && errors.Is(lost, syscall.EPIPE) {
			return code // the command is complete, and its reader chose not to read the rest
		}
		err = lost
	}
	var flag *flagError
	switch {
	case err == nil:
		return code
	case errors.Is(err, syscall.EPIPE):
		return app.ExitFailed
	case errors.As(err, &flag):
		fmt.Fprintf(a.Err, "%s: %s; \"%s --help\" lists the flags\n", a.Name, printable.Text(flag.Error()),
			flag.command)
		return app.ExitUsage
	}
	fmt.Fprintf(a.Err, "%s: %s\n", a.Name, printable.Text(app.Message(ctx, err)))
	if errors.As(err, new(app.UsageError)) {
		return app.ExitUsage
	}
	return app.ExitFailed
}

// cleanupTimeout is how long a command that was interrupted may take to clean up.
const cleanupTimeout = 3 * time.Second

// waitOrGiveUp runs a command. If the command is interrupted and does not return within cleanupTimeout, it probably
// writes to a pipe that nobody reads: waitOrGiveUp returns without it.
func waitOrGiveUp(ctx context.Context, run func() (int, error)) (int, error) {
	type result struct {
		code int
		err  error
	}
	ended := make(chan result, 1)
	go func() {
		code, err := run()
		ended <- result{code, err}
	}()
	select {
	case r := <-ended:
		return r.code, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-ended:
		return r.code, r.err
	case <-time.After(cleanupTimeout):
		return app.ExitFailed, context.Cause(ctx)
	}
}

// A cli is the tree of commands over one App.
type cli struct {
	*app.App
	root *cobra.Command
	code int // the exit code of the command that ran without an error
}

func init() { cobra.EnableCommandSorting = false } // the help lists them in the order in which newCLI adds them

func newCLI(a *app.App) *cli {
	c := &cli{App: a}
	c.root = c.check()
	c.root.AddGroup(
		&cobra.Group{ID: workbookGroup, Title: "Usage"},
		&cobra.Group{ID: ownCodeGroup, Title: "For your own code"},
	)
	c.root.AddCommand(
		c.watch(), c.list(), c.task(), c.hint(), c.diff(), c.solution(), c.reset(), c.init(), c.completion(), c.dev(),
		c.explain(), c.suggest(), c.escape(), c.step(), c.compare(), c.guard(), c.lsp(),
	)
	help := c.help()
	c.root.SetHelpCommand(help)
	c.root.AddCommand(help) // cobra does so only when it runs
	c.root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(a.Out, cmd, a) })
	c.root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &flagError{cmd.CommandPath(), oneDash(cmd, err)}
	})
	c.root.CompletionOptions.DisableDefaultCmd = true // see completion.go
	c.root.SilenceErrors, c.root.SilenceUsage = true, true
	c.root.SetIn(a.In)
	c.root.SetOut(a.Raw)
	c.root.SetErr(a.Err)
	return c
}

// A flagError is a mistake in the flags of a command.
type flagError struct {
	command string // "checkalloc watch"
	error
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

// An action is what a command does with its arguments. It returns the exit code.
type action func(ctx context.Context, args []string) (code int, err error)

// run adapts an action to cobra.
func (c *cli) run(do action) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		c.code, err = do(cmd.Context(), args)
		return err
	}
}

// runWithTestFlags is run for a command whose arguments behind "--" are flags for tests.
func (c *cli) runWithTestFlags(testFlags *[]string, do action) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if dash := cmd.ArgsLenAtDash(); dash >= 0 {
			args, *testFlags = args[:dash], args[dash:]
		}
		return c.run(do)(cmd, args)
	}
}

// atMostOne reports whether no more than one of the flags is set.
func atMostOne(set ...bool) bool {
	i := slices.Index(set, true)
	return i < 0 || !slices.Contains(set[i+1:], true)
}

// confirmed asks a question on standard error, and reports whether the reader says yes. If not, it says that the command
// has changed nothing.
func confirmed(a *app.App, command, question string) bool {
	fmt.Fprintf(a.Err, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(a.In).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(answer)); answer == "y" || answer == "yes" {
		return true
	}
	fmt.Fprintf(a.Err, "Nothing was changed. With --yes, %s does not ask.\n", command)
	return false
}

// forExercise is the action of a command with one exercise as its only argument.
func (c *cli) forExercise(name string, do func(*exercise.Exercise) error) func(*cobra.Command, []string) error {
	return c.run(func(_ context.Context, args []string) (int, error) {
		if len(args) != 1 {
			return 0, app.Usagef("%s needs one exercise: \"%s %s exercise1\"", name, c.Name, name)
		}
		e, err := c.Lookup(args[0])
		if err != nil {
			return 0, err
		}
		return app.ExitPassed, do(e)
	})
}

// The groups of commands in the help: on the exercises of a workspace, and on the reader's own code.
const (
	workbookGroup = "workbook"
	ownCodeGroup  = "own-code"
)

// workbookCommand finishes a command on exercises: it adds the flags that all of these have.
func (c *cli) workbookCommand(cmd *cobra.Command) *cobra.Command {
	f := c.commonFlags(cmd, workbookGroup)
	f.StringVar(&c.Dir, "dir", "", "use the workspace in `DIR` (default: the nearest one, from this folder upwards)")
	f.StringVar(&c.Engine, "engine", "",
		"run solutions with engine `NAME`: native, or, in a sandbox, confined or wasm "+
			"(default: native, or wasm with --format)")
	complete(cmd, "dir", completeFolders)
	engines := []cobra.Completion{app.Native, app.Confined, app.Wasm}
	complete(cmd, "engine", cobra.FixedCompletions(engines, cobra.ShellCompDirectiveNoFileComp))
	return c.lastFlags(cmd)
}

// ownCodeCommand finishes a command on the reader's own code: it adds the flags that all of these have.
func (c *cli) ownCodeCommand(cmd *cobra.Command) *cobra.Command {
	c.commonFlags(cmd, ownCodeGroup)
	return c.lastFlags(cmd)
}

func (c *cli) commonFlags(cmd *cobra.Command, group string) *pflag.FlagSet {
	cmd.GroupID = group
	cmd.Args = cobra.ArbitraryArgs // each command checks its arguments itself, and says what it takes
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&c.JSON, "json", false, "print JSON, for programs")
	return f
}

func (c *cli) lastFlags(cmd *cobra.Command) *cobra.Command {
	f := cmd.Flags()
	f.BoolVar(&c.NoColor, "no-color", false, "print no color, even on a terminal")
	f.BoolP("help", "h", false, "print this help")
	cmd.DisableFlagsInUseLine = true
	return cmd
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
