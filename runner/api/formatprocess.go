package api

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/tools/imports"

	"onthestack/internal/playground"
)

// FormatCommand is the argument that makes the runner format one program: its main function then calls FormatMain.
const FormatCommand = "format-one"

// withImports is the environment variable that tells FormatMain to complete the imports too.
const withImports = "RUNNER_IMPORTS"

// Exit codes of the process.
const (
	exitOK      = 0
	exitMistake = 1
	exitFailed  = 2
)

// FormatMain formats the program that it reads from in, writes it to out, and returns the exit code. If the program
// does not parse, FormatMain writes the reason to mistake.
func FormatMain(in io.Reader, out, mistake io.Writer) int {
	text, err := io.ReadAll(in)
	if err != nil {
		fmt.Fprintln(mistake, err)
		return exitFailed
	}
	goFile := playground.FormatGo
	if os.Getenv(withImports) != "" {
		goFile = func(name string, text []byte) ([]byte, error) { return imports.Process(name, text, nil) }
	}
	formatted, err := playground.Format(text, goFile)
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
