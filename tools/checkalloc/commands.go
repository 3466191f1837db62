package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"onthestack/internal/exercise"
	"onthestack/internal/toolchain"
	"onthestack/internal/verdict"
)

// A subcommand is what checkalloc does when its name is the first argument. The one without a name checks.
type subcommand struct {
	name  string
	usage [][2]string // lines of the help: what is written, and what it does
	// example is a call, without the program's name; codes are the exit codes where they mean something of their own.
	example, codes string
	flags          func(*pflag.FlagSet)
	run            func(ctx context.Context, args []string) (int, error)
	// outside is true for what knows nothing of exercises: there is no workspace, and the code is the reader's own.
	outside bool
}

// subcommands are all of them, as the help lists them.
func (c *command) subcommands() []subcommand {
	none := func(*pflag.FlagSet) {}
	return []subcommand{
		{
			name: "",
			usage: [][2]string{
				{"", "where you are: progress and the next exercise"},
				{"EXERCISE... | all", "check one exercise, several, or all"},
			},
			example: "exercise1",
			flags: func(f *pflag.FlagSet) {
				f.StringVar(&c.format, "format", "", "print one document for graders, in format `NAME`: junit, gradescope, classroom50, github-classroom or exercism")
				f.IntVar(&c.points, "points", 0, "with --format: all exercises together give `N` points (default: 1 each)")
			},
			run: c.checkSome,
		},
		{
			name:    "watch",
			usage:   [][2]string{{"[EXERCISE]", "check again on each save: one exercise, or the next"}},
			flags:   none,
			example: "watch exercise1",
			codes:   watchCodes,
			run: func(ctx context.Context, args []string) (int, error) {
				e, err := c.watched(args)
				if err != nil {
					return 0, err
				}
				return exitPassed, c.watch(ctx, e)
			},
		},
		{
			name:    "list",
			usage:   [][2]string{{"", "the exercises"}},
			flags:   none,
			example: "list",
			codes:   shownCodes,
			run: func(_ context.Context, args []string) (int, error) {
				if len(args) > 0 {
					return 0, usageError("list takes no argument")
				}
				return exitPassed, c.list()
			},
		},
		{
			name:    "task",
			usage:   [][2]string{{"EXERCISE", "print the task of an exercise"}},
			flags:   none,
			example: "task exercise1",
			codes:   shownCodes,
			run:     c.one("task", c.task),
		},
		{
			name:    "hint",
			usage:   [][2]string{{"EXERCISE", "a hint; one more each time"}},
			flags:   none,
			example: "hint exercise1",
			codes:   shownCodes,
			run:     c.one("hint", c.hint),
		},
		{
			name:    "diff",
			usage:   [][2]string{{"EXERCISE", "your code against the solution, once passed"}},
			flags:   c.spoilFlag,
			example: "diff exercise1",
			codes:   shownCodes,
			run:     c.one("diff", c.diff),
		},
		{
			name:    "solution",
			usage:   [][2]string{{"EXERCISE", "the solution, once passed"}},
			flags:   c.spoilFlag,
			example: "solution exercise1 --spoil",
			codes:   shownCodes,
			run:     c.one("solution", c.solution),
		},
		{
			name:    "reset",
			usage:   [][2]string{{"EXERCISE", "start again: asks first, keeps a backup"}},
			flags:   func(f *pflag.FlagSet) { f.BoolVar(&c.yes, "yes", false, "reset without asking") },
			example: "reset exercise1",
			codes:   "0 reset · 1 left as it is · 2 wrong usage · 3 could not reset",
			run: func(ctx context.Context, args []string) (int, error) {
				reset := true
				code, err := c.one("reset", func(e *exercise.Exercise) (err error) {
					reset, err = c.reset(e)
					return err
				})(ctx, args)
				if err == nil && !reset {
					code = exitNotYet
				}
				return code, err
			},
		},
		{
			name:    "init",
			usage:   [][2]string{{"DIR", "make a workspace of your own in DIR"}},
			flags:   none,
			example: "init workbook",
			codes:   "0 made · 2 wrong usage · 3 could not be made",
			run: func(_ context.Context, args []string) (int, error) {
				if len(args) != 1 {
					return 0, usageError("init needs a folder: \"checkalloc init DIR\"")
				}
				return exitPassed, c.init(args[0])
			},
		},
		{
			name:    "explain",
			usage:   [][2]string{{"[PKG]", "where a package of yours allocates, how much and why"}},
			example: "explain ./json -bench Decode --html json.html",
			codes:   "0 shown · 2 wrong usage · 3 could not build or measure",
			flags: func(f *pflag.FlagSet) {
				f.StringVar(&c.bench, "bench", ".", "run the benchmarks that match `REGEXP`, as with go test")
				f.IntVar(&c.count, "count", 1, "time each benchmark `N` times")
				c.buildFlags(f)
				f.StringSliceVar(&c.releases, "go", nil, "set the Go releases in `LIST` side by side, as in 1.24,1.26")
				c.written.flags(f)
			},
			run:     c.explain,
			outside: true,
		},
		{
			name:    "escape",
			usage:   [][2]string{{"[FILE.go... | PKG]", "the compiler's escape report, in words, on the source"}},
			example: "escape main.go",
			codes:   shownCodes,
			flags: func(f *pflag.FlagSet) {
				f.StringVar(&c.tags, "tags", "", "build with the tags in `LIST`, separated by commas")
				f.StringVar(&c.gcflags, "gcflags", "", "compile with `FLAGS` too, such as -l: do not inline")
			},
			run:     c.escapeReport,
			outside: true,
		},
		{
			name:    "compare",
			outside: true,
			usage: [][2]string{
				{"OLD.json NEW.json", "what changed between two verdicts saved by explain --json"},
				{"--base REV [PKG]", "the same between a revision and the working tree"},
			},
			example: "compare --base main ./json",
			codes:   "0 nothing allocates more · 1 something does · 2 wrong usage · 3 could not compare",
			flags: func(f *pflag.FlagSet) {
				f.StringVar(&c.versus.base, "base", "", "compare the working tree with revision `REV`")
				f.StringVar(&c.bench, "bench", ".", "with --base: run the benchmarks that match `REGEXP`, as with go test")
				f.IntVar(&c.count, "count", 5, "with --base: time each benchmark `N` times")
				c.buildFlags(f)
				f.BoolVar(&c.versus.markdown, "markdown", false, "print Markdown, for a pull request")
			},
			run: func(ctx context.Context, args []string) (int, error) {
				m, err := c.measurement()
				if err != nil {
					return 0, err
				}
				c.versus.measure = func(ctx context.Context, dir string) (*verdict.Verdict, func(string) []byte, error) {
					e, err := explainPackage(ctx, unshown(), toolchain.InPlace{Dir: dir, Tags: c.tags}, ".", m)
					if err != nil {
						return nil, nil, mistaken(err)
					}
					return e.verdict, e.source, nil
				}
				return c.compare(ctx, args, c.versus)
			},
		},
		{
			name:    "guard",
			outside: true,
			usage:   [][2]string{{"[PKG...]", "whether the budgets hold that //checkalloc: comments set"}},
			example: "guard ./...",
			codes:   "0 all hold · 1 one does not · 2 wrong usage · 3 could not measure",
			flags:   c.buildFlags,
			run: func(ctx context.Context, args []string) (int, error) {
				return c.guard(ctx, args, c.tags, func(ctx context.Context, pkg, bench string) (*verdict.Verdict, error) {
					m := toolchain.Measurement{Bench: cmp.Or(bench, nothing), Limit: c.timeout}
					e, err := explainPackage(ctx, unshown(), toolchain.InPlace{Tags: c.tags}, pkg, m)
					if err != nil {
						return nil, err
					}
					return e.verdict, nil
				})
			},
		},
		{
			name:    "dev",
			usage:   [][2]string{{"check|seal|new|verdicts|wrongturns", "for authors (see CONTRIBUTING.md)"}},
			example: "dev check exercise1",
			flags: func(f *pflag.FlagSet) {
				f.StringSliceVar(&c.releases, "go", nil, "dev check: on the Go releases in `LIST` (default: the last of Go 1.26 and the newest)")
				f.BoolVar(&c.brief, "brief", false, "dev check: starters and solutions, without vet and the race detector")
				f.StringVar(&c.keep, "keep", "", "dev check, dev verdicts: cache verdicts in `DIR` (for make test and make proof)")
				f.BoolVar(&c.onlyCheck, "check", false, "dev wrongturns: write nothing, prove that what is written still holds")
			},
			run: c.dev,
		},
	}
}

// buildFlags are those of commands that build and measure packages of the reader's.
func (c *command) buildFlags(f *pflag.FlagSet) {
	f.StringVar(&c.tags, "tags", "", "build with the tags in `LIST`, separated by commas")
	f.DurationVar(&c.timeout, "timeout", time.Minute, "stop a benchmark after `TIME`")
}

func (c *command) spoilFlag(f *pflag.FlagSet) {
	f.BoolVar(&c.spoil, "spoil", false, "show a solution that you have not found yet")
}

// one makes a subcommand of what is done with one exercise.
func (c *command) one(name string, do func(*exercise.Exercise) error) func(context.Context, []string) (int, error) {
	return func(_ context.Context, args []string) (int, error) {
		if len(args) != 1 {
			return 0, usageError("%s needs one exercise: \"checkalloc %s exercise1\"", name, name)
		}
		e, err := c.lookup(args[0])
		if err != nil {
			return 0, err
		}
		return exitPassed, do(e)
	}
}

// checkSome checks the exercises that are named, or shows where the reader is.
func (c *command) checkSome(ctx context.Context, args []string) (int, error) {
	if err := c.exportFlags(args); err != nil {
		return 0, err
	}
	if len(args) == 0 {
		return exitPassed, c.overview()
	}
	exercises := c.catalog
	if !slices.Equal(args, []string{"all"}) {
		exercises = nil
		for _, arg := range args {
			e, err := c.lookup(arg)
			if err != nil {
				return 0, err
			}
			exercises = append(exercises, e)
		}
	}
	return c.check(ctx, exercises)
}

// parse finds the subcommand and sets the flags, which may stand before it, behind it and among its arguments. The error is
// pflag.ErrHelp where help is asked for.
func (c *command) parse(args []string) (sub subcommand, rest []string, err error) {
	all := c.subcommands()
	sub = all[0]
	// What is a flag's value and what the subcommand, only the flags of all of them together tell.
	any := c.flags(all...)
	if err := any.Parse(twoDashes(args, any)); err != nil {
		return sub, nil, err
	}
	rest = any.Args()
	asked := len(rest) > 0 && rest[0] == "help"
	if asked {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		if i := slices.IndexFunc(all, func(s subcommand) bool { return s.name == rest[0] }); i > 0 {
			sub, rest = all[i], rest[1:]
		}
	}
	if asked {
		return sub, nil, pflag.ErrHelp
	}
	own := c.flags(sub)
	if err := own.Parse(twoDashes(args, own)); err != nil {
		return sub, nil, err
	}
	if own.Lookup("help").Value.String() == "true" {
		err = pflag.ErrHelp
	}
	return sub, rest, err
}

// flags are the flags that every subcommand has, and those of some.
func (c *command) flags(subs ...subcommand) *pflag.FlagSet {
	f := pflag.NewFlagSet("checkalloc", pflag.ContinueOnError)
	f.SortFlags = false
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	for _, s := range subs {
		own := pflag.NewFlagSet("", pflag.ContinueOnError)
		own.SortFlags = false
		s.flags(own)
		f.AddFlagSet(own) // one that is there already stays
	}
	f.BoolVar(&c.json, "json", false, "print JSON, for programs")
	if !slices.ContainsFunc(subs, func(s subcommand) bool { return s.outside }) || len(subs) > 1 {
		f.StringVar(&c.dir, "dir", "", "the workspace is `DIR` (default: searched from here upwards)")
		f.StringVar(&c.engine, "engine", "", "run the solution by `NAME`: native, or wasm in a sandbox (default: native, with --format wasm)")
	}
	f.BoolVar(&c.noColor, "no-color", false, "no color, also on a terminal")
	f.BoolP("help", "h", false, "print this help")
	return f
}

// twoDashes makes "--bench" of "-bench", as go test has it.
func twoDashes(args []string, flags *pflag.FlagSet) []string {
	var out []string
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if !strings.HasPrefix(arg, "--") && strings.HasPrefix(arg, "-") && len(name) > 1 && flags.Lookup(name) != nil {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}

// Exit codes of commands that decide nothing.
const (
	shownCodes = "0 shown · 2 wrong usage · 3 could not be shown"
	watchCodes = "0 left · 2 wrong usage · 3 could not watch"
)

// usageWidth is how many columns the help has for what is written.
const usageWidth = 32

// help prints what there is to know of a subcommand; of the one without a name, what there is to know of all.
func (c *command) help(sub subcommand) {
	if sub.name == "" {
		own := func(s subcommand) bool { return s.outside }
		c.usage("Usage", slices.DeleteFunc(c.subcommands(), own))
		fmt.Fprintln(c.out)
		c.usage("For your own code", slices.DeleteFunc(c.subcommands(), func(s subcommand) bool { return !own(s) }))
	} else {
		c.usage("Usage", []subcommand{sub})
	}
	fmt.Fprintf(c.out, "\nFlags:\n%s", c.flags(sub).FlagUsages())
	if sub.name == "" {
		fmt.Fprint(c.out, "\n\"checkalloc COMMAND --help\" lists the flags of a command, with an example.\n")
	}
	if sub.example != "" {
		fmt.Fprintf(c.out, "\nExample:\n  %s %s\n", c.self, sub.example)
	}
	fmt.Fprintf(c.out, "\nExit codes:\n  %s\n", cmp.Or(sub.codes, "0 passed · 1 not yet · 2 wrong usage · 3 could not check"))
}

// usage lists how some subcommands are written, under a heading.
func (c *command) usage(heading string, subs []subcommand) {
	fmt.Fprintf(c.out, "%s:\n", heading)
	for _, s := range subs {
		for _, line := range s.usage {
			written := strings.Join(strings.Fields("checkalloc "+s.name+" "+line[0]), " ")
			if len(written) > usageWidth { // what it does stands below it then
				fmt.Fprintf(c.out, "  %s\n", written)
				written = ""
			}
			fmt.Fprintf(c.out, "  %-*s  %s\n", usageWidth, written, line[1])
		}
	}
}
