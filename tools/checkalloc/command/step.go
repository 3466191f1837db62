package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"
	"golang.org/x/term"
	"golang.org/x/tools/txtar"

	"onthestack/internal/execution"
	"onthestack/internal/present/html"
	"onthestack/internal/present/terminal"
	"onthestack/internal/step"
	"onthestack/tools/checkalloc/app"
)

// step shows what a program does to its stack and its heap.
func (c *cli) step() *cobra.Command {
	call := &stepCall{App: c.App}
	cmd := &cobra.Command{
		Use:               "step FILE.go...",
		Short:             "show a program's stack and heap, statement by statement",
		Example:           "checkalloc step main.go --html main.html",
		Annotations:       map[string]string{exitCodes: showCodes},
		ValidArgsFunction: completeFiles("go"),
		RunE:              c.run(call.run),
	}
	cmd.Flags().StringVar(&call.html, "html", "", "write a page to `FILE`")
	cmd.Flags().StringSliceVar(&call.releases, "go", nil,
		"show the Go releases in `LIST` side by side, such as 1.26,1.27")
	complete(cmd, "html", completeFiles("html"))
	return c.ownCodeCommand(cmd)
}

// A stepCall is one call of step.
type stepCall struct {
	*app.App
	html     string // the file of a page
	releases []string
}

// stepTime bounds each of the two runs of a program.
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
	sides, err := c.sides(ctx, args)
	if err != nil {
		return 0, err
	}
	compared, err := stepSides(ctx, sides)
	if err != nil {
		return 0, err
	}
	switch {
	case c.JSON && len(compared) == 1:
		return app.ExitPassed, c.JSONEncoder().Encode(compared[0].Steps)
	case c.JSON:
		return app.ExitPassed, c.JSONEncoder().Encode(step.NewComparison(compared...))
	case c.html != "":
		return app.ExitPassed, c.writePage(compared, args)
	}
	in, isFile := c.In.(*os.File)
	out, isTerminal := c.Raw.(*os.File)
	if isFile && isTerminal && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) {
		return app.ExitPassed, c.screen(ctx, compared)
	}
	for n := range maxSteps(compared) {
		fmt.Fprintln(c.Out, terminal.ProgramStep(compared, n, c.Width))
	}
	return app.ExitPassed, nil
}

// maxSteps returns the number of steps of the longest program.
func maxSteps(compared []step.Compared) (most int) {
	for _, c := range compared {
		most = max(most, len(c.Steps.Steps))
	}
	return most
}

// writePage writes the steps of the files that args name as a page.
func (c *stepCall) writePage(compared []step.Compared, args []string) error {
	command := c.Program + " step " + strings.Join(args, " ")
	if len(c.releases) > 0 {
		command += " --go " + strings.Join(c.releases, ",")
	}
	var page bytes.Buffer
	if err := html.WriteSteps(&page, compared, command); err != nil {
		return err
	}
	if err := app.WriteFile(c.html, page.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "The page is in %s\n", c.html)
	return nil
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
