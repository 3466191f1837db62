package command

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
)

func newTestTree() *cobra.Command {
	return newCLI(app.New(nil, sandbox.Limits{}, "checkalloc", nil, io.Discard, io.Discard)).root
}

// TestCommandLine tests which command a command line calls, and with which arguments.
func TestCommandLine(t *testing.T) {
	for _, test := range []struct{ line, command, args string }{
		{"", "checkalloc", ""},
		{"exercise40", "checkalloc", "exercise40"},
		{"exercise6 exercise7 --json", "checkalloc", "exercise6 exercise7"},
		{"exercise6 list", "checkalloc", "exercise6 list"}, // only the first word can be a command
		{"--json exercise6", "checkalloc", "exercise6"},
		{"--engine wasm exercise6", "checkalloc", "exercise6"},
		{"all --format junit --points=5", "checkalloc", "all"},
		{"explain --bench RE ./p", "checkalloc explain", "./p"},
		{"explain -- -short", "checkalloc explain", "-short"},
		{"escape --gcflags -l main.go", "checkalloc escape", "main.go"},
		{"compare a.json --json b.json", "checkalloc compare", "a.json b.json"},
		{"solution --spoil exercise6", "checkalloc solution", "exercise6"},
		{"dev check --keep d --brief exercise6", "checkalloc dev check", "exercise6"},
		{"dev frob check", "checkalloc dev", "frob check"},

		// Flags of the command without a name may stand before the name of another one.
		{"--json list", "checkalloc list", ""},
		{"--dir list list", "checkalloc list", ""}, // the first is a value
		{"--dir=ws hint exercise6", "checkalloc hint", "exercise6"},
		{"-- list", "checkalloc", "list"},

		{"help watch", "checkalloc help", "watch"},
		{"Watch exercise6", "checkalloc watch", "exercise6"},
		{"explain help", "checkalloc explain", "help"},
	} {
		cmd, flags, err := newTestTree().Find(strings.Fields(test.line))
		if err == nil {
			err = cmd.ParseFlags(flags)
		}
		if err != nil {
			t.Errorf("%q: %v", test.line, err)
			continue
		}
		args := cmd.Flags().Args()
		if cmd.DisableFlagParsing {
			args = flags
		}
		if got := strings.Join(args, " "); cmd.CommandPath() != test.command || got != test.args {
			t.Errorf("%q: %q with %q", test.line, cmd.CommandPath(), got)
		}
	}
}
