package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/build"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
	"onthestack/tools/checkalloc/app"
)

// explain shows where a package of the reader's allocates.
func (c *cli) explain() *cobra.Command {
	call := &explainCall{App: c.App}
	cmd := &cobra.Command{
		Use:     "explain [PKG...]",
		Short:   "show where your packages allocate, how much and why",
		Example: "checkalloc explain ./json --bench Decode --html json.html",
		Annotations: map[string]string{
			usageForms: "[PKG...]\tshow where your packages allocate, how much and why\n" +
				"[PKG...] -- TESTFLAGS\tthe same, with flags for the tests, such as -short or -args",
			exitCodes: "0 shown · 2 wrong usage · 3 could not build or measure",
		},
		ValidArgsFunction: completeFolders,
		RunE:              c.runWithTestFlags(&call.testFlags, call.run),
	}
	f := cmd.Flags()
	f.StringVar(&call.bench, "bench", ".", "run the benchmarks that match `REGEXP`, as with go test")
	f.IntVar(&call.count, "count", 1, "time each benchmark `N` times")
	call.measureFlags.addBenchtime(f)
	call.buildFlags.add(f)
	f.IntVar(&call.top, "top", 0, "show the `N` lines that allocate most (default: all)")
	f.BoolVar(&call.deps, "deps", false, "explain lines of dependencies too, not only the module's")
	f.BoolVar(&call.watch, "watch", false, "explain again whenever a file of the package is saved")
	f.StringSliceVar(&call.releases, "go", nil, "compare the Go releases in `LIST`, such as 1.24,1.26")
	f.StringVar(&call.html, "html", "", "write a page to `FILE`")
	f.BoolVar(&call.sarif, "sarif", false, "print SARIF, for code review")
	f.BoolVar(&call.markdown, "markdown", false, "print Markdown, for a pull request")
	complete(cmd, "html", completeFiles("html"))
	return c.ownCodeCommand(cmd)
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

func (f *measureFlags) addBenchtime(flags *pflag.FlagSet) {
	flags.StringVar(&f.benchtime, "benchtime", "",
		"measure for `TIME`, or for a number of operations such as 100x (default: until the figures are stable)")
}

// measurement returns what the flags ask to measure, or an error for wrong usage.
func (f *measureFlags) measurement() (userpkg.MeasureOptions, error) {
	m := userpkg.MeasureOptions{Bench: f.bench, Limit: f.timeout, Benchtime: f.benchtime}
	if err := userpkg.CheckBenchtime(f.benchtime); err != nil {
		return m, app.Usagef("--benchtime %s: %v", f.benchtime, err)
	}
	if _, err := regexp.Compile(f.bench); err != nil {
		return m, app.Usagef("--bench: %v", err)
	}
	if f.count < 1 || f.count > 10000 {
		return m, app.Usagef("--count %d: give a number from 1 to 10000", f.count)
	}
	if f.timeout <= 0 {
		return m, app.Usagef("--timeout %v: give a time longer than 0", f.timeout)
	}
	if f.count > 1 {
		m.Count = f.count
	}
	return m, nil
}

// An explainCall is one call of explain.
type explainCall struct {
	*app.App
	measureFlags
	testFlags []string // for the program that measures, as for go test
	top       int      // lines to show, 0 for all
	deps      bool     // whether lines of dependencies are explained
	watch     bool     // explain again whenever files are saved
	releases  []string
	html      string // the file of a page
	sarif     bool
	markdown  bool
}

// An explanation is a verdict on a package that is no exercise.
type explanation struct {
	verdict *verdict.Verdict
	files   map[string][]byte // the text of its files by base name
	folder  string            // of the package, slash-separated, from the root of its repository or module
	// benchmarks are the functions that could have been measured, nil if none was asked for.
	benchmarks []string
	others     []*why.Package    // whose lines are among verdict.Inside
	folders    map[string]string // as folder, of those others that are in the same repository, by import path
	module     string            // the path of the module, "" for none
}

// source returns the text of a file, which has the import path before its name if it is another package's.
func (e *explanation) source(file string) []byte {
	for _, o := range e.others {
		if name, ok := strings.CutPrefix(file, o.ImportPath+"/"); ok && o.Files[name] != nil {
			return o.Files[name]
		}
	}
	return e.files[file]
}

// memoryLimit is the soft memory limit in bytes: with more in use, the garbage collector runs more often. The
// compiler's report on a large package alone has tens of millions of bytes.
const memoryLimit = 160 << 20

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
	m, err := c.measurement()
	if err != nil {
		return 0, err
	}
	m.Args = testFlags(c.testFlags)
	limit := debug.SetMemoryLimit(-1) // the present limit, which the reader may have set lower
	defer debug.SetMemoryLimit(limit)
	debug.SetMemoryLimit(min(limit, memoryLimit))
	pattern := slices.Concat(args, []string{"."})[0]
	if c.watch {
		return c.runWatch(ctx, args, m)
	}
	if len(args) > 1 || strings.Contains(pattern, "...") {
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
	v, selective := e.verdict, m.Bench != "." && m.Bench != noBenchmark
	if selective && v.Pass && len(v.Benchmarks)+len(v.NotMeasured) == 0 && len(e.benchmarks) > 0 {
		return 0, app.Usagef(
			"--bench %s selects no benchmark of %s; it has %s, and \"--bench %s\" asks for none",
			m.Bench,
			v.Package,
			strings.Join(e.benchmarks, ", "),
			noBenchmark,
		)
	}
	return c.show(e, pattern)
}

// scope returns the scope of the lines to explain.
func (c *explainCall) scope() userpkg.Scope {
	if c.deps {
		return userpkg.Everything
	}
	return userpkg.WholeModule
}

// show writes an explanation in the format that the flags choose.
func (c *explainCall) show(e *explanation, pattern string) (int, error) {
	shown, err := c.writeDocument(e, "explain "+pattern)
	switch {
	case err != nil || shown:
	case c.JSON:
		err = c.JSONEncoder().Encode(e.verdict)
	default:
		c.print(e)
	}
	if err == nil && !e.verdict.Pass {
		return app.ExitFailed, nil
	}
	return app.ExitPassed, err
}

// noProgress is for a caller that shows the progress itself.
func noProgress() *printable.StatusLine { return printable.NewStatusLine(io.Discard) }

// explainDelay explains a build that takes longer than five seconds, until stop is called.
func explainDelay(line *printable.StatusLine, pkg string) (stop func() bool) {
	return line.After(5*time.Second, "building %s … (the first build compiles all that it needs)", pkg)
}

// explainPackage builds and measures the package that a pattern names, and shows its progress on the line. If ctx is
// done meanwhile, it returns an explanation of what was measured until then, and the error.
func explainPackage(
	ctx context.Context,
	line *printable.StatusLine,
	config userpkg.Config,
	pattern string,
	m userpkg.MeasureOptions,
	within userpkg.Scope,
) (*explanation, error) {
	defer line.Clear()
	s, err := buildSubject(ctx, line, config, pattern, m.Bench != noBenchmark)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	line.Show("measuring %s", s.Package.ImportPath)
	return explainSubject(ctx, s, m, within)
}

// asUsage returns err as wrong usage if it is about the name of a package.
func asUsage(err error) error {
	var m userpkg.ArgumentError
	if errors.As(err, &m) {
		return app.UsageError(m.Error())
	}
	return err
}

// fetchReleases returns the releases of Go that names stand for, after it has downloaded them.
func fetchReleases(ctx context.Context, names []string) ([]string, error) {
	releases, err := userpkg.ResolveReleases(ctx, names)
	if err != nil {
		return nil, asUsage(err)
	}
	for _, release := range releases {
		if _, err := build.Fetch(ctx, release); err != nil {
			return nil, err
		}
	}
	return releases, nil
}

// compareReleases explains the same package on several releases of Go.
func (c *explainCall) compareReleases(ctx context.Context, pattern string, m userpkg.MeasureOptions) (int, error) {
	releases, err := fetchReleases(ctx, c.releases)
	if err != nil {
		return 0, err
	}
	var all []*explanation
	code := app.ExitPassed
	for _, release := range releases {
		config := userpkg.Config{Tags: c.tags, Release: release}
		e, err := explainPackage(ctx, printable.NewStatusLine(c.Err), config, pattern, m, userpkg.OnlyPackage)
		if err != nil {
			return 0, fmt.Errorf("on %s: %w", release, asUsage(err))
		}
		if !e.verdict.Pass {
			code = app.ExitFailed
		}
		all = append(all, e)
	}
	if c.JSON {
		for _, e := range all {
			if err := c.JSONEncoder().Encode(e.verdict); err != nil {
				return 0, err
			}
		}
		return code, nil
	}
	terminal.Releases(c.Out, verdicts(all), c.Width)
	return code, nil
}
