package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/safefile"
	"onthestack/tools/checkalloc/app"
)

// runAll explains each package that the patterns name and that has benchmarks, behind an index of all of them.
func (c *explainCall) runAll(ctx context.Context, patterns []string, m userpkg.MeasureOptions) (int, error) {
	if c.html != "" || c.sarif || c.markdown || len(c.releases) > 0 {
		return 0, app.Usagef("--html, --sarif, --markdown and --go take one package, not %s",
			strings.Join(patterns, " "))
	}
	config := userpkg.Config{Tags: c.tags}
	packages, err := config.List(ctx, patterns...)
	if err != nil {
		return 0, asUsage(err)
	}
	var benchmarked []userpkg.Metadata
	for _, p := range packages {
		switch {
		case p.Error != nil && len(p.Files())+len(p.IgnoredGoFiles) == 0:
			return 0, app.UsageError(p.Error.Err)
		case hasBenchmarks(p):
			benchmarked = append(benchmarked, p)
		}
	}
	if len(benchmarked) == 0 {
		return 0, app.Usagef("%s: %s, none with a benchmark",
			strings.Join(patterns, " "), present.Plural(len(packages), "package"))
	}
	line := printable.NewStatusLine(c.Err)
	defer line.Clear()
	code := app.ExitPassed
	var all []*explanation
	var failed []error
	for i, p := range benchmarked {
		e, err := explainPackage(ctx, line, config, p.ImportPath, m, c.scope())
		if e != nil {
			all = append(all, e)
			if !e.verdict.Pass {
				code = app.ExitFailed
			}
		}
		if ctx.Err() != nil {
			failed = append(failed, fmt.Errorf("interrupted in %s, %d of %d", p.ImportPath, i+1, len(benchmarked)))
			break
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.ImportPath, err))
		}
	}
	line.Clear()
	if c.JSON {
		for _, e := range all {
			if err := c.JSONEncoder().Encode(e.verdict); err != nil {
				return 0, err
			}
		}
		return code, errors.Join(failed...)
	}
	terminal.Index(c.Out, verdicts(all), c.Width)
	for _, e := range all {
		c.print(e)
	}
	return code, errors.Join(failed...)
}

// hasBenchmarks reports whether a package's tests look as if they had benchmarks.
func hasBenchmarks(p userpkg.Metadata) bool {
	return slices.ContainsFunc(slices.Concat(p.TestGoFiles, p.XTestGoFiles), func(name string) bool {
		text, err := safefile.ReadLinked(filepath.Join(p.Dir, name), name, userpkg.MaxSource)
		return err == nil && bytes.Contains(text, []byte("\nfunc Benchmark"))
	})
}

// flagsOfTests are the flags of "go test" that a test binary has too, with the prefix "test.".
var flagsOfTests = []string{"cpu", "parallel", "short", "v", "failfast", "fullpath", "shuffle", "artifacts",
	"outputdir"}

// testFlags returns arguments for a test binary: flags of "go test" with the binary's own names, and what follows -args
// as it is.
func testFlags(args []string) (flags []string) {
	for i, arg := range args {
		name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if arg != name && name == "args" {
			return append(flags, args[i+1:]...)
		}
		before, _, _ := strings.Cut(name, "=")
		if arg != name && slices.Contains(flagsOfTests, before) {
			arg = "-test." + name
		}
		flags = append(flags, arg)
	}
	return flags
}
