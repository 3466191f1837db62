package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/execution"
	"onthestack/internal/owncode/budget"
	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// guard checks the budgets that //checkalloc: comments set.
func (c *cli) guard() spec {
	var flags buildFlags
	call := guardCall{App: c.App}
	return spec{
		use: "guard [PKG...]", short: "check the budgets that //checkalloc: comments set",
		example: "checkalloc guard ./...", codes: "0 all hold · 1 one does not · 2 wrong usage · 3 could not measure",
		complete: completeFolders,
		flags: func(_ *cobra.Command, f *pflag.FlagSet) {
			flags.add(f)
			f.BoolVar(&call.markdown, "markdown", false, "print Markdown, for a pull request, unless all hold")
			f.StringVar(&call.links, "links", "", "with --markdown: link lines to the files at `URL`")
		},
		do: func(ctx context.Context, args []string) (int, error) {
			call.tags = flags.tags
			call.explain = func(ctx context.Context, pkg, bench string) (*verdict.Verdict, error) {
				m := userpkg.MeasureOptions{Bench: cmp.Or(bench, noBenchmark), Limit: flags.timeout}
				e, err := explainPackage(ctx, printable.NewStatusLine(io.Discard), userpkg.Config{Tags: flags.tags},
					pkg, m, userpkg.OnlyPackage)
				if err != nil {
					return nil, err
				}
				return e.Verdict, nil
			}
			return call.run(ctx, args)
		},
	}
}

// A guardCall is one call of guard. It checks packages against the directives in their source.
type guardCall struct {
	*app.App
	tags     string // build tags, separated by commas
	markdown bool
	links    string // the address of the repository's files, for Markdown
	// explain builds a package, named by its import path, and measures the benchmarks that bench selects, a regular
	// expression as of "go test -bench". If bench is "", it measures none and returns the escapes alone. Faults of the
	// package's code are in the verdict.
	explain func(ctx context.Context, pkg, bench string) (*verdict.Verdict, error)
}

// run checks the packages that the patterns name. Packages without directives are not built.
func (c guardCall) run(ctx context.Context, patterns []string) (int, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if c.JSON && c.markdown {
		return 0, app.Usagef("use --json or --markdown, not both")
	}
	if err := checkLinks(c.links); err != nil {
		return 0, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	packages, err := guardedPackages(ctx, dir, c.tags, patterns)
	if err != nil {
		return 0, err
	}
	report, failed := c.check(ctx, packages)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	switch {
	case c.JSON:
		encoder := c.JSONEncoder()
		encoder.SetEscapeHTML(false) // allocs<=1 is read more easily than allocs\u003c=1
		err = encoder.Encode(report)
	case c.markdown:
		err = c.printMarkdown(dir, report)
	default:
		c.print(dir, len(packages), report)
	}
	return app.Code(report.Holds()), errors.Join(failed, err)
}

// check builds, measures and checks the packages that have directives. If one of them cannot be checked by a fault that
// is not its own, check goes on, and returns the report with these errors joined.
func (c guardCall) check(ctx context.Context, packages []guardedPackage) (*budget.Report, error) {
	var directives []budget.Directive
	var mistakes []budget.Finding
	var findings []budget.Finding
	var build []guardedPackage
	for _, p := range packages {
		directives = append(append(directives, p.directives...), p.excluded...)
		mistakes = append(mistakes, p.mistakes...)
		findings = append(findings, budget.NotChecked(p.excluded, "build constraints exclude this file here")...)
		if len(p.directives) > 0 {
			build = append(build, p)
		}
	}
	line := printable.NewStatusLine(c.Err)
	defer line.Clear()
	var failed []error
	// Measuring benchmarks in parallel slows them down, but no budget limits time.
	for i, wait := range execution.InOrder(ctx, len(build), func(ctx context.Context, i int) (*verdict.Verdict, error) {
		return c.explain(ctx, build[i].path, budget.Benchmarks(build[i].directives))
	}) {
		line.Show("checking the budgets of %s, %d of %d", build[i].path, i+1, len(build))
		stop := explainDelay(line, build[i].path)
		v, err := wait()
		stop()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			// The finding names the package, so the message need not.
			text := strings.TrimPrefix(app.HideTempFiles(err).Error(), build[i].path+": ")
			failed = append(failed, app.Reword(err, build[i].path+": "+text))
			findings = append(findings, budget.NotChecked(build[i].directives, text)...)
		default:
			findings = append(findings, budget.Check(build[i].directives, v)...)
		}
	}
	return budget.NewReport(directives, mistakes, findings), errors.Join(failed...)
}

// print prints the report for a person, and annotations.
func (c guardCall) print(dir string, packages int, r *budget.Report) {
	if r.Held+r.Broken+r.Errors == 0 {
		fmt.Fprintf(c.Out, "no //checkalloc: directive in %s\n", present.Plural(packages, "package"))
		return
	}
	report.Guard(c.Out, r)
	annotate(c.Raw, dir, r)
}

// annotate writes the annotations of a pull request if this is GitHub Actions, which reads both output streams.
func annotate(w io.Writer, dir string, r *budget.Report) {
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		report.Annotations(w, r, func(file string) string {
			return repositoryPath(os.Getenv("GITHUB_WORKSPACE"), dir, file)
		})
	}
}

// printMarkdown prints the budgets that do not hold, for a comment on a pull request.
func (c guardCall) printMarkdown(dir string, r *budget.Report) error {
	annotate(c.Err, dir, r)
	root := repositoryRoot(dir)
	return report.GuardMarkdown(printable.NewWriter(c.Raw), r, report.CommentOptions{
		Links: strings.TrimSuffix(c.links, "/"),
		Path:  func(file string) string { return repositoryPath(root, dir, file) },
	})
}

// repositoryPath returns the slash-separated path of a file from the root of a checkout. The file's name is relative to
// dir.
func repositoryPath(root, dir, file string) string {
	if !filepath.IsAbs(file) && root != "" {
		if rel, err := filepath.Rel(root, filepath.Join(dir, file)); err == nil && !strings.HasPrefix(rel, "..") {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}

// A guardedPackage is a package with the directives in its files.
type guardedPackage struct {
	path       string // import path
	directives []budget.Directive
	excluded   []budget.Directive // in files that build constraints leave out
	mistakes   []budget.Finding
}

// guardedPackages returns the packages that the patterns name, as the go command in dir understands them, with their
// directives.
func guardedPackages(ctx context.Context, dir, tags string, patterns []string) ([]guardedPackage, error) {
	all, err := userpkg.Config{Dir: dir, Tags: tags}.List(ctx, patterns...)
	if err != nil {
		return nil, asUsage(err)
	}
	for _, l := range all {
		switch {
		case l.ImportPath == "command-line-arguments":
			return nil, app.Usagef("guard takes packages, such as ./..., not files")
		case l.Error != nil && len(l.Files())+len(l.IgnoredGoFiles) == 0:
			return nil, app.UsageError(l.Error.Err)
		}
	}
	more, err := excludedPackages(ctx, dir, tags, patterns, all)
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	if len(all) == 0 {
		return nil, app.Usagef("no package matches %s", strings.Join(patterns, " "))
	}
	packages := make([]guardedPackage, len(all))
	for i, l := range all {
		packages[i].path = l.ImportPath
		if err := packages[i].read(dir, l); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// read reads the directives of a package's files. They name a file by the shorter of its path and its path from dir.
func (p *guardedPackage) read(dir string, l userpkg.Metadata) error {
	files, err := l.Sources()
	if err != nil {
		return err
	}
	for i, name := range slices.Concat(l.Files(), l.IgnoredGoFiles) {
		file := filepath.Join(l.Dir, name)
		if rel, err := filepath.Rel(dir, file); err == nil && len(rel) < len(file) {
			file = rel
		}
		found, mistakes := budget.Parse(file, files[name])
		p.mistakes = append(p.mistakes, mistakes...)
		if i < len(l.Files()) {
			p.directives = append(p.directives, found...)
		} else {
			p.excluded = append(p.excluded, found...)
		}
	}
	return nil
}

// excludedPackages lists the packages below patterns "./…/..." all of whose files are excluded by build constraints.
// The go command does not match these, and guard must not report their directives as kept.
func excludedPackages(
	ctx context.Context, dir, tags string, patterns []string, known []userpkg.Metadata,
) ([]userpkg.Metadata, error) {
	seen := map[string]bool{}
	for _, l := range known {
		seen[l.Dir] = true
	}
	var folders []string
	for _, pattern := range patterns {
		below, ok := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
		if !ok || strings.Contains(below, "...") || !strings.HasPrefix(below, ".") {
			continue
		}
		root := filepath.Join(dir, filepath.FromSlash(below))
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			switch folder := filepath.Dir(name); {
			case name == root && errors.Is(err, fs.ErrNotExist):
				return nil // the go command has reported it
			case err != nil:
				return err
			case entry.IsDir():
				if name != root && skipped(name, entry.Name()) {
					return filepath.SkipDir
				}
			case !seen[folder] && filepath.Ext(name) == ".go":
				seen[folder] = true
				folders = append(folders, folder)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(folders) == 0 {
		return nil, nil
	}
	all, err := userpkg.Config{Dir: dir, Tags: tags}.List(ctx, folders...)
	// A folder with other files was not matched by the pattern for another reason.
	return slices.DeleteFunc(all, func(l userpkg.Metadata) bool {
		return len(l.Files()) > 0 || len(l.IgnoredGoFiles) == 0
	}), err
}

// skipped reports whether the pattern "..." leaves a folder out: the go command does not look for packages of the
// module there.
func skipped(folder, name string) bool {
	if name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}
