package command

import (
	"context"
	"errors"
	"fmt"
	gobuild "go/build"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/printable"
	"onthestack/tools/checkalloc/app"
)

// compare shows what changed between two saved verdicts, or between a revision and the working tree.
func (c *cli) compare() spec {
	var flags measureFlags
	call := &compareCall{App: c.App}
	return spec{
		use: "compare OLD.json NEW.json", short: "compare two verdicts, or a revision with the working tree",
		example: "checkalloc compare --base main ./json",
		forms: "OLD.json NEW.json\tcompare two verdicts that explain --json has saved\n" +
			"--base REV [PKG]\tcompare a revision with the working tree",
		codes:    "0 nothing allocates more · 1 something does · 2 wrong usage · 3 could not compare",
		complete: completeFiles("json"),
		flags: func(_ *cobra.Command, f *pflag.FlagSet) {
			f.StringVar(&call.base, "base", "", "compare the working tree with revision `REV`")
			flags.add(f, "with --base: run the benchmarks", 10, "with --base: time each benchmark `N` times")
			f.BoolVar(&call.markdown, "markdown", false, "print Markdown, for a pull request")
		},
		do: func(ctx context.Context, args []string) (int, error) {
			m, err := flags.measurement()
			if err != nil {
				return 0, err
			}
			m.Count = 0 // the samples of both sides are taken in turn
			call.rounds = flags.count
			call.measure = func(ctx context.Context, dir string) (*measuredSide, error) {
				return measureSide(ctx, userpkg.Config{Dir: dir, Tags: flags.tags}, m)
			}
			return call.run(ctx, args)
		},
	}
}

type compareCall struct {
	*app.App
	base     string // the revision to compare the working tree with; "" to compare two files
	markdown bool
	rounds   int // samples of the time of each side
	// measure builds the package in a folder and runs its benchmarks.
	measure func(ctx context.Context, dir string) (*measuredSide, error)
}

// A measuredSide is the package of one side of a comparison, built and measured.
type measuredSide struct {
	compare.Side
	// sample measures the time of each benchmark once, and adds it to the verdict's samples.
	sample func(ctx context.Context) error
	close  func() error
}

func measureSide(ctx context.Context, config userpkg.Config, m userpkg.MeasureOptions) (*measuredSide, error) {
	s, err := buildSubject(ctx, printable.NewStatusLine(io.Discard), config, ".", m.Bench != noBenchmark)
	if err != nil {
		return nil, asUsage(err)
	}
	e, err := s.Explain(ctx, m, userpkg.OnlyPackage)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &measuredSide{
		Side: compare.Side{Verdict: e.Verdict, Source: e.Source}, close: s.Close,
		sample: func(ctx context.Context) error { return s.Sample(ctx, m, e.Verdict) },
	}, nil
}

// run compares the two files or the package that args name. The exit code is 1 if something allocates more.
func (c *compareCall) run(ctx context.Context, args []string) (int, error) {
	if c.JSON && c.markdown {
		return 0, app.Usagef("use --json or --markdown, not both")
	}
	var result *compare.Comparison
	var err error
	switch {
	case c.base == "" && len(args) == 2:
		result, err = compareFiles(args[0], args[1])
	case c.base == "":
		return 0, app.Usagef("compare needs two saved verdicts, or a revision: "+
			"\"%s compare OLD.json NEW.json\", \"%s compare --base REV [PKG]\"", c.Program, c.Program)
	case len(args) > 1:
		return 0, app.Usagef("compare --base takes one package: \"%s compare --base %s ./PKG\"", c.Program, c.base)
	default:
		result, err = c.compareRevision(ctx, slices.Concat(args, []string{"."})[0])
	}
	if err != nil {
		return 0, err
	}
	switch {
	case c.JSON:
		err = c.JSONEncoder().Encode(result)
	case c.markdown:
		err = report.ComparisonMarkdown(printable.NewWriter(c.Raw), result)
	default:
		report.Comparison(c.Out, result, c.Width)
	}
	return app.Code(!result.More), err
}

func compareFiles(old, new string) (*compare.Comparison, error) {
	var sides [2]compare.Side
	for i, name := range []string{old, new} {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		sides[i].Label = name
		sides[i].Verdict, err = compare.Read(f, name)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	if err := compare.SamePackage(sides[0].Verdict, sides[1].Verdict); err != nil {
		return nil, err
	}
	return compare.Compare(sides[0], sides[1])
}

// compareRevision compares a package of the working tree with the one in the same folder at the base.
func (c *compareCall) compareRevision(ctx context.Context, pkg string) (result *compare.Comparison, err error) {
	dir, err := packageFolder(ctx, pkg)
	if err != nil {
		return nil, err
	}
	base, err := findRevision(ctx, dir, c.base)
	if err != nil {
		return nil, fmt.Errorf("--base %s: %w", c.base, err)
	}
	line := printable.NewStatusLine(c.Err)
	defer line.Clear()
	line.Show("checking out %s", base.label())
	tree, err := base.checkout(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tree.remove()) }()

	var sides []*measuredSide
	defer func() {
		for _, s := range sides {
			err = errors.Join(err, s.close())
		}
	}()
	measure := func(label, dir string) (compare.Side, error) {
		line.Show("measuring %s", label)
		s, err := c.measure(ctx, dir)
		if err != nil {
			return compare.Side{}, err
		}
		sides = append(sides, s)
		s.Label = label
		return s.Side, nil
	}
	old := compare.Side{Label: base.label()}
	if was := filepath.Join(tree.tree, base.folder); hasGo(was) {
		stop := explainDelay(line, "the package at "+base.label())
		old, err = measure(base.label(), was)
		stop()
		if err != nil {
			return nil, tree.reword(fmt.Errorf("at %s: %w", base.label(), err))
		}
	}
	new, err := measure("working tree", dir)
	if err != nil {
		return nil, err
	}
	if err := c.takeTurns(ctx, line, sides); err != nil {
		return nil, tree.reword(err)
	}
	if result, err = compare.Compare(old, new); err != nil {
		return nil, tree.reword(err)
	}
	return result, nil
}

// takeTurns takes samples of the time of both sides in turn, so that a change of the machine's speed meanwhile is in
// both. The side that is first in one round is second in the next.
func (c *compareCall) takeTurns(ctx context.Context, line *printable.StatusLine, sides []*measuredSide) error {
	if len(sides) < 2 || len(sides[0].Verdict.Benchmarks)*len(sides[1].Verdict.Benchmarks) == 0 {
		return nil
	}
	for round := range c.rounds {
		line.Show("timing both in turn, %d of %d", round+1, c.rounds)
		for i := range sides {
			if err := sides[(round+i)%2].sample(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// packageFolder returns the folder of a package, which is named by its import path, an absolute path, or a path that
// begins with a dot.
func packageFolder(ctx context.Context, pkg string) (string, error) {
	if strings.Contains(pkg, "...") {
		return "", app.Usagef("compare --base takes one package, not %s", pkg)
	}
	if !filepath.IsAbs(pkg) && !gobuild.IsLocalImport(filepath.ToSlash(pkg)) {
		packages, err := userpkg.Config{}.List(ctx, pkg)
		if err != nil {
			return "", asUsage(err)
		}
		if len(packages) != 1 || packages[0].Dir == "" {
			why := "no package of that name"
			if len(packages) == 1 && packages[0].Error != nil {
				why = packages[0].Error.Err
			}
			return "", app.Usagef("%s: %s; to name a folder, begin with a dot: ./%s", pkg, why, pkg)
		}
		pkg = packages[0].Dir
	}
	dir, err := filepath.Abs(pkg)
	if err != nil {
		return "", err
	}
	if !hasGo(dir) {
		return "", app.Usagef("%s: no Go package in this folder", pkg)
	}
	return dir, nil
}

// hasGo reports whether a folder has Go files.
func hasGo(dir string) bool {
	entries, err := os.ReadDir(dir)
	isGo := func(e os.DirEntry) bool { return !e.IsDir() && strings.HasSuffix(e.Name(), ".go") }
	return err == nil && slices.ContainsFunc(entries, isGo)
}
