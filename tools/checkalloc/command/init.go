package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/workspace"
)

// init makes a workspace outside the repository.
func (c *cli) init() *cobra.Command {
	return c.workbookCommand(&cobra.Command{
		Use:               "init DIR",
		Short:             "make a workspace in DIR",
		Example:           "checkalloc init workbook",
		Annotations:       map[string]string{exitCodes: "0 made · 2 wrong usage · 3 could not be made"},
		ValidArgsFunction: completeFolders,
		RunE: c.run(func(_ context.Context, args []string) (int, error) {
			if len(args) != 1 {
				return 0, app.Usagef("init needs a folder: \"%s init DIR\"", c.Name)
			}
			return app.ExitPassed, initWorkspace(c.App, args[0])
		}),
	})
}

func initWorkspace(a *app.App, dir string) error {
	w, err := workspace.Init(dir, a.Catalog)
	if err != nil {
		return errors.Join(app.Usagef("cannot make a workspace of %s", dir), err)
	}
	fmt.Fprintf(a.Out, "A workspace with %d exercises is in %s.\n", len(a.Catalog), w.Root)
	if a.Program != a.Name {
		fmt.Fprintln(
			a.Out,
			"To use checkalloc there, run \"go install ./tools/checkalloc\": it installs to $(go env GOPATH)/bin.",
		)
	} else {
		fmt.Fprintf(a.Out, "Go there and run %s.\n", a.Name)
	}
	return nil
}
