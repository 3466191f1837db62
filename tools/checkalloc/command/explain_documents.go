package command

import (
	"bytes"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"unicode"

	"onthestack/internal/owncode/report"
	"onthestack/internal/present/html"
	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
)

// writeDocument writes an explanation in the format that the flags choose, and reports whether they choose one. The
// page shows the command that the explanation answers.
func (c *explainCall) writeDocument(e *explanation, command string) (shown bool, err error) {
	switch {
	case !atMostOne(c.JSON, c.html != "", c.sarif, c.markdown):
		return false, app.Usagef("use only one of --json, --html, --sarif and --markdown")
	case c.html != "":
		var page bytes.Buffer
		if err := html.Write(&page, e.verdict, html.Options{Source: e.source, Module: e.module,
			Command: c.Program + " " + command + c.measured()}); err != nil {
			return false, err
		}
		if err := app.WriteFile(c.html, page.Bytes()); err != nil {
			return false, fmt.Errorf("write the page: %w", err)
		}
		fmt.Fprintf(c.Out, "The page is in %s\n", c.html)
		return true, nil
	case c.sarif:
		return true, printTo(printable.JSON(c.Raw), func(w io.Writer) error {
			return report.SARIF(w, e.verdict, report.SARIFOptions{Source: e.source, Dir: e.folder, Others: e.folders,
				Version: version()})
		})
	case c.markdown:
		return true, printTo(printable.NewWriter(c.Raw), func(w io.Writer) error {
			return report.Markdown(w, e.verdict, report.MarkdownOptions{Source: e.source, Module: e.module})
		})
	}
	return false, nil
}

// print writes an explanation for a person.
func (c *explainCall) print(e *explanation) {
	terminal.Explanation(c.Out, e.verdict, c.top,
		terminal.Options{Width: c.Width, Command: c.Program, Source: e.source, Module: e.module})
}

// verdicts returns the verdicts of explanations.
func verdicts(all []*explanation) []*verdict.Verdict {
	var verdicts []*verdict.Verdict
	for _, e := range all {
		verdicts = append(verdicts, e.verdict)
	}
	return verdicts
}

// measured returns the flags that say what was measured and differ from their defaults, quoted for a shell.
func (c *explainCall) measured() string {
	var flags string
	if c.bench != "." {
		flags += " --bench " + quoted(c.bench)
	}
	if c.count > 1 {
		flags += fmt.Sprintf(" --count %d", c.count)
	}
	if c.tags != "" {
		flags += " --tags " + quoted(c.tags)
	}
	return flags
}

// quoted quotes an argument for a shell, if it needs quotes.
func quoted(argument string) string {
	special := func(r rune) bool {
		return r != '/' && r != '.' && r != '_' && r != ',' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	if argument != "" && !strings.ContainsFunc(argument, special) {
		return argument
	}
	return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
}

// version returns the version of this program if its build recorded one.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
