package command

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"onthestack/internal/owncode/lsp"
	"onthestack/tools/checkalloc/app"
)

// lsp serves an editor.
func (c *cli) lsp() spec {
	return spec{
		use: "lsp", short: "show allocations in your editor, through the Language Server Protocol",
		example: "checkalloc lsp", codes: "0 the editor ended it · 1 the editor went away · 2 wrong usage · 3 failed",
		complete: cobra.NoFileCompletions, noJSON: true,
		flags: func(_ *cobra.Command, f *pflag.FlagSet) {
			f.Bool("stdio", true, "") // some clients add it to the command of every server
			f.Lookup("stdio").Hidden = true
		},
		do: c.serveEditor,
	}
}

func (c *cli) serveEditor(ctx context.Context, args []string) (int, error) {
	if err := c.checkClient("lsp", "an editor", "In your editor", args); err != nil {
		return 0, err
	}
	defer limitMemory()()
	polite, err := lsp.Serve(ctx, c.In, c.Raw, version())
	if err == nil && !polite {
		return app.ExitNotYet, nil
	}
	return app.ExitPassed, err
}

// checkClient returns an error for wrong usage if a person has called a command that serves a client.
func (c *cli) checkClient(command, client, page string, args []string) error {
	if f, ok := c.In.(*os.File); ok && term.IsTerminal(int(f.Fd())) || len(args) > 0 {
		return app.Usagef("%s takes no arguments: %s starts it and talks to it on standard input and output; the book's "+
			"page %q has the configuration", command, client, page)
	}
	return nil
}
