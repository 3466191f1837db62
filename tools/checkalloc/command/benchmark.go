package command

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onthestack/internal/owncode/benchmark"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/safefile"
	"onthestack/internal/why"
	"onthestack/tools/checkalloc/app"
)

// notOfBenchmark are flags of explain that do not work with --benchmark.
var notOfBenchmark = []string{"bench", "count", "benchtime", "timeout", "top", "deps", "watch", "go", "html", "sarif",
	"markdown", "bench-format", "per"}

// checkBenchmarkFlags returns an error for flags and arguments that do not go together with --benchmark.
func (c *explainCall) checkBenchmarkFlags(args []string) error {
	if !c.changed("benchmark") {
		return nil
	}
	if strings.TrimSpace(c.benchmark) == "" {
		return app.Usagef("--benchmark: name a function, such as find or Server.find")
	}
	for _, name := range notOfBenchmark {
		if c.changed(name) {
			return app.Usagef("--%s does not work with --benchmark, which writes a file and shows no lines", name)
		}
	}
	switch {
	case len(c.testFlags) > 0:
		return app.Usagef("flags for the tests do not work with --benchmark, which runs no tests")
	case c.profile == "" && (len(args) > 1 || len(args) == 1 && strings.Contains(args[0], "...")):
		return app.Usagef("--benchmark takes one package: \"%s explain --benchmark %s ./PKG\"", c.Program, c.benchmark)
	}
	return nil
}

// completeFunctions completes the name of a function of the package in a folder: the one that is named, or the
// current one.
func completeFunctions(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	files, err := filepath.Glob(filepath.Join(slices.Concat(args, []string{"."})[0], "*.go"))
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []cobra.Completion
	for _, name := range files {
		text, err := safefile.ReadLinked(name, name, userpkg.MaxSource)
		if err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && benchmark.Possible(why.FuncName(f)) {
				names = append(names, benchmark.PlainName(why.FuncName(f)))
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// benchmarkLine writes a benchmark for a function that has a line in a report. Its package follows from the report.
func (c *explainCall) benchmarkLine(ctx context.Context, r *heapprofile.Report) (int, error) {
	var known []string
	for _, l := range r.Lines {
		if benchmark.Same(l.Func, c.benchmark) {
			return c.writeBenchmark(ctx, l.Package)
		}
		if name := benchmark.PlainName(l.Func); benchmark.Possible(name) && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		return 0, app.Usagef("--benchmark %s: no function of the module allocates in the profile", c.benchmark)
	}
	return 0, app.Usagef("--benchmark %s: no line of the profile is in a function of that name; the functions that "+
		"allocate most are %s", c.benchmark, present.List(known[:min(len(known), 3)], "and"))
}

// writeBenchmark writes a benchmark for a function of the package that a pattern names.
func (c *explainCall) writeBenchmark(ctx context.Context, pattern string) (code int, err error) {
	line := printable.NewStatusLine(c.Err)
	defer line.Clear()
	line.Show("reading %s", pattern)
	p, err := userpkg.Config{Tags: c.tags}.Load(ctx, pattern)
	if err != nil {
		return 0, asUsage(err)
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	b, err := benchmark.New(ctx, p, c.benchmark)
	if err == nil {
		err = b.Write()
	}
	if err != nil {
		return 0, asUsage(err)
	}
	line.Clear()
	if dir, err := filepath.Abs("."); err == nil {
		if name, err := filepath.Rel(dir, b.File); err == nil && filepath.IsLocal(name) {
			b.File = name
		}
	}
	if c.JSON {
		return app.ExitPassed, c.JSONEncoder().Encode(b)
	}
	text := fmt.Sprintf("%s: %s calls %s.", filepath.ToSlash(b.File), b.Name, b.Func)
	if len(b.Missing) > 0 {
		text += fmt.Sprintf(" It fails until you fill in %s.", present.List(b.Missing, "and"))
	}
	text += " Replace inputs that are made up with inputs like those in production. Then:"
	fmt.Fprint(c.Out, present.Indent(2, printable.Clean(text), c.Width))
	report.WriteSteps(c.Out, report.Steps(c.Program, b.Package, b.Name), c.Width)
	return app.ExitPassed, nil
}

// foldersOf returns the slash-separated paths of the folders of a report's packages from the root of the repository, or
// of the module if there is none, by import path. Packages outside of it have none.
func foldersOf(r *heapprofile.Report) map[string]string {
	root := withoutLinks(rootHere())
	folders := map[string]string{}
	for _, l := range r.Lines {
		folder, err := filepath.Rel(root, withoutLinks(r.Folder(l.Package)))
		if err == nil && r.InModule(l.Package) && filepath.IsLocal(folder) {
			folders[l.Package] = filepath.ToSlash(folder)
		}
	}
	return folders
}

// withoutLinks returns the name of a folder without symbolic links, since git and the shell may name it differently. A
// folder that is not there keeps its name: the profile may be of a commit that had it.
func withoutLinks(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// rootHere returns the folder of the repository around the current folder, or of its module if there is none.
func rootHere() string {
	dir, err := filepath.Abs(".")
	if err != nil {
		return ""
	}
	for module := dir; module != filepath.Dir(module); module = filepath.Dir(module) {
		if _, err := os.Stat(filepath.Join(module, "go.mod")); err == nil {
			return repositoryRoot(module)
		}
	}
	return repositoryRoot(dir)
}
