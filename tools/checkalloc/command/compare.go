package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onthestack/internal/compare"
	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/progress"
	"onthestack/internal/userpkg"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// compare shows what changed between two saved verdicts, or between a revision and the working tree.
func (c *cli) compare() *cobra.Command {
	var flags measureFlags
	call := &compareCall{App: c.App}
	cmd := &cobra.Command{
		Use:     "compare OLD.json NEW.json",
		Short:   "what changed between two verdicts, or since a revision",
		Example: "checkalloc compare --base main ./json",
		Annotations: map[string]string{
			usageForms: "OLD.json NEW.json\twhat changed between two verdicts saved by explain --json\n" +
				"--base REV [PKG]\tthe same between a revision and the working tree",
			exitCodes: "0 nothing allocates more · 1 something does · 2 wrong usage · 3 could not compare",
		},
		ValidArgsFunction: completeFiles("json"),
		RunE: c.run(func(ctx context.Context, args []string) (int, error) {
			m, err := flags.measurement()
			if err != nil {
				return 0, err
			}
			call.measure = func(ctx context.Context, dir string) (*verdict.Verdict, func(string) []byte, error) {
				e, err := explainPackage(ctx, noProgress(), userpkg.Config{Dir: dir, Tags: flags.tags}, ".", m)
				if err != nil {
					return nil, nil, asUsage(err)
				}
				return e.verdict, e.source, nil
			}
			return call.run(ctx, args)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&call.base, "base", "", "compare the working tree with revision `REV`")
	f.StringVar(&flags.bench, "bench", ".", "with --base: run the benchmarks that match `REGEXP`, as with go test")
	f.IntVar(&flags.count, "count", 5, "with --base: time each benchmark `N` times")
	flags.buildFlags.add(f)
	f.BoolVar(&call.markdown, "markdown", false, "print Markdown, for a pull request")
	return c.ownCodeCommand(cmd)
}

// A compareCall is one call of compare.
type compareCall struct {
	*app.App
	base     string // the revision to compare the working tree with; "" to compare two files
	markdown bool
	// measure runs the benchmarks of the package in a folder. The source function is called only before the next call
	// of measure.
	measure func(ctx context.Context, dir string) (v *verdict.Verdict, source func(file string) []byte, err error)
}

// run compares the two files or the package that args name. The exit code is 1 if something allocates more.
func (c *compareCall) run(ctx context.Context, args []string) (int, error) {
	if c.JSON && c.markdown {
		return 0, app.Usagef("compare: --json or --markdown, not both")
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
		err = result.WriteMarkdown(printable.NewWriter(c.Raw))
	default:
		terminal.Comparison(c.Out, result, terminal.Options{Width: c.Width, Command: c.Program})
	}
	if err != nil {
		return 0, err
	}
	if result.More {
		return app.ExitNotYet, nil
	}
	return app.ExitPassed, nil
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
		return nil, err
	}
	line := progress.New(c.Err)
	defer line.Clear()
	line.Show("checking out %s", base.label())
	tree, err := base.checkout(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tree.remove()) }()

	old := compare.Side{Label: base.label()}
	if was := filepath.Join(tree.root, base.folder); hasGo(was) {
		line.Show("measuring %s", base.label())
		stop := explainDelay(line, "the package at "+base.label())
		old.Verdict, old.Source, err = c.measure(ctx, was)
		stop()
		if err != nil {
			return nil, tree.reword(fmt.Errorf("at %s: %w", base.label(), err))
		}
	}
	new := compare.Side{Label: "working tree"}
	line.Show("measuring the working tree")
	if new.Verdict, new.Source, err = c.measure(ctx, dir); err != nil {
		return nil, err
	}
	if result, err = compare.Compare(old, new); err != nil {
		return nil, tree.reword(err)
	}
	return result, nil
}

// packageFolder returns the folder of a package, which is named by its import path, an absolute path, or a path that
// begins with a dot.
func packageFolder(ctx context.Context, pkg string) (string, error) {
	if strings.Contains(pkg, "...") {
		return "", app.Usagef("compare --base takes one package, not %s", pkg)
	}
	slashed := filepath.ToSlash(pkg)
	isPath := filepath.IsAbs(pkg) || slashed == "." || slashed == ".." ||
		strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../")
	if !isPath {
		packages, err := userpkg.Config{}.List(ctx, pkg)
		if err != nil {
			return "", asUsage(err)
		}
		if len(packages) != 1 || packages[0].Dir == "" {
			why := "no package of that name"
			if len(packages) == 1 && packages[0].Error != nil {
				why = packages[0].Error.Err
			}
			return "", app.Usagef("%s: %s; a folder is named with a dot: ./%s", pkg, why, pkg)
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
