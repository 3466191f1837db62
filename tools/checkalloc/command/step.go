package command

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	goversion "go/version"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/module"
	"golang.org/x/tools/txtar"

	"onthestack/internal/build"
	"onthestack/internal/execution"
	"onthestack/internal/present"
	"onthestack/internal/present/html"
	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
	"onthestack/internal/step"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/watch"
)

// step shows what a program does to its stack and its heap.
func (c *cli) step() spec {
	call := &stepCall{App: c.App}
	return spec{
		use: "step FILE.go...", short: "show a program's stack and heap, statement by statement",
		example: "checkalloc step main.go --html main.html", codes: showCodes, complete: completeFiles("go"),
		flags: func(cmd *cobra.Command, f *pflag.FlagSet) {
			f.StringVar(&call.html, "html", "", "write a page to `FILE`")
			f.StringSliceVar(&call.releases, "go", nil,
				"show the Go releases in `LIST` side by side, such as 1.26,1.27")
			complete(cmd, "html", completeFiles("html"))
		},
		do: call.run,
	}
}

type stepCall struct {
	*app.App
	html     string // the file of a page
	releases []string
}

// stepTime bounds the processor time of the two runs of a program, which are at the same time.
const stepTime = 10 * time.Second

// run shows the steps of the program in the files that args name, or of two programs side by side. The exit code is 3
// if one does not build.
func (c *stepCall) run(ctx context.Context, args []string) (int, error) {
	if len(args) == 0 {
		return 0, app.Usagef("step takes the Go files of a program: \"%s step FILE.go\"", c.Program)
	}
	if c.JSON && c.html != "" {
		return 0, app.Usagef("use only one of --json and --html")
	}
	compared, err := c.compared(ctx, args)
	if err != nil {
		return 0, err
	}
	switch {
	case c.JSON && len(compared) == 1:
		return app.ExitPassed, c.JSONEncoder().Encode(compared[0].Steps)
	case c.JSON:
		return app.ExitPassed, c.JSONEncoder().Encode(step.NewComparison(compared...))
	case c.html != "":
		command := c.Program + " step " + strings.Join(args, " ")
		if len(c.releases) > 0 {
			command += " --go " + strings.Join(c.releases, ",")
		}
		return app.ExitPassed, c.WritePage(c.html, func(w io.Writer) error {
			return html.WriteSteps(w, compared, command)
		})
	}
	if in, out, ok := fullScreen(c.App); ok {
		return app.ExitPassed, c.screen(ctx, compared, in, out)
	}
	for n := range longest(compared).Steps {
		fmt.Fprintln(c.Out, terminal.ProgramStep(compared, n, c.Width))
	}
	return app.ExitPassed, nil
}

// longest returns the program with most steps.
func longest(compared []step.Compared) *step.Document {
	return slices.MaxFunc(compared, func(a, b step.Compared) int {
		return len(a.Steps.Steps) - len(b.Steps.Steps)
	}).Steps
}

// compared steps through one program, through two programs in a file each, or through one program on two releases. If
// one does not compile, that is the error.
func (c *stepCall) compared(ctx context.Context, args []string) (compared []step.Compared, err error) {
	if len(c.releases) > 2 {
		return nil, app.Usagef("--go %s: at most two releases fit side by side", strings.Join(c.releases, ","))
	}
	releases, err := fetchReleases(ctx, c.releases)
	if err != nil {
		return nil, err
	}
	programs := [][]string{args}
	if len(args) == 2 && hasMain(args[0]) && hasMain(args[1]) {
		if len(releases) == 2 {
			return nil, app.Usagef("give two programs or two releases, not both: only two fit side by side")
		}
		programs = [][]string{args[:1], args[1:]}
	}
	bodies := make([]string, len(programs))
	for i, files := range programs {
		if bodies[i], err = readProgram(files); err != nil {
			return nil, err
		}
	}
	if len(releases) == 0 {
		releases = []string{""} // the installed one
	}
	for _, release := range releases {
		// Without prepared packages each build would compile the runtime, in a cache that is then thrown away.
		tools, err := build.OpenCached(ctx, build.SandboxLimits(), build.IsolatedOptions{Release: release}, "fmt")
		if err != nil {
			return nil, err
		}
		defer tools.Close()
		for i, files := range programs {
			one := step.Compared{Name: strings.Join(files, " "), Go: tools.Version()}
			what := one.Name
			if len(releases) == 2 {
				one.Name, what = release, "on "+release+", the program"
			}
			if one.Steps, err = steps(ctx, tools, bodies[i]); err != nil {
				return nil, err
			}
			if one.Steps.Errors != "" {
				return nil, fmt.Errorf("%s does not compile:\n%s", what, strings.TrimSuffix(one.Steps.Errors, "\n"))
			}
			compared = append(compared, one)
		}
	}
	return compared, nil
}

// steps builds and runs a program.
func steps(ctx context.Context, tools *build.Isolated, body string) (*step.Document, error) {
	zones, err := tools.Zones()
	if err != nil {
		return nil, err
	}
	language := strings.TrimPrefix(goversion.Lang(tools.Version()), "go")
	return step.Stepper{
		Compiler: programs.Compiler{Builder: tools, GOOS: "wasip1", Language: language},
		Recorder: sandbox.Wasm{
			Limits: sandbox.Limits{Time: stepTime, Output: execution.MaxOutput, Memory: execution.MaxMemory},
			Zones:  zones,
			// Processor time, so that a busy machine does not end the program.
			OwnProcess: true,
		},
	}.Steps(ctx, body)
}

// readProgram reads Go files as one program in the form that package programs describes.
func readProgram(names []string) (string, error) {
	var archive txtar.Archive
	size := 0
	for _, name := range names {
		if filepath.Ext(name) != ".go" {
			return "", app.Usagef("step takes Go files, and %s is none", name)
		}
		if err := module.CheckFilePath(filepath.Base(name)); err != nil {
			return "", app.Usagef("%s: %v", name, err)
		}
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", app.Usagef("%s: no such file", name)
		case err != nil:
			return "", err
		}
		size += int(min(info.Size(), execution.MaxSource))
		if size > execution.MaxSource || info.Size() > execution.MaxSource {
			return "", app.Usagef("%s: a program to step through has at most %d KiB", name, execution.MaxSource>>10)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		archive.Files = append(archive.Files, txtar.File{Name: filepath.Base(name), Data: text})
	}
	return string(txtar.Format(&archive)), nil
}

// hasMain reports whether a file has a main function. A file that cannot be read or parsed has none: its mistake is
// reported when it is built.
func hasMain(name string) bool {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		return false
	}
	main := file.Scope.Lookup("main")
	return main != nil && main.Kind == ast.Fun
}

// screen shows one step at a time on the full screen of a terminal.
func (c *stepCall) screen(ctx context.Context, compared []step.Compared, in, out *os.File) error {
	program := watch.NewProgram(&stepModel{compared: compared, body: viewport.New()}, in, out, !c.NoColor)
	defer context.AfterFunc(ctx, program.Quit)()
	if _, err := program.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("full screen: %w; \"%s step … | cat\" works without it", err, c.Name)
	}
	return nil
}

// A stepModel is the state of the full screen.
type stepModel struct {
	compared []step.Compared
	at       int // the step that is shown
	body     viewport.Model
	width    int
}

const stepKeys = "→ step  ↓ over  ← back  home end  PgUp PgDn scroll  q quit"

// Init implements tea.Model.
func (m *stepModel) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *stepModel) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.width = message.Width
		m.body.SetWidth(message.Width)
		m.body.SetHeight(max(1, message.Height-1))
		m.draw()
	case tea.KeyPressMsg:
		program := longest(m.compared) // whose calls are stepped over
		last := len(program.Steps) - 1
		switch message.String() {
		case "q", "esc", "ctrl+c":
			return m, tea.Quit
		case "right", "n", "space", "enter", "l":
			m.at = min(m.at+1, last)
		case "left", "p", "backspace", "h":
			m.at = max(m.at-1, 0)
		case "down", "o", "j":
			m.at = stepOver(program, m.at)
		case "home", "g":
			m.at = 0
		case "end", "G":
			m.at = last
		default:
			var cmd tea.Cmd
			m.body, cmd = m.body.Update(message)
			return m, cmd
		}
		m.draw()
		m.body.GotoTop()
	}
	return m, nil
}

func (m *stepModel) draw() {
	var text strings.Builder
	io.WriteString(printable.NewWriter(&text), terminal.ProgramStep(m.compared, m.at, max(60, m.width)))
	m.body.SetContent(text.String())
}

// View implements tea.Model.
func (m *stepModel) View() tea.View {
	v := tea.NewView(m.body.View() + "\n" + present.Faint.Render(stepKeys))
	v.AltScreen = true
	return v
}

// stepOver returns the next step in which the goroutine of step at is in the same frame or in one that called it.
func stepOver(d *step.Document, at int) int {
	depth := func(n int) (frames int) {
		for _, f := range d.Steps[n].Stack {
			if f.Goroutine == d.Steps[at].Goroutine {
				frames++
			}
		}
		return frames
	}
	level := depth(at)
	for n := at + 1; n < len(d.Steps); n++ {
		if s := d.Steps[n]; s.Event == step.Ended || s.Goroutine == d.Steps[at].Goroutine && depth(n) <= level {
			return n
		}
	}
	return len(d.Steps) - 1
}
