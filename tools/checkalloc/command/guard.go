package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"onthestack/internal/execution"
	"onthestack/internal/owncode/budget"
	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// guard checks the budgets that //checkalloc: comments set.
func (c *cli) guard() *cobra.Command {
	var flags buildFlags
	cmd := &cobra.Command{
		Use:     "guard [PKG...]",
		Short:   "check the budgets that //checkalloc: comments set",
		Example: "checkalloc guard ./...",
		Annotations: map[string]string{exitCodes: "0 all hold · 1 one does not · 2 wrong usage · 3 could not " +
			"measure"},
		ValidArgsFunction: completeFolders,
		RunE: c.run(func(ctx context.Context, args []string) (int, error) {
			call := guardCall{App: c.App, tags: flags.tags}
			call.explain = func(ctx context.Context, pkg, bench string) (*verdict.Verdict, error) {
				m := userpkg.MeasureOptions{Bench: cmp.Or(bench, noBenchmark), Limit: flags.timeout}
				e, err := explainPackage(ctx, noProgress(), userpkg.Config{Tags: flags.tags}, pkg, m,
					userpkg.OnlyPackage)
				if err != nil {
					return nil, err
				}
				return e.verdict, nil
			}
			return call.run(ctx, args)
		}),
	}
	flags.add(cmd.Flags())
	return c.ownCodeCommand(cmd)
}

// A guardCall is one call of guard. It checks packages against the directives in their source.
type guardCall struct {
	*app.App
	tags string // build tags, separated by commas
	// explain builds a package, named by its import path, and measures the benchmarks that bench selects, a regular
	// expression as of "go test -bench". If bench is "", it measures none and returns the escapes alone. Faults of the
	// package's code are in the verdict.
	explain func(ctx context.Context, pkg, bench string) (*verdict.Verdict, error)
}

// run checks the packages that the patterns name. Packages without directives are not built.
func (c guardCall) run(ctx context.Context, patterns []string) (int, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	packages, err := guardedPackages(ctx, dir, c.tags, patterns)
	if err != nil {
		return 0, err
	}
	report, failed := c.check(ctx, packages)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if c.JSON {
		encoder := c.JSONEncoder()
		encoder.SetEscapeHTML(false) // allocs<=1 is read more easily than allocs\u003c=1
		err = encoder.Encode(report)
	} else {
		c.print(dir, len(packages), report)
	}
	switch {
	case failed != nil || err != nil:
		return 0, errors.Join(failed, err)
	case !report.Holds():
		return app.ExitNotYet, nil
	}
	return app.ExitPassed, nil
}

// check builds, measures and checks the packages that have directives. If one of them cannot be checked by a fault that
// is not its own, check goes on, and returns the report with these errors joined.
func (c guardCall) check(ctx context.Context, packages []guardedPackage) (*budget.Report, error) {
	var directives []budget.Directive
	var mistakes []budget.Finding
	var findings []budget.Finding
	var build []guardedPackage
	for _, p := range packages {
		directives = append(append(directives, p.directives...), p.excluded...)
		mistakes = append(mistakes, p.mistakes...)
		findings = append(findings, budget.NotChecked(p.excluded, "build constraints exclude this file here")...)
		if len(p.directives) > 0 {
			build = append(build, p)
		}
	}
	line := printable.NewStatusLine(c.Err)
	defer line.Clear()
	var failed []error
	// Measuring benchmarks in parallel slows them down, but no budget limits time.
	for i, wait := range execution.InOrder(ctx, len(build), func(ctx context.Context, i int) (*verdict.Verdict, error) {
		return c.explain(ctx, build[i].path, budget.Benchmarks(build[i].directives))
	}) {
		line.Show("checking the budgets of %s, %d of %d", build[i].path, i+1, len(build))
		stop := explainDelay(line, build[i].path)
		v, err := wait()
		stop()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			// The finding names the package, so the message need not.
			text := strings.TrimPrefix(app.HideTempFiles(err).Error(), build[i].path+": ")
			failed = append(failed, app.Reword(err, build[i].path+": "+text))
			findings = append(findings, budget.NotChecked(build[i].directives, text)...)
		default:
			findings = append(findings, budget.Check(build[i].directives, v)...)
		}
	}
	return budget.NewReport(directives, mistakes, findings), errors.Join(failed...)
}

// print prints the report, and under GitHub Actions also as annotations of a pull request.
func (c guardCall) print(dir string, packages int, r *budget.Report) {
	if r.Held+r.Broken+r.Errors == 0 {
		fmt.Fprintf(c.Out, "no //checkalloc: directive in %s\n", present.Plural(packages, "package"))
		return
	}
	report.Guard(c.Out, r)
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		report.Annotations(c.Raw, r, func(file string) string {
			return repositoryPath(os.Getenv("GITHUB_WORKSPACE"), dir, file)
		})
	}
}

// repositoryPath returns the slash-separated path of a file from the root of a checkout. The file's name is relative to
// dir.
func repositoryPath(root, dir, file string) string {
	if !filepath.IsAbs(file) && root != "" {
		if rel, err := filepath.Rel(root, filepath.Join(dir, file)); err == nil && !strings.HasPrefix(rel, "..") {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}
