package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/printable"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/watch"
)

// runWatch explains a package, and again whenever one of its files is saved, until ctx ends. A package that cannot be
// explained any more is waited for.
func (c *explainCall) runWatch(ctx context.Context, args []string, m userpkg.MeasureOptions) (int, error) {
	pattern := slices.Concat(args, []string{"."})[0]
	if c.JSON || c.html != "" || c.sarif || c.markdown || len(c.releases) > 0 || len(args) > 1 ||
		strings.Contains(pattern, "...") {
		return 0, app.Usagef("--watch takes one package, and no other format or release")
	}
	config := userpkg.Config{Tags: c.tags}
	var files *watch.Files
	for ctx.Err() == nil {
		packages, err := config.List(ctx, pattern)
		switch {
		case err == nil && len(packages) == 1 && len(packages[0].Files()) > 0:
			files = watch.Remember(packages[0].Dir, packages[0].Files())
		case ctx.Err() != nil:
			return app.ExitPassed, nil
		case files == nil && err == nil:
			return 0, app.Usagef("%s: there is no package to watch", pattern)
		case files == nil:
			return 0, asUsage(err)
		}
		fmt.Fprintf(c.Out, "── %s\n\n", time.Now().Format(time.TimeOnly))
		e, err := explainPackage(ctx, printable.NewStatusLine(c.Err), config, pattern, m, c.scope())
		switch {
		case ctx.Err() != nil:
			return app.ExitPassed, nil
		case err != nil:
			fmt.Fprintln(c.Err, printable.Text(strings.TrimRight(err.Error(), "\n")))
		default:
			c.print(e)
		}
		fmt.Fprintln(c.Out)
		files.Changed(ctx)
	}
	return app.ExitPassed, nil
}
