// Package app holds what the commands of checkalloc share: the settings of one call, the workbook and its workspace,
// checkers, output, and errors with their exit codes. It knows no command and no flag.
package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"onthestack/internal/advice"
	"onthestack/internal/build"
	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/sandbox"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
)

// The engines that run a solution.
const (
	Native   = "native"
	Wasm     = "wasm"     // in a sandbox
	Confined = "confined" // natively in a sandbox of the operating system's, which only Linux has
)

// An App is one call of checkalloc. Results go to Out and Raw; notices about progress, which only people read, go to
// Err.
type App struct {
	Catalog exercise.Catalog
	Limits  sandbox.Limits
	Name    string // of this program in messages: "checkalloc"
	Program string // how the reader calls this program: "checkalloc", or "go run ./tools/checkalloc"

	In  io.Reader
	Out io.Writer // text for people
	Raw io.Writer // documents for programs: the same stream without any filter
	Err io.Writer
	// Width is the number of columns that text for people may use.
	Width int

	// The flags that several commands have.
	JSON    bool
	NoColor bool
	Verbose bool   // show each line that allocates, also lines that are alike
	Dir     string // the folder to search for the workspace; "" is the current one
	Engine  string // Native, Wasm, Confined, or "" for the default of the command
}

// New returns an App that writes to stdout without any filter, until Start is called.
func New(
	catalog exercise.Catalog, limits sandbox.Limits, program string, stdin io.Reader, stdout, stderr io.Writer,
) *App {
	return &App{
		Catalog: catalog, Limits: limits, Name: "checkalloc", Program: program,
		In: stdin, Out: stdout, Raw: stdout, Err: stderr, Width: 80,
	}
}

// Program returns how the reader calls this program. The go command builds for "go run" in a folder named go-build….
func Program() string {
	if name, err := os.Executable(); err == nil && strings.Contains(filepath.ToSlash(name), "/go-build") {
		return "go run ./tools/checkalloc"
	}
	return "checkalloc"
}

// Start prepares Out for a command: it reads the width of the terminal, removes color where it is not wanted, and
// escapes control characters in text that others wrote. The first error of a write to Out calls cancel with a
// WriteError, because most calls that print do not check for errors.
func (a *App) Start(cancel context.CancelCauseFunc) {
	if width := terminalWidth(a.Out); width > 0 {
		a.Width = width
	}
	out := colorprofile.NewWriter(a.Out, os.Environ())
	if a.NoColor {
		out.Profile = colorprofile.NoTTY
	}
	// The printable writer comes after the one that removes color, so that it sees each line as a log shows it.
	out.Forward = printable.NewWriter(&cancelingWriter{to: out.Forward, cancel: cancel})
	a.Out = out
}

// terminalWidth returns the number of columns that text for people may use on a terminal, and 0 for another writer.
func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return min(max(width, 40), 120)
		}
	}
	return 0
}

// Complain prints an error, or a warning, on Err.
func (a *App) Complain(text string) {
	text = a.Name + ": " + printable.Text(text)
	if width := terminalWidth(a.Err); width > 0 {
		text = present.Wrap(text, width)
	}
	fmt.Fprintln(a.Err, text)
}

// Command returns how the reader calls a command with these arguments; see present.Command.
func (a *App) Command(args ...string) string {
	return present.Command(a.Program + " " + strings.Join(args, " "))
}

// Say prints a paragraph of text for people, indented by n columns.
func (a *App) Say(n int, text string) { fmt.Fprint(a.Out, present.Indent(n, text, a.Width)) }

// JSONEncoder returns an encoder that writes values for programs, one a line.
func (a *App) JSONEncoder() *json.Encoder { return json.NewEncoder(printable.JSON(a.Raw)) }

// exerciseName matches the ways to name an exercise by its number: "3", "ex3", "Exercise-03", the path of its folder,
// with the slash that a shell completes, and the path of a file in it.
var exerciseName = regexp.MustCompile(`(?i)^(?:.*/)?(?:ex(?:ercise)?[-_ ]?)?0*(\d+)/?(?:/[^/]+\.(?:go|toml))?$`)

// ExerciseID returns the ID of the exercise that a name means, "exercise3" for "exercises/exercise3/", or the name itself
// if it means none. "." is the current folder.
func ExerciseID(name string) string {
	path := name
	if dir, err := os.Getwd(); err == nil && (name == "." || name == "./") {
		path = dir
	}
	if m := exerciseName.FindStringSubmatch(filepath.ToSlash(path)); m != nil {
		return "exercise" + m[1]
	}
	return name
}

// Workspace returns the workspace around Dir. It is wrong usage if there is none, or if its folders have the numbers from
// before the exercises were renumbered: the code in them would be checked against other exercises.
func (a *App) Workspace() (*workspace.Workspace, error) {
	w, err := workspace.Find(cmp.Or(a.Dir, "."))
	if errors.Is(err, workspace.ErrNone) {
		return nil, Usagef("%v: run this in the clone of On the Stack, name a workspace with --dir DIR, or make one "+
			"with \"%s init DIR\"", err, a.Program)
	}
	if err == nil && w.Outdated(a.Catalog) {
		return nil, Usagef("the exercises have new numbers, and the folders of %s have the old ones: \"%s init %[1]s\" "+
			"renames the folders and keeps your code", w.Root, a.Program)
	}
	return w, err
}

// Checker returns a checker for the engine that was chosen, Native by default.
func (a *App) Checker() verdict.Checker {
	wasm := verdict.Checker{
		Builder: build.NewWasm(build.SandboxLimits()),
		Runner:  sandbox.Wasm{Limits: a.Limits},
		Advise:  advice.Of,
	}
	switch a.Engine {
	case Wasm:
		return wasm
	case Confined:
		return verdict.Checker{
			Builder: build.New(build.SandboxLimits()),
			Runner:  sandbox.Confined{Limits: a.Limits},
			Serial:  &wasm,
			Advise:  advice.Of,
		}
	}
	tools := build.New(build.DefaultLimits())
	return verdict.Checker{
		Builder: tools, Racer: tools, Runner: sandbox.Native{Limits: a.Limits}, Serial: &wasm, Advise: advice.Of,
	}
}

// Busy says what a check that takes long is doing, or how long it may take.
func (a *App) Busy(checker verdict.Checker) string {
	if tools, ok := checker.Builder.(*build.Toolchain); ok && tools.Busy() != "" {
		return tools.Busy()
	}
	return fmt.Sprintf("a test that does not end is stopped after %v", a.Limits.Time)
}

// PrepareBuilds makes a native checker build without the go command, which takes half as long. The preparation is one
// call of the go command, and pays for a single check already. Checks may begin at once: only their builds wait for it.
// stop ends the preparation and removes its files.
func PrepareBuilds(ctx context.Context, checker verdict.Checker, exercises []*exercise.Exercise) (stop func() error) {
	tools, native := checker.Builder.(*build.Toolchain)
	if !native || checker.Runner.Engine() != Native {
		return func() error { return nil }
	}
	var imports []string
	for _, e := range exercises {
		imports = append(imports, e.Dependencies()...)
	}
	tools.PrepareBeside(ctx, imports...)
	return tools.Close
}

// Code returns the exit code for a result that is good or not yet.
func Code(good bool) int {
	if good {
		return ExitPassed
	}
	return ExitNotYet
}

// FetchReleases downloads the releases of Go that are not on this machine.
func FetchReleases(ctx context.Context, releases []string) error {
	for _, release := range releases {
		if _, err := build.Fetch(ctx, release); err != nil {
			return err
		}
	}
	return nil
}
