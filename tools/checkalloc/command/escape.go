package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onthestack/internal/escape"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present/terminal"
	"onthestack/internal/safefile"
	"onthestack/tools/checkalloc/app"
)

// escape prints the compiler's escape report on files or on a package.
func (c *cli) escape() *cobra.Command {
	call := &escapeCall{App: c.App}
	cmd := &cobra.Command{
		Use:               "escape [FILE.go... | PKG]",
		Short:             "show the compiler's escape report in words, on the source",
		Example:           "checkalloc escape main.go",
		Annotations:       map[string]string{exitCodes: showCodes},
		ValidArgsFunction: completeFiles("go"),
		RunE:              c.run(call.run),
	}
	f := cmd.Flags()
	f.StringVar(&call.tags, "tags", "", "build with the tags in `LIST`, separated by commas")
	f.StringVar(&call.gcflags, "gcflags", "",
		"pass `FLAGS` to the compiler too, such as -l, which switches inlining off")
	return c.ownCodeCommand(cmd)
}

// An escapeCall is one call of escape.
type escapeCall struct {
	*app.App
	tags    string
	gcflags string // separated by spaces
}

// run prints the report on the files or the package that args name. The exit code is 3 if they do not compile.
func (c *escapeCall) run(ctx context.Context, args []string) (int, error) {
	config := userpkg.Config{Tags: c.tags}
	var report *userpkg.EscapeReport
	var err error
	switch {
	case len(args) == 0:
		report, err = config.PackageEscapes(ctx, ".", strings.Fields(c.gcflags))
	case strings.HasSuffix(args[0], ".go"):
		for _, arg := range args {
			if !strings.HasSuffix(arg, ".go") {
				return 0, app.Usagef("escape takes Go files or one package, not both: %s", arg)
			}
		}
		report, err = config.FileEscapes(ctx, args, strings.Fields(c.gcflags))
	case len(args) > 1:
		return 0, app.Usagef("escape takes Go files or one package: \"%s escape FILE.go\"", c.Program)
	default:
		report, err = config.PackageEscapes(ctx, args[0], strings.Fields(c.gcflags))
	}
	if err != nil {
		return 0, asUsage(err)
	}
	if !report.OK {
		return 0, notCompiled(report)
	}
	files := map[string][]byte{}
	source := func(name string) []byte {
		text, known := files[name]
		if !known {
			// A //line directive can name any file of the machine, so only files in the folder are read, besides what
			// the compiler has read. The report on a file that cannot be read has no source lines.
			if slices.Contains(report.Files, name) {
				text, _ = safefile.ReadLinked(filepath.Join(report.Dir, name), name, userpkg.MaxSource)
			} else {
				text, _ = safefile.ReadFile(report.Dir, name, userpkg.MaxSource)
			}
			files[name] = text
		}
		return text
	}
	for _, d := range report.Diagnostics {
		source(d.File)
	}
	escape.MarkStorage(report.Diagnostics, escape.StoredIn(escape.ParseSource(files)))
	escape.NameValues(report.Diagnostics, files)
	if c.JSON {
		return app.ExitPassed, c.JSONEncoder().Encode(struct {
			Escapes []escape.Diagnostic `json:"escapes"`
		}{report.Diagnostics})
	}
	terminal.Escapes(c.Out, report.Diagnostics, true, terminal.Options{Width: c.Width, Source: source})
	return app.ExitPassed, nil
}

// notCompiled returns the error for files that do not compile.
func notCompiled(r *userpkg.EscapeReport) error {
	var lines []string
	for _, d := range r.Problems {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Col, d.Message))
	}
	lines = append(lines, r.Lines...)
	return fmt.Errorf("it does not compile:\n%s", strings.Join(lines, "\n"))
}
