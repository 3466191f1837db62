// Man writes the man pages of checkalloc into a folder. It is a program of its own, because the package that formats
// them brings a Markdown parser, which would be compiled before the first check on a machine.
//
//	go run ./tools/checkalloc/man DIR
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra/doc"

	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/command"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run writes the pages into the folder that args names, and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "usage: go run ./tools/checkalloc/man DIR")
		return app.ExitUsage
	}
	if err := os.MkdirAll(args[0], 0o777); err != nil {
		fmt.Fprintln(stderr, "man:", err)
		return app.ExitFailed
	}
	root := command.New(app.New(exercise.Catalog{}, sandbox.CheckLimits(), "checkalloc", nil, stdout, stderr))
	root.DisableAutoGenTag = true // the header has the date
	header := &doc.GenManHeader{Section: "1", Source: "On the Stack", Manual: "checkalloc"}
	if err := doc.GenManTree(root, header, args[0]); err != nil {
		fmt.Fprintln(stderr, "man:", err)
		return app.ExitFailed
	}
	fmt.Fprintf(stdout, "The man pages are in %s: man %s/checkalloc.1\n", args[0], args[0])
	return app.ExitPassed
}
