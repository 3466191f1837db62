package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	gobuild "go/build"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/revision"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/tools/checkalloc/app"
)

// compare shows what changed between two saved verdicts or heap profiles, or from a revision or a baseline to the working
// tree.
func (c *cli) compare() spec {
	var flags measureFlags
	call := &compareCall{App: c.App}
	return spec{
		use: "compare OLD NEW", short: "compare two verdicts or heap profiles, or a revision with the working tree",
		example: "checkalloc compare --base main ./json",
		forms: "OLD.json NEW.json\tcompare two verdicts that explain --json has saved\n" +
			"OLD.pb.gz NEW.pb.gz\tcompare the heap profiles of a program before and after a deploy\n" +
			"--base REV [PKG]\tcompare a revision with the working tree\n" +
			"--baseline FILE [PKG...]\tcompare a module with the figures in a file, or write them with --update",
		codes:    "0 nothing allocates more · 1 something does · 2 wrong usage · 3 could not compare",
		complete: completeFiles("json", "gz", "pb", "prof", "pprof"),
		flags: func(_ *cobra.Command, f *pflag.FlagSet) {
			f.StringVar(&call.base, "base", "", "compare the working tree with revision `REV`")
			f.StringVar(&call.baseline, "baseline", "", "compare packages (default: ./...) with the figures in `FILE`")
			f.BoolVar(&call.update, "update", false, "with --baseline: write the file")
			flags.add(f, "measure the benchmarks", 10, "with --base: time each benchmark `N` times")
			f.BoolVar(&call.all, "all", false, "show benchmarks too whose figures are the same")
			f.BoolVar(&call.markdown, "markdown", false, "print Markdown, for a pull request")
			f.StringVar(&call.links, "links", "", "with --markdown: link lines to the files at `URL`")
			f.StringVar(&call.sarif, "sarif", "", "write SARIF to `FILE`, for code review: lines that allocate more")
			call.compared.add(f)
		},
		do: func(ctx context.Context, args []string) (int, error) {
			m, err := flags.measurement()
			if err != nil {
				return 0, err
			}
			if call.baseline != "" && flags.bench != "." {
				return 0, app.Usagef("--baseline is of all benchmarks of a package, so it does not work with --bench")
			}
			m.Count = 0 // the samples of both sides are taken in turn
			call.rounds, call.tags = flags.count, flags.tags
			call.measure = func(ctx context.Context, dir string) (*measuredSide, error) {
				return measureSide(ctx, userpkg.Config{Dir: dir, Tags: flags.tags}, m)
			}
			return call.run(ctx, args)
		},
	}
}

type compareCall struct {
	*app.App
	base     string // the revision to compare the working tree with; "" for none
	baseline string // the file with the figures to compare with; "" for none
	update   bool   // write the baseline
	all      bool   // show what did not change
	markdown bool
	links    string // the address of the repository's files, for Markdown
	sarif    string // a file to write
	tags     string
	rounds   int // samples of the time of each side
	compared comparedFlags
	// measure builds the package in a folder and runs its benchmarks.
	measure func(ctx context.Context, dir string) (*measuredSide, error)
}

// A measuredSide is the package of one side of a comparison, built and measured.
type measuredSide struct {
	compare.Side
	folder string // slash-separated, from the repository's root
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
	folder, _ := repositoryFolder(s, s.Dir)
	return &measuredSide{
		Side: compare.Side{Verdict: e.Verdict, Source: e.Source}, close: s.Close, folder: folder,
		sample: func(ctx context.Context) error { return s.Sample(ctx, m, e.Verdict) },
	}, nil
}

// A compared is the comparison of a package.
type compared struct {
	*compare.Comparison
	new *measuredSide // nil for a saved verdict, and for a package that is gone
}

// run compares the two files or the packages that args name. The exit code is 1 if something allocates more.
func (c *compareCall) run(ctx context.Context, args []string) (int, error) {
	if err := c.usage(args); err != nil {
		return 0, err
	}
	if c.update {
		return app.ExitPassed, c.updateBaseline(ctx, args)
	}
	var saved []string // the files to compare
	if c.base == "" && c.baseline == "" {
		saved = args
	}
	profiles, err := c.compared.ofProfiles(c.Program, saved)
	if err != nil {
		return 0, err
	}
	if c.sarif != "" && len(saved) > 0 && !profiles {
		return 0, app.Usagef("--sarif needs --base, --baseline or two heap profiles: saved verdicts have no source")
	}
	var all []compared
	switch {
	case profiles:
		return c.compareProfiles(ctx, args)
	case c.baseline != "":
		all, err = c.compareBaseline(ctx, args)
	case c.base != "":
		all, err = c.compareRevision(ctx, slices.Concat(args, []string{"."})[0])
	default:
		all, err = compareFiles(args[0], args[1])
	}
	if ctx.Err() != nil || len(all) == 0 {
		return 0, cmp.Or(err, ctx.Err())
	}
	return app.Code(!slices.ContainsFunc(all, func(r compared) bool { return r.More })), errors.Join(err, c.show(all))
}

// usage returns an error for flags and arguments that do not belong together.
func (c *compareCall) usage(args []string) error {
	saved := c.base == "" && c.baseline == ""
	switch {
	case c.JSON && c.markdown:
		return app.Usagef("use --json or --markdown, not both")
	case c.base != "" && c.baseline != "":
		return app.Usagef("use --base or --baseline, not both")
	case c.update && c.baseline == "":
		return app.Usagef("--update writes the file that --baseline names")
	case c.update && (c.JSON || c.markdown || c.sarif != ""):
		return app.Usagef("--update writes a baseline, and compares nothing")
	case saved && len(args) != 2:
		return app.Usagef("compare needs two saved verdicts, two heap profiles, a revision or a baseline: "+
			"\"%[1]s compare OLD.json NEW.json\", \"%[1]s compare OLD.pb.gz NEW.pb.gz\", \"%[1]s compare --base REV [PKG]\", "+
			"\"%[1]s compare --baseline FILE [PKG...]\"", c.Program)
	case c.base != "" && len(args) > 1:
		return app.Usagef("compare --base takes one package: \"%s compare --base %s ./PKG\"", c.Program, c.base)
	}
	return checkLinks(c.links)
}

// checkLinks returns an error for a value of --links to which the path of a file cannot be added.
func checkLinks(address string) error {
	if address == "" || webAddress.MatchString(address) {
		return nil
	}
	return app.Usagef("--links %s: give an address such as https://example.org/you/module/blob/main", address)
}

var webAddress = regexp.MustCompile(`^https?://[A-Za-z0-9._~:@/%+-]+$`)

// show writes the comparisons. A package that did not change is shown only if it is the only one, or if all are wanted.
func (c *compareCall) show(all []compared) error {
	var err error
	if c.sarif != "" {
		err = c.writeSARIF(all)
	}
	if c.JSON {
		for _, r := range all {
			err = errors.Join(err, c.JSONEncoder().Encode(r.Comparison))
		}
		return err
	}
	same := 0
	for i, r := range all {
		switch {
		case !c.all && !r.Differs() && (c.markdown && c.baseline != "" || len(all) > 1):
			same++
		case c.markdown:
			o := report.CommentOptions{All: c.all}
			if r.new != nil {
				o.Links = strings.TrimSuffix(c.links, "/")
				o.Path = func(file string) string { return path.Join(r.new.folder, file) }
			}
			err = errors.Join(err, report.ComparisonMarkdown(printable.NewWriter(c.Raw), r.Comparison, o))
		default:
			if i > same {
				fmt.Fprintln(c.Out)
			}
			report.Comparison(c.Out, r.Comparison, c.all, c.Width)
		}
	}
	if same > 0 && !c.markdown {
		fmt.Fprintf(c.Out, "as before: %s; --all shows all figures\n", present.Plural(same, "package"))
	}
	return err
}

// writeSARIF writes the lines that allocate more.
func (c *compareCall) writeSARIF(all []compared) error {
	var increases []report.Increase
	for _, r := range all {
		if r.new != nil {
			increases = append(increases, report.Increase{Comparison: r.Comparison, Verdict: r.new.Verdict,
				Options: report.SARIFOptions{Source: r.new.Source, Dir: r.new.folder}})
		}
	}
	var log bytes.Buffer
	if err := report.IncreasesSARIF(&log, increases, version()); err != nil {
		return err
	}
	return app.WriteFile(c.sarif, log.Bytes())
}

func compareFiles(old, new string) ([]compared, error) {
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
	result, err := compare.Compare(sides[0], sides[1])
	if err != nil {
		return nil, err
	}
	return []compared{{result, nil}}, nil
}

// compareRevision compares a package of the working tree with the one in the same folder at the base.
func (c *compareCall) compareRevision(ctx context.Context, pkg string) (_ []compared, err error) {
	dir, err := packageFolder(ctx, pkg)
	if err != nil {
		return nil, err
	}
	base, err := revision.Find(ctx, dir, c.base)
	if err != nil {
		return nil, fmt.Errorf("--base %s: %w", c.base, err)
	}
	line := printable.NewStatusLine(c.Err)
	defer line.Clear()
	line.Show("checking out %s", base.Label())
	tree, err := base.Checkout(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tree.Remove()) }()

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
	old := compare.Side{Label: base.Label()}
	if was := filepath.Join(tree.Tree, base.Folder); hasGo(was) {
		stop := explainDelay(line, "the package at "+base.Label())
		old, err = measure(base.Label(), was)
		stop()
		if err != nil {
			return nil, tree.Reword(fmt.Errorf("at %s: %w", base.Label(), err))
		}
	}
	new, err := measure("working tree", dir)
	if err != nil {
		return nil, err
	}
	if err := c.takeTurns(ctx, line, sides); err != nil {
		return nil, tree.Reword(err)
	}
	result, err := compare.Compare(old, new)
	if err != nil {
		return nil, tree.Reword(err)
	}
	return []compared{{result, sides[len(sides)-1]}}, nil
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
