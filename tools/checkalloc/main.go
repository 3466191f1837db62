// Checkalloc checks solutions of the workbook's exercises: tests, benchmark, memory profile and the compiler's escape
// report in one verdict. Run it without arguments to see your progress.
package main

import (
	"fmt"
	"io"
	"os"

	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/sandbox/jail"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/command"
)

func main() {
	jail.Main() // does not return in a process that is to run a check's tests
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs one command on the workbook's exercises and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	catalog, err := exercise.Sealed()
	if err != nil {
		fmt.Fprintln(stderr, "checkalloc:", err)
		return app.ExitFailed
	}
	return command.Run(app.New(catalog, sandbox.CheckLimits(), app.Program(), stdin, stdout, stderr), args)
}
