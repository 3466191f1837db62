package command

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/watch"
)

// explain shows where a package of the reader's allocates.
func (c *cli) explain() spec {
	call := &explainCall{App: c.App}
	return spec{
		use: "explain [PKG...]", short: "show where your packages allocate, how much and why",
		example: "checkalloc explain ./json --bench Decode --html json.html",
		forms: "[PKG...]\tshow where your packages allocate, how much and why\n" +
			"[PKG...] -- TESTFLAGS\tthe same, with flags for the tests, such as -short or -args\n" +
			"--profile FILE [PKG...]\tthe same for a program in production, by its heap profile\n" +
			"--benchmark FUNC [PKG]\twrite a benchmark to begin with for a function",
		codes:    "0 shown or written · 2 wrong usage · 3 could not build or measure",
		complete: completeFolders,
		flags: func(cmd *cobra.Command, f *pflag.FlagSet) {
			call.measureFlags.add(f, "run the benchmarks", 1, "time each benchmark `N` times")
			f.IntVar(&call.top, "top", 0, "show the `N` lines that allocate most (default: all)")
			f.BoolVar(&call.deps, "deps", false, "explain lines of dependencies too, not only the module's")
			f.BoolVar(&call.watch, "watch", false, "explain again whenever a file of the package is saved")
			f.StringSliceVar(&call.releases, "go", nil, "compare the Go releases in `LIST`, such as 1.24,1.26")
			f.StringVar(&call.html, "html", "", "write a page to `FILE`")
			f.BoolVar(&call.sarif, "sarif", false, "print SARIF, for code review")
			f.BoolVar(&call.markdown, "markdown", false, "print Markdown, for a pull request")
			f.BoolVar(&call.benchFormat, "bench-format", false, "print the lines of go test -bench, for benchstat")
			complete(cmd, "html", completeFiles("html"))
			call.profileFlags.add(f)
			f.StringVar(&call.benchmark, "benchmark", "",
				"write a benchmark to begin with for `FUNC`, such as Server.find, into a new file; measure nothing")
			complete(cmd, "benchmark", completeFunctions)
			call.changed = func(name string) bool { return f.Changed(name) }
		},
		testFlags: &call.testFlags, do: call.run,
	}
}

// buildFlags are the flags of commands that build and measure packages of the reader's.
type buildFlags struct {
	tags    string
	timeout time.Duration // of a benchmark
}

func (b *buildFlags) add(f *pflag.FlagSet) {
	f.StringVar(&b.tags, "tags", "", "build with the tags in `LIST`, separated by commas")
	f.DurationVar(&b.timeout, "timeout", time.Minute, "stop a benchmark after `TIME`")
}

// measureFlags are the flags of commands whose reader chooses what is measured.
type measureFlags struct {
	bench     string // a regular expression
	count     int    // how often the time is measured
	benchtime string
	buildFlags
}

func (f *measureFlags) add(flags *pflag.FlagSet, run string, count int, times string) {
	flags.StringVar(&f.bench, "bench", ".", run+" that match `REGEXP`, as with go test")
	flags.IntVar(&f.count, "count", count, times)
	flags.StringVar(&f.benchtime, "benchtime", "",
		"measure for `TIME`, or for a number of operations such as 100x (default: until the figures are stable)")
	f.buildFlags.add(flags)
}

// measurement returns what the flags ask to measure, or an error for wrong usage.
func (f *measureFlags) measurement() (userpkg.MeasureOptions, error) {
	m := userpkg.MeasureOptions{Bench: f.bench, Limit: f.timeout, Benchtime: f.benchtime}
	_, unknown := regexp.Compile(f.bench)
	switch err := userpkg.CheckBenchtime(f.benchtime); {
	case err != nil:
		return m, app.Usagef("--benchtime %s: %v", f.benchtime, err)
	case unknown != nil:
		return m, app.Usagef("--bench: %v", unknown)
	case f.count < 1 || f.count > 10000:
		return m, app.Usagef("--count %d: give a number from 1 to 10000", f.count)
	case f.timeout <= 0:
		return m, app.Usagef("--timeout %v: give a time longer than 0", f.timeout)
	case f.count > 1:
		m.Count = f.count
	}
	return m, nil
}

type explainCall struct {
	*app.App
	measureFlags
	testFlags   []string // for the program that measures, as for go test
	top         int      // lines to show, 0 for all
	deps        bool     // whether lines of dependencies are explained
	watch       bool     // explain again whenever files are saved
	releases    []string
	html        string // the file of a page
	sarif       bool
	markdown    bool
	benchFormat bool // the lines of "go test -bench -benchmem"
	profileFlags
	benchmark string                 // the function to write a benchmark for, "" for none
	changed   func(flag string) bool // whether a flag was given
}

// memoryLimit is the soft memory limit in bytes: with more in use, the garbage collector runs more often. The
// compiler's report on a large package alone has tens of millions of bytes.
const memoryLimit = 160 << 20

// limitMemory sets the limit, unless the reader has set a lower one, until reset is called.
func limitMemory() (reset func()) {
	limit := debug.SetMemoryLimit(-1) // the present one
	debug.SetMemoryLimit(min(limit, memoryLimit))
	return func() { debug.SetMemoryLimit(limit) }
}

// noBenchmark is the pattern that selects no benchmark, as with go test.
const noBenchmark = "^$"

// run explains the package that is named, or the one in the current folder. The exit code is 3 if it could not be
// measured.
func (c *explainCall) run(ctx context.Context, args []string) (int, error) {
	for _, arg := range args {
		if strings.HasSuffix(arg, ".go") {
			return 0, app.Usagef("%s is a file: explain takes a package; for a file, use \"%s escape %s\"", arg,
				c.Program, arg)
		}
	}
	if c.top < 0 {
		return 0, app.Usagef("--top %d: give a number of lines", c.top)
	}
	if err := errors.Join(c.checkProfileFlags(), c.checkBenchmarkFlags(args)); err != nil {
		return 0, err
	}
	if c.profile != "" {
		return c.explainProfile(ctx, args)
	}
	if c.benchmark != "" {
		return c.writeBenchmark(ctx, slices.Concat(args, []string{"."})[0])
	}
	m, err := c.measurement()
	if err != nil {
		return 0, err
	}
	m.Args = testFlags(c.testFlags)
	defer limitMemory()()
	pattern := slices.Concat(args, []string{"."})[0]
	several := len(args) > 1 || strings.Contains(pattern, "...")
	if c.watch && (several || c.format() || len(c.releases) > 0) {
		return 0, app.Usagef("--watch takes one package, and no other format or release")
	}
	if len(c.releases) > 0 && c.benchFormat {
		return 0, app.Usagef("--go does not work with --bench-format, which names no release of Go")
	}
	if c.watch {
		return c.runWatch(ctx, pattern, m)
	}
	if several {
		return c.runAll(ctx, args, m)
	}
	if len(c.releases) > 0 && c.deps {
		return 0, app.Usagef("--go compares the lines of one package, so it does not work with --deps")
	}
	if len(c.releases) > 0 {
		return c.compareReleases(ctx, pattern, m)
	}
	e, err := explainPackage(ctx, printable.NewStatusLine(c.Err), userpkg.Config{Tags: c.tags}, pattern, m, c.scope())
	if err != nil && e != nil && ctx.Err() != nil { // interrupted: what was measured is shown all the same
		_, shown := c.show(e, pattern)
		return 0, errors.Join(err, shown)
	}
	if err != nil {
		return 0, asUsage(err)
	}
	if err := checkSelected(e, m.Bench); err != nil {
		return 0, err
	}
	return c.show(e, pattern)
}

// format reports whether a flag chooses another format than text for a person.
func (c *explainCall) format() bool {
	return c.JSON || c.html != "" || c.sarif || c.markdown || c.benchFormat
}

// checkSelected returns an error for wrong usage if a pattern selects no benchmark of a package that has some.
func checkSelected(e *userpkg.Explanation, bench string) error {
	v, selective := e.Verdict, bench != "." && bench != noBenchmark
	if selective && v.Pass && len(v.Benchmarks)+len(v.NotMeasured) == 0 && len(e.Built.Benchmarks) > 0 {
		return app.Usagef("--bench %s selects no benchmark of %s; it has %s, and \"--bench %s\" asks for none",
			bench, v.Package, strings.Join(e.Built.Benchmarks, ", "), noBenchmark)
	}
	return nil
}

// scope returns the scope of the lines to explain.
func (c *explainCall) scope() userpkg.Scope {
	if c.deps {
		return userpkg.Everything
	}
	return userpkg.WholeModule
}

// fetchReleases returns the releases of Go that names stand for, after it has downloaded them.
func fetchReleases(ctx context.Context, names []string) ([]string, error) {
	releases, err := userpkg.ResolveReleases(ctx, names)
	if err != nil {
		return nil, asUsage(err)
	}
	return releases, app.FetchReleases(ctx, releases)
}

// compareReleases explains the same package on several releases of Go.
func (c *explainCall) compareReleases(ctx context.Context, pattern string, m userpkg.MeasureOptions) (int, error) {
	releases, err := fetchReleases(ctx, c.releases)
	if err != nil {
		return 0, err
	}
	var all []*verdict.Verdict
	code := app.ExitPassed
	for _, release := range releases {
		config := userpkg.Config{Tags: c.tags, Release: release}
		e, err := explainPackage(ctx, printable.NewStatusLine(c.Err), config, pattern, m, userpkg.OnlyPackage)
		if err != nil {
			return 0, fmt.Errorf("on %s: %w", release, asUsage(err))
		}
		if !e.Verdict.Pass {
			code = app.ExitFailed
		}
		all = append(all, e.Verdict)
	}
	if c.JSON {
		return code, c.encode(all)
	}
	terminal.Releases(c.Out, all, c.Width)
	return code, nil
}

// encode prints verdicts as JSON.
func (c *explainCall) encode(all []*verdict.Verdict) error {
	for _, v := range all {
		if err := c.JSONEncoder().Encode(v); err != nil {
			return err
		}
	}
	return nil
}

// runWatch explains a package, and again whenever one of its files is saved, until ctx ends. A package that cannot be
// explained any more is waited for.
func (c *explainCall) runWatch(ctx context.Context, pattern string, m userpkg.MeasureOptions) (int, error) {
	config := userpkg.Config{Tags: c.tags}
	var changed func(context.Context) bool
	for ctx.Err() == nil {
		packages, err := config.List(ctx, pattern)
		switch {
		case err == nil && len(packages) == 1 && len(packages[0].Files()) > 0:
			changed = watch.Remember(packages[0].Dir, packages[0].Files())
		case ctx.Err() != nil:
			return app.ExitPassed, nil
		case changed == nil && err == nil:
			return 0, app.Usagef("%s: there is no package to watch", pattern)
		case changed == nil:
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
		changed(ctx)
	}
	return app.ExitPassed, nil
}
