package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/suggest"
	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/tools/checkalloc/app"
)

// suggest proposes edits to a package of the reader's that allocate less, and proves each.
func (c *cli) suggest() spec {
	call := &suggestCall{App: c.App}
	return spec{
		use: "suggest [PKG]", short: "find edits that allocate less, each proven by your tests and benchmarks",
		example:  "checkalloc suggest ./json --bench Decode",
		codes:    "0 shown or applied · 1 not applied · 2 wrong usage · 3 could not build, test or measure",
		complete: completeFolders,
		flags: func(cmd *cobra.Command, f *pflag.FlagSet) {
			call.measureFlags.add(f, "measure the benchmarks", 6,
				"time each benchmark `N` times without and with an edit, in turn")
			f.BoolVar(&call.race, "race", false, "run the tests also with the race detector")
			f.StringSliceVar(&call.rules, "rules", nil, "try only the edits in `LIST`, such as preallocate,concrete")
			f.IntVar(&call.most, "most", suggest.DefaultMost, "try at most `N` edits")
			f.BoolVar(&call.rejected, "rejected", false, "also list the edits that were rejected, with their figures")
			f.BoolVar(&call.apply, "apply", false, "write the proven edits into the files, after asking")
			f.BoolVar(&call.yes, "yes", false, "with --apply: do not ask")
			f.BoolVar(&call.sarif, "sarif", false, "print SARIF with fixes, for code review")
			f.BoolVar(&call.markdown, "markdown", false, "print Markdown, for a pull request")
			var rules []cobra.Completion
			for _, r := range fix.Rules() {
				rules = append(rules, cobra.CompletionWithDesc(r.ID, r.Title))
			}
			complete(cmd, "rules", completeWords(rules...))
		},
		testFlags: &call.testFlags, do: call.run,
	}
}

type suggestCall struct {
	*app.App
	measureFlags
	testFlags       []string
	race            bool
	rules           []string
	most            int
	rejected        bool
	apply, yes      bool
	sarif, markdown bool
}

// run finds and proves edits for the package that is named, or the one in the current folder.
func (c *suggestCall) run(ctx context.Context, args []string) (code int, err error) {
	options, pattern, err := c.options(args)
	if err != nil {
		return 0, err
	}
	s, result, err := proveEdits(ctx, printable.NewStatusLine(c.Err), userpkg.Config{Tags: c.tags}, pattern, options)
	if err != nil {
		return 0, asUsage(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := c.show(result, s); err != nil {
		return 0, err
	}
	if !c.apply {
		return app.ExitPassed, nil
	}
	return c.write(result, s)
}

// proveEdits builds the package that a pattern names, and finds and proves edits for it. It shows its progress on the
// line. The caller closes the package.
func proveEdits(
	ctx context.Context, line *printable.StatusLine, config userpkg.Config, pattern string, options suggest.Options,
) (*userpkg.Package, *suggest.Result, error) {
	defer line.Clear()
	s, err := buildSubject(ctx, line, config, pattern, true)
	if err != nil {
		return nil, nil, err
	}
	began := time.Now()
	result, err := suggest.Run(ctx, s, options, func(e suggest.Event) {
		if e.Step == suggest.Measure {
			line.Show("measuring %s", s.ImportPath)
		} else {
			line.Show("%s (%v)", e, time.Since(began).Round(time.Second))
		}
	})
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return s, result, nil
}

// options returns what the flags and arguments ask for, or an error for wrong usage.
func (c *suggestCall) options(args []string) (o suggest.Options, pattern string, err error) {
	pattern = slices.Concat(args, []string{"."})[0]
	switch {
	case len(args) > 1 || strings.Contains(pattern, "..."):
		return o, "", app.Usagef("suggest takes one package: \"%s suggest ./PKG\"", c.Program)
	case strings.HasSuffix(pattern, ".go"):
		return o, "", app.Usagef("%s is a file: suggest takes a package", pattern)
	}
	switch {
	case !atMostOne(c.JSON, c.sarif, c.markdown):
		return o, "", app.Usagef("use only one of --json, --sarif and --markdown")
	case c.yes && !c.apply:
		return o, "", app.Usagef("--yes goes with --apply")
	case c.bench == noBenchmark:
		return o, "", app.Usagef("--bench '%s' measures nothing, but only a benchmark can prove an edit", noBenchmark)
	case c.most < 1:
		return o, "", app.Usagef("--most %d: give a number from 1", c.most)
	}
	var known []string
	for _, r := range fix.Rules() {
		known = append(known, r.ID)
	}
	for _, id := range c.rules {
		if !slices.Contains(known, id) {
			return o, "", app.Usagef("--rules %s: there is no such edit; %sthe edits are %s", id,
				didYouMean(id, known), strings.Join(known, ", "))
		}
	}
	m, err := c.measurement()
	if err != nil {
		return o, "", err
	}
	m.Count, m.Args = 0, testFlags(c.testFlags)
	return suggest.Options{Measure: m, Count: c.count, Race: c.race, Limit: max(c.timeout, time.Minute), Most: c.most,
		Rules: c.rules}, pattern, nil
}

// show prints a result in the format that the flags choose.
func (c *suggestCall) show(r *suggest.Result, s *userpkg.Package) error {
	switch {
	case c.JSON:
		encoder := c.JSONEncoder()
		encoder.SetEscapeHTML(false)
		return encoder.Encode(r)
	case c.sarif:
		source := func(file string) []byte { return s.Texts[file] }
		return printTo(printable.JSON(c.Raw), func(w io.Writer) error {
			folder, _ := repositoryFolder(s, s.Dir)
			return report.SuggestionsSARIF(w, r, report.SARIFOptions{Source: source, Dir: folder,
				Version: version()})
		})
	case c.markdown:
		return printTo(printable.NewWriter(c.Raw), func(w io.Writer) error {
			return report.SuggestionsMarkdown(w, r, c.rejected)
		})
	}
	report.Suggestions(c.Out, r, c.rejected, c.Width)
	return nil
}

// write puts what holds together into the files, after a question. The exit code is 1 if the reader says no.
func (c *suggestCall) write(r *suggest.Result, s *userpkg.Package) (int, error) {
	if r.Together == nil {
		fmt.Fprintln(c.Err, "Nothing was changed: no edit is proven.")
		return app.ExitPassed, nil
	}
	files := r.Together.Files
	if !c.yes {
		question := fmt.Sprintf("Write %s into %s?", present.Plural(len(r.Together.IDs), "edit"),
			present.Plural(len(files), "file"))
		if err := confirm(c.App, "suggest", question); err != nil {
			return 0, err
		}
	}
	if err := suggest.Write(s, files); err != nil {
		return 0, err
	}
	fmt.Fprintf(c.Err, "%s written.\n", present.Plural(len(files), "file"))
	return app.ExitPassed, nil
}
