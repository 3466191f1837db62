package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"onthestack/internal/budget"
	"onthestack/internal/parallel"
	"onthestack/internal/progress"
	"onthestack/internal/render"
	"onthestack/internal/verdict"
)

// An explainer builds a package, named by its import path, and measures the benchmarks that bench, a regular expression as of
// "go test -bench", chooses; with "" it measures none and reports escapes alone. What is wrong with the package's code is in the
// verdict.
type explainer func(ctx context.Context, pkg, bench string) (*verdict.Verdict, error)

// guard holds the packages that the patterns name to the directives in their source; tags are the build tags, separated by commas,
// that explain sets too. Packages without directives are not built.
func (c *command) guard(ctx context.Context, patterns []string, tags string, explain explainer) (int, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	packages, err := guarded(ctx, dir, tags, patterns)
	if err != nil {
		return 0, err
	}
	report, failed := c.hold(ctx, packages, explain)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if c.json {
		e := c.encoder()
		e.SetEscapeHTML(false) // allocs<=1 is read more easily than allocs\u003c=1
		err = e.Encode(report)
	} else {
		c.showGuard(dir, len(packages), report)
	}
	switch {
	case failed != nil || err != nil:
		return 0, errors.Join(failed, err)
	case !report.Holds():
		return exitNotYet, nil
	}
	return exitPassed, nil
}

// hold builds, measures and checks the packages that have directives. It goes on where one of them cannot be checked by a fault
// that is not its own, and returns these errors joined.
func (c *command) hold(ctx context.Context, packages []guardedPackage, explain explainer) (*budget.Report, error) {
	var directives []budget.Directive
	var mistakes []budget.Mistake
	var findings []budget.Finding
	var build []guardedPackage
	for _, p := range packages {
		directives = append(append(directives, p.directives...), p.excluded...)
		mistakes = append(mistakes, p.mistakes...)
		findings = append(findings, budget.NotChecked(p.excluded, "build constraints leave this file out here")...)
		if len(p.directives) > 0 {
			build = append(build, p)
		}
	}
	line := progress.New(c.err)
	defer line.Clear()
	type outcome struct {
		verdict *verdict.Verdict
		err     error
	}
	var failed []error
	// The company of other packages costs a benchmark time, and no limit is on time.
	for i, wait := range parallel.InOrder(ctx, len(build), func(ctx context.Context, i int) (o outcome) {
		o.verdict, o.err = explain(ctx, build[i].path, budget.Benchmarks(build[i].directives))
		return o
	}) {
		line.Show("holding the budgets of %s, %d of %d", build[i].path, i+1, len(build))
		stop := slowly(line, build[i].path)
		o := wait()
		stop()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case o.err != nil:
			// The package is named once.
			text := strings.TrimPrefix(untemporary(o.err).Error(), build[i].path+": ")
			failed = append(failed, hidden{build[i].path + ": " + text, o.err})
			findings = append(findings, budget.NotChecked(build[i].directives, text)...)
		default:
			findings = append(findings, budget.Check(build[i].directives, o.verdict)...)
		}
	}
	return budget.NewReport(directives, mistakes, findings), errors.Join(failed...)
}

// showGuard prints the report, and under GitHub Actions what makes it annotations of a pull request.
func (c *command) showGuard(dir string, packages int, r *budget.Report) {
	if r.Held+r.Broken+r.Errors == 0 {
		fmt.Fprintf(c.out, "no //checkalloc: directive in %s\n", count(packages, "package"))
		return
	}
	render.Guard(c.out, r)
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		render.Annotations(c.plain, r, func(file string) string { return repositoryPath(os.Getenv("GITHUB_WORKSPACE"), dir, file) })
	}
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// repositoryPath is the slash-separated path from a checkout's root of a file that dir's programs call file.
func repositoryPath(root, dir, file string) string {
	if !filepath.IsAbs(file) && root != "" {
		if rel, err := filepath.Rel(root, filepath.Join(dir, file)); err == nil && !strings.HasPrefix(rel, "..") {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}
