package api

import (
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/tools/imports"

	"onthestack/internal/programs"
	"onthestack/runner/analysis"
)

// The server starts its own executable to do one thing in a process of its own. These arguments name it.
const (
	formatCommand = "format-one"
	runCommand    = "run-one"
)

// IsProcess reports whether a server started this process, judging by its arguments. If so, main has to call Process.
func IsProcess(args []string) bool {
	return len(args) == 1 && slices.Contains([]string{formatCommand, runCommand, analysis.Command}, args[0])
}

// Process does what a server started this process for, and returns the exit code. ok is false if no server started it:
// see IsProcess.
func Process(args []string, in io.Reader, out, failure io.Writer) (code int, ok bool) {
	switch {
	case !IsProcess(args):
		return 0, false
	case args[0] == formatCommand:
		return formatMain(in, out, failure), true
	case args[0] == analysis.Command:
		return analysis.Main(in, out, failure), true
	}
	return runMain(in, out, failure), true
}

// withImports is the environment variable that tells formatMain to complete the imports too.
const withImports = "RUNNER_IMPORTS"

// Exit codes of a process that formats or runs one program. Only formatting finds a mistake.
const (
	exitOK      = 0
	exitMistake = 1
	exitFailed  = 2
)

// formatMain formats the program that it reads from in, writes it to out, and returns the exit code. If the program
// does not parse, formatMain writes the reason to mistake.
func formatMain(in io.Reader, out, mistake io.Writer) int {
	text, err := io.ReadAll(in)
	if err != nil {
		fmt.Fprintln(mistake, err)
		return exitFailed
	}
	goFile := programs.FormatGo
	if os.Getenv(withImports) != "" {
		goFile = func(name string, text []byte) ([]byte, error) { return imports.Process(name, text, nil) }
	}
	formatted, err := programs.Format(text, goFile)
	if err != nil {
		fmt.Fprintln(mistake, err)
		return exitMistake
	}
	if _, err := out.Write(formatted); err != nil {
		fmt.Fprintln(mistake, err)
		return exitFailed
	}
	return exitOK
}
