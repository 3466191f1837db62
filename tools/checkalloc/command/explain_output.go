package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"unicode"

	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/present/html"
	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/safefile"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// show writes an explanation of the package that a pattern names, in the format that the flags choose. A page shows the
// command that it answers.
func (c *explainCall) show(e *userpkg.Explanation, pattern string) (code int, err error) {
	module := e.Module.Path
	switch {
	case !atMostOne(c.JSON, c.html != "", c.sarif, c.markdown):
		return 0, app.Usagef("use only one of --json, --html, --sarif and --markdown")
	case c.html != "":
		err = c.WritePage(c.html, func(w io.Writer) error {
			return html.Write(w, e.Verdict, html.Options{Source: e.Source, Module: module,
				Command: c.Program + " explain " + pattern + c.measured()})
		})
		if err != nil {
			err = fmt.Errorf("write the page: %w", err)
		}
	case c.sarif:
		err = printTo(printable.JSON(c.Raw), func(w io.Writer) error {
			folder, others := folders(e)
			return report.SARIF(w, e.Verdict, report.SARIFOptions{Source: e.Source, Dir: folder, Others: others,
				Version: version()})
		})
	case c.markdown:
		err = printTo(printable.NewWriter(c.Raw), func(w io.Writer) error {
			return report.Markdown(w, e.Verdict, e.Source, module)
		})
	case c.JSON:
		err = c.JSONEncoder().Encode(e.Verdict)
	default:
		c.print(e)
	}
	if err == nil && !e.Verdict.Pass {
		return app.ExitFailed, nil
	}
	return app.ExitPassed, err
}

// print writes an explanation for a person.
func (c *explainCall) print(e *userpkg.Explanation) {
	terminal.Explanation(c.Out, e.Verdict, c.top,
		terminal.Options{Width: c.Width, Command: c.Program, Source: e.Source, Module: e.Module.Path})
}

// measured returns the flags that say what was measured and differ from their defaults, quoted for a shell.
func (c *explainCall) measured() string {
	var flags string
	if c.bench != "." {
		flags += " --bench " + quoted(c.bench)
	}
	if c.count > 1 {
		flags += fmt.Sprintf(" --count %d", c.count)
	}
	if c.tags != "" {
		flags += " --tags " + quoted(c.tags)
	}
	return flags
}

// quoted quotes an argument for a shell, if it needs quotes.
func quoted(argument string) string {
	special := func(r rune) bool {
		return r != '/' && r != '.' && r != '_' && r != ',' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	if argument != "" && !strings.ContainsFunc(argument, special) {
		return argument
	}
	return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
}

// version returns the version of this program if its build recorded one.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

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
	var all []*userpkg.Explanation
	var verdicts []*verdict.Verdict
	var failed []error
	for i, p := range benchmarked {
		e, err := explainPackage(ctx, line, config, p.ImportPath, m, c.scope())
		if e != nil {
			all, verdicts = append(all, e), append(verdicts, e.Verdict)
			if !e.Verdict.Pass {
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
		return code, errors.Join(append(failed, c.encode(verdicts))...)
	}
	terminal.Index(c.Out, verdicts, c.Width)
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
