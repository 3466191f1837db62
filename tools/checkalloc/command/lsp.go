package command

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"onthestack/internal/owncode/lsp"
	"onthestack/tools/checkalloc/app"
)

// lsp serves an editor.
func (c *cli) lsp() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "lsp",
		Short:   "show allocations in your editor, through the Language Server Protocol",
		Example: "checkalloc lsp",
		GroupID: ownCodeGroup,
		Annotations: map[string]string{
			exitCodes: "0 the editor ended it · 1 the editor went away · 2 wrong usage · 3 failed",
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              cobra.ArbitraryArgs,
		RunE:              c.run(c.serveEditor),
	}
	// Some clients add this flag to the command of every server.
	f := cmd.Flags()
	f.SortFlags = false
	f.Bool("stdio", true, "")
	f.Lookup("stdio").Hidden = true
	return c.lastFlags(cmd)
}

func (c *cli) serveEditor(ctx context.Context, args []string) (int, error) {
	if f, ok := c.In.(*os.File); ok && term.IsTerminal(int(f.Fd())) || len(args) > 0 {
		return 0, app.Usagef("lsp takes no arguments: an editor starts it and talks to it on standard input and " +
			"output; the book's page \"In your editor\" has the configuration")
	}
	limit := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(limit)
	debug.SetMemoryLimit(min(limit, memoryLimit))
	polite, err := lsp.Serve(ctx, c.In, c.Raw, version())
	if err == nil && !polite {
		return app.ExitNotYet, nil
	}
	return app.ExitPassed, err
}
