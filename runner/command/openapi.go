package command

import (
	"fmt"
	"io"

	"onthestack/runner/api"
)

// describe prints the description of the HTTP interface, and returns the exit code.
func describe(stdout, stderr io.Writer) int {
	text, err := api.OpenAPI()
	if err == nil {
		_, err = stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintf(stderr, "runner: describe the interface: %v\n", err)
		return exitFailed
	}
	return exitOK
}
