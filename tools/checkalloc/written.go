package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"onthestack/internal/printable"
	"onthestack/internal/report/html"
	"onthestack/internal/report/markdown"
	"onthestack/internal/report/sarif"
)

// A written says in which forms, beside the text, an explanation is wanted.
type written struct {
	html            string // a file's name
	sarif, markdown bool
}

func (w *written) flags(f *pflag.FlagSet) {
	f.StringVar(&w.html, "html", "", "write a page to `FILE`")
	f.BoolVar(&w.sarif, "sarif", false, "print SARIF, for code review")
	f.BoolVar(&w.markdown, "markdown", false, "print Markdown, for a pull request")
}

// write writes an explanation, which the command asked for, in the form that was chosen, and reports whether one was.
func (c *command) write(e *explanation, command string) (shown bool, err error) {
	chosen := 0
	for _, one := range []bool{c.json, c.html != "", c.sarif, c.explaining.markdown} {
		if one {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return false, usageError("--json, --html, --sarif and --markdown: one of them")
	case c.html != "":
		var page bytes.Buffer
		if err := html.Write(&page, e.verdict, html.Options{Source: e.source, Command: c.self + " " + command + c.measured()}); err != nil {
			return false, err
		}
		if err := replace(c.html, page.Bytes()); err != nil {
			return false, fmt.Errorf("write the page: %w", err)
		}
		fmt.Fprintf(c.out, "The page is in %s\n", c.html)
		return true, nil
	case c.sarif:
		return true, toPlain(printable.JSON(c.plain), func(w io.Writer) error {
			return sarif.Write(w, e.verdict, sarif.Options{Source: e.source, Dir: e.folder, Version: version()})
		})
	case c.explaining.markdown:
		return true, toPlain(printable.NewWriter(c.plain), func(w io.Writer) error {
			return markdown.Write(w, e.verdict, markdown.Options{Source: e.source})
		})
	}
	return false, nil
}

// measured is the flags that say what was measured, as a shell takes them, where they are not what they are by default.
func (c *command) measured() string {
	var flags string
	if c.bench != "." {
		flags += " -bench " + quoted(c.bench)
	}
	if c.count > 1 {
		flags += fmt.Sprintf(" -count %d", c.count)
	}
	if c.tags != "" {
		flags += " -tags " + quoted(c.tags)
	}
	return flags
}

// quoted is an argument for a shell.
func quoted(argument string) string {
	special := func(r rune) bool {
		return r != '/' && r != '.' && r != '_' && r != ',' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	if argument != "" && !strings.ContainsFunc(argument, special) {
		return argument
	}
	return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
}

// toPlain writes a document whole, or nothing.
func toPlain(out io.Writer, write func(io.Writer) error) error {
	var document bytes.Buffer
	if err := write(&document); err != nil {
		return err
	}
	_, err := out.Write(document.Bytes())
	return err
}

// version is that of this program, as far as its build tells.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
