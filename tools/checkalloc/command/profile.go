package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/printable"
	"onthestack/tools/checkalloc/app"
)

// profileFlags are the flags of explain for the heap profile of a running program.
type profileFlags struct {
	profile string // a file, "-" or an address; "" to measure benchmarks
	binary  string
	per     string
	base    string // another profile, which is subtracted
	inUse   bool
	labels  []string
	tree    bool
}

func (p *profileFlags) add(f *pflag.FlagSet) {
	f.StringVar(&p.profile, "profile", "",
		"explain the heap profile in `FILE`, on standard input (-) or at an address, in place of benchmarks")
	f.StringVar(&p.binary, "binary", "", "with --profile: the program in `FILE` is the one that was profiled")
	f.StringVar(&p.per, "per", "", "with --profile: print figures per `UNIT=N`, such as requests=60000 or seconds=30")
	f.BoolVar(&p.inUse, "inuse", false, "with --profile: show what is in use, not what was allocated")
	f.StringArrayVar(&p.labels, "label", nil, "with --profile: only samples with the label `KEY=VALUE`")
	f.StringVar(&p.base, "base", "", "with --profile: subtract the profile in `FILE`, which was taken before")
	f.BoolVar(&p.tree, "tree", false, "with --profile: show the calls that lead to the lines")
}

// Flags of explain that need --profile, and flags that do not work with it.
var (
	ofProfiles    = []string{"binary", "per", "inuse", "label", "base", "tree"}
	notOfProfiles = []string{"bench", "count", "benchtime", "timeout", "watch", "go"}
)

// checkProfileFlags returns an error for flags that do not go together.
func (c *explainCall) checkProfileFlags() error {
	if !c.changed("profile") {
		for _, name := range ofProfiles {
			if c.changed(name) {
				return app.Usagef("--%s is about a heap profile: add --profile FILE", name)
			}
		}
		return nil
	}
	if c.profile == "" {
		return app.Usagef("--profile: name a file, an address, or - for standard input")
	}
	for _, name := range notOfProfiles {
		if c.changed(name) {
			return app.Usagef("--%s does not work with --profile, which measures nothing here", name)
		}
	}
	switch {
	case len(c.testFlags) > 0:
		return app.Usagef("flags for the tests do not work with --profile, which runs no tests")
	case !atMostOne(c.JSON, c.markdown, c.sarif, c.html != "", c.tree):
		return app.Usagef("use only one of --json, --markdown, --sarif, --html and --tree")
	case c.profile == "-" && c.base == "-":
		return app.Usagef("only one of --profile and --base can be read from standard input")
	}
	return nil
}

// explainProfile shows which lines allocate in a heap profile.
func (c *explainCall) explainProfile(ctx context.Context, args []string) (int, error) {
	labels, err := parseLabels(c.labels)
	if err != nil {
		return 0, err
	}
	line := printable.NewStatusLine(c.Err)
	defer line.Clear()
	line.Show("reading %s", withoutPassword(c.profile))
	profile, err := heapprofile.Open(ctx, c.profile, c.In)
	if err != nil {
		return 0, err
	}
	options := heapprofile.Options{Config: userpkg.Config{Tags: c.tags}, Patterns: args, InUse: c.inUse, Deps: c.deps,
		Labels: labels, Tree: c.tree || c.html != ""}
	if c.base != "" {
		if options.Base, err = heapprofile.Open(ctx, c.base, c.In); err != nil {
			return 0, err
		}
	}
	if options.Per, err = profile.ParsePer(c.per, options.Base); err != nil {
		return 0, app.Usagef("--per %s: %v", c.per, err)
	}
	if c.binary != "" {
		if options.Binary, err = heapprofile.OpenBinary(c.binary); err != nil {
			return 0, err
		}
		defer options.Binary.Close()
	}
	r, err := profile.ExplainAsBuilt(ctx, options, line)
	if err != nil {
		return 0, profileError(withoutPassword(c.profile), err)
	}
	line.Clear()
	if c.benchmark != "" {
		return c.benchmarkLine(ctx, r)
	}
	return app.ExitPassed, c.showProfile(r)
}

// profileError returns why a profile of that name cannot be explained.
func profileError(name string, err error) error {
	switch {
	case errors.As(err, new(heapprofile.InputError)):
		return fmt.Errorf("%s %w", name, err)
	case errors.As(err, new(userpkg.ArgumentError)):
		return app.UsageError(err.Error()) // with the names of the user's files, and not of a copy
	}
	return err
}

// showProfile writes a report in the format that the flags choose.
func (c *explainCall) showProfile(r *heapprofile.Report) error {
	switch {
	case c.sarif:
		return printTo(printable.JSON(c.Raw), func(w io.Writer) error {
			return report.ProfileSARIF(w, r, c.top, report.SARIFOptions{Others: foldersOf(r), Version: version()})
		})
	case c.JSON:
		return c.JSONEncoder().Encode(r)
	case c.markdown:
		return printTo(printable.NewWriter(c.Raw), func(w io.Writer) error { return report.ProfileMarkdown(w, r, c.top) })
	case c.html != "":
		return c.writeProfilePage(r)
	}
	options := report.ProfileOptions{Width: c.Width, Command: c.Program, Top: c.top}
	if c.tree {
		report.ProfileTree(c.Out, r, options)
	} else {
		report.Profile(c.Out, r, options)
	}
	return nil
}

func parseLabels(texts []string) (labels []heapprofile.Label, err error) {
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, app.Usagef("--label %s: give a label as KEY=VALUE", text)
		}
		labels = append(labels, heapprofile.Label{Key: key, Value: value})
	}
	return labels, nil
}
