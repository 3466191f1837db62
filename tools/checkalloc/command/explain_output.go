package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
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
	case !atMostOne(c.JSON, c.html != "", c.sarif, c.markdown, c.benchFormat):
		return 0, app.Usagef("use only one of --json, --html, --sarif, --markdown and --bench-format")
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
	case c.benchFormat:
		err = c.printBench([]*verdict.Verdict{e.Verdict})
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

// printBench prints benchmarks as "go test -bench -benchmem" does, and on stderr why others have no figures.
func (c *explainCall) printBench(all []*verdict.Verdict) error {
	cpu := report.Processor{Name: processorName(), N: processors(testFlags(c.testFlags))}
	return printTo(printable.NewWriter(c.Raw), func(w io.Writer) error {
		for _, v := range all {
			for _, p := range v.Errors {
				fmt.Fprintf(c.Err, "%s: %s: %s\n", v.Package, printable.Clean(p.Place()), printable.Clean(p.Message))
			}
			for _, n := range v.NotMeasured {
				fmt.Fprintf(c.Err, "%s: %s %s: %s\n", v.Package, n.Name, n.Outcome, printable.Clean(n.Why))
			}
			if err := report.BenchFormat(w, v, cpu); err != nil {
				return err
			}
		}
		return nil
	})
}

// processorName returns the name of the processor as "go test -bench" prints it, "" where it is not known.
func processorName() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // only Linux has it
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// processors returns GOMAXPROCS of a test binary with these flags.
func processors(flags []string) int {
	for i, flag := range flags {
		name, value, ok := strings.Cut(flag, "=")
		if !ok && i+1 < len(flags) {
			value = flags[i+1]
		}
		if n, err := strconv.Atoi(value); name == "-test.cpu" && err == nil {
			return n
		}
	}
	return runtime.GOMAXPROCS(0)
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
	if c.JSON && c.benchFormat {
		return 0, app.Usagef("use only one of --json and --bench-format")
	}
	if c.html != "" || c.sarif || c.markdown || len(c.releases) > 0 {
		return 0, app.Usagef("--html, --sarif, --markdown and --go take one package, not %s",
			strings.Join(patterns, " "))
	}
	config := userpkg.Config{Tags: c.tags}
	benchmarked, err := benchmarkedPackages(ctx, config, patterns)
	if err != nil {
		return 0, err
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
	if c.benchFormat {
		return code, errors.Join(append(failed, c.printBench(verdicts))...)
	}
	terminal.Index(c.Out, verdicts, c.Width)
	for _, e := range all {
		c.print(e)
	}
	return code, errors.Join(failed...)
}

// benchmarkedPackages returns the packages with benchmarks that the patterns name. It is wrong usage if there are none.
func benchmarkedPackages(ctx context.Context, config userpkg.Config, patterns []string) ([]userpkg.Metadata, error) {
	packages, err := config.List(ctx, patterns...)
	if err != nil {
		return nil, asUsage(err)
	}
	var benchmarked []userpkg.Metadata
	for _, p := range packages {
		switch {
		case p.Error != nil && len(p.Files())+len(p.IgnoredGoFiles) == 0:
			return nil, app.UsageError(p.Error.Err)
		case hasBenchmarks(p):
			benchmarked = append(benchmarked, p)
		}
	}
	if len(benchmarked) == 0 {
		return nil, app.Usagef("%s: %s, none with a benchmark",
			strings.Join(patterns, " "), present.Plural(len(packages), "package"))
	}
	return benchmarked, nil
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
