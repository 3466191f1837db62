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
		{"exercise3", "checkalloc", "exercise3"},
		{"exercise1 exercise2 --json", "checkalloc", "exercise1 exercise2"},
		{"exercise1 list", "checkalloc", "exercise1 list"}, // only the first word can be a command
		{"--json exercise1", "checkalloc", "exercise1"},
		{"--engine wasm exercise1", "checkalloc", "exercise1"},
		{"all --format junit --points=5", "checkalloc", "all"},
		{"explain --bench RE ./p", "checkalloc explain", "./p"},
		{"explain -- -short", "checkalloc explain", "-short"},
		{"escape --gcflags -l main.go", "checkalloc escape", "main.go"},
		{"compare a.json --json b.json", "checkalloc compare", "a.json b.json"},
		{"solution --spoil exercise1", "checkalloc solution", "exercise1"},
		{"dev check --keep d --brief exercise1", "checkalloc dev check", "exercise1"},
		{"dev frob check", "checkalloc dev", "frob check"},

		// Flags of the command without a name may stand before the name of another one.
		{"--json list", "checkalloc list", ""},
		{"--dir list list", "checkalloc list", ""}, // the first is a value
		{"--dir=ws hint exercise1", "checkalloc hint", "exercise1"},
		{"-- list", "checkalloc", "list"},

		{"help watch", "checkalloc help", "watch"},
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
