package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/escape"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present/terminal"
	"onthestack/internal/safefile"
	"onthestack/tools/checkalloc/app"
)

// escape prints the compiler's escape report on files or on a package.
func (c *cli) escape() spec {
	var tags, gcflags string
	return spec{
		use: "escape [FILE.go... | PKG]", short: "show the compiler's escape report in words, on the source",
		example: "checkalloc escape main.go", codes: showCodes, complete: completeFiles("go"),
		flags: func(_ *cobra.Command, f *pflag.FlagSet) {
			f.StringVar(&tags, "tags", "", "build with the tags in `LIST`, separated by commas")
			f.StringVar(&gcflags, "gcflags", "",
				"pass `FLAGS` to the compiler too, such as -l, which switches inlining off")
		},
		do: func(ctx context.Context, args []string) (int, error) {
			return app.ExitPassed, c.printEscapes(ctx, userpkg.Config{Tags: tags}, strings.Fields(gcflags), args)
		},
	}
}

// printEscapes prints the report on the files or the package that args name. It is an error if they do not compile.
func (c *cli) printEscapes(ctx context.Context, config userpkg.Config, gcflags, args []string) error {
	diagnostics, source, err := c.escapes(ctx, config, gcflags, args)
	if err != nil {
		return asUsage(err)
	}
	if c.JSON {
		return c.JSONEncoder().Encode(escapesJSON{diagnostics})
	}
	terminal.Escapes(c.Out, diagnostics, true, terminal.Options{Width: c.Width, Source: source})
	return nil
}

// An escapesJSON is what escape prints with --json.
type escapesJSON struct {
	Escapes []escape.Diagnostic `json:"escapes"`
}

// escapes returns the compiler's diagnostics on the files or the package that args name, and the texts of the files that
// the diagnostics name.
func (c *cli) escapes(ctx context.Context, config userpkg.Config, gcflags, args []string) (
	diagnostics []escape.Diagnostic, source func(name string) []byte, err error) {
	isFile := func(arg string) bool { return strings.HasSuffix(arg, ".go") }
	var report *userpkg.EscapeReport
	switch {
	case len(args) > 0 && isFile(args[0]):
		for _, arg := range args {
			if !isFile(arg) {
				return nil, nil, app.Usagef("escape takes Go files or one package, not both: %s", arg)
			}
		}
		report, err = config.FileEscapes(ctx, args, gcflags)
	case len(args) > 1:
		return nil, nil, app.Usagef("escape takes Go files or one package: \"%s escape FILE.go\"", c.Program)
	default:
		report, err = config.PackageEscapes(ctx, slices.Concat(args, []string{"."})[0], gcflags)
	}
	if err != nil {
		return nil, nil, err
	}
	if !report.OK {
		var lines []string
		for _, d := range report.Problems {
			lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Col, d.Message))
		}
		return nil, nil, fmt.Errorf("it does not compile:\n%s", strings.Join(append(lines, report.Lines...), "\n"))
	}
	files := map[string][]byte{}
	source = func(name string) []byte {
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
	return report.Diagnostics, source, nil
}
