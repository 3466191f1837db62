package main

import (
	"context"
	"fmt"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/rooted"
	"onthestack/internal/toolchain"
)

// escapeReport prints what the compiler says of files, or of a package: exit code 3 where it does not compile them.
func (c *command) escapeReport(ctx context.Context, args []string) (int, error) {
	g := toolchain.InPlace{Tags: c.tags}
	var report *toolchain.EscapeReport
	var err error
	switch {
	case len(args) == 0:
		report, err = g.PackageEscapes(ctx, ".", strings.Fields(c.gcflags))
	case strings.HasSuffix(args[0], ".go"):
		for _, arg := range args {
			if !strings.HasSuffix(arg, ".go") {
				return 0, usageError("escape takes Go files or one package, not both: %s", arg)
			}
		}
		report, err = g.Escapes(ctx, args, strings.Fields(c.gcflags))
	case len(args) > 1:
		return 0, usageError("escape takes Go files or one package: \"%s escape FILE.go\"", c.self)
	default:
		report, err = g.PackageEscapes(ctx, args[0], strings.Fields(c.gcflags))
	}
	if err != nil {
		return 0, mistaken(err)
	}
	if !report.OK {
		return 0, notCompiled(report)
	}
	if c.json {
		return exitPassed, c.encoder().Encode(struct {
			Escapes []escape.Diagnostic `json:"escapes"`
		}{report.Diagnostics})
	}
	files := map[string][]byte{}
	c.showEscapes(report.Diagnostics, func(name string) []byte {
		text, known := files[name]
		if !known {
			// A //line directive can name any file of the machine: only those in the folder are read. What cannot be read is shown
			// without its lines.
			text, _ = rooted.ReadFile(report.Dir, name, toolchain.MaxSource)
			files[name] = text
		}
		return text
	}, true)
	return exitPassed, nil
}

// notCompiled says why files did not compile.
func notCompiled(r *toolchain.EscapeReport) error {
	var lines []string
	for _, d := range r.Problems {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Col, d.Message))
	}
	lines = append(lines, r.Lines...)
	return fmt.Errorf("it does not compile:\n%s", strings.Join(lines, "\n"))
}
