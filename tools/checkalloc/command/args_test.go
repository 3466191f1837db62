package command

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
)

func newTestTree() *cobra.Command {
	return New(app.New(nil, sandbox.Limits{}, "checkalloc", nil, io.Discard, io.Discard))
}

func TestNormalize(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"", ""},
		{"exercise3", "exercise3"},
		{"exercise1 exercise2 --json", "exercise1 exercise2 --json"},
		{"exercise1 list", "exercise1 list"}, // only the first word can be a command

		// A long flag with one dash, as with go test.
		{"explain -bench RE", "explain --bench RE"},
		{"explain -bench=RE ./p", "explain --bench=RE ./p"},
		{"explain -bench -count", "explain --bench -count"}, // a value
		{"explain --bench -json ./p", "explain --bench -json ./p"},
		{"escape -gcflags -l main.go", "escape --gcflags -l main.go"},
		{"escape -gcflags=-l main.go", "escape --gcflags=-l main.go"},
		{"escape main.go -l", "escape main.go -l"},
		{"compare -base main -markdown ./p", "compare --base main --markdown ./p"},
		{"all -format junit -points=5", "all --format junit --points=5"},
		{"-help", "--help"},
		{"-h", "-h"},
		{"list -frob", "list -frob"}, // cobra says what is wrong

		// Flags before the name of the command, and among its arguments.
		{"--json list", "list --json"},
		{"-json list", "list --json"},
		{"--dir list list", "list --dir list"}, // the first is a value
		{"--dir=ws hint exercise1", "hint --dir=ws exercise1"},
		{"--bench RE explain ./p", "explain --bench RE ./p"},
		{"--spoil solution exercise1", "solution --spoil exercise1"},
		{"--yes reset --dir ws exercise1", "reset --yes --dir ws exercise1"},
		{"--engine wasm exercise1", "--engine wasm exercise1"},
		{"compare a.json --json b.json", "compare a.json --json b.json"},
		{"--dir", "--dir"}, // the value is missing

		// The commands for authors.
		{"--keep d dev check --brief exercise1", "dev check --keep d --brief exercise1"},
		{"dev --go 1.26,1.27 check", "dev check --go 1.26,1.27"},
		{"dev --check misconceptions", "dev misconceptions --check"},
		{"dev frob check", "dev frob check"},

		// After "--" nothing is a flag.
		{"-- list", "list --"},
		{"explain -- -json", "explain -- -json"},
		{"-json -- exercise1 -dir", "--json -- exercise1 -dir"},

		// The help.
		{"help", "help"},
		{"help watch", "help watch"},
		{"--json help dev check", "help dev check --json"},
		{"explain help", "explain help"},

		{"__complete explain -bench ", "__complete explain -bench "},
	} {
		got := normalize(newTestTree(), strings.Split(test.args, " "))
		if test.args == "" {
			got = normalize(newTestTree(), nil)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q: %q, want %q", test.args, got, test.want)
		}
		if got == nil {
			t.Errorf("%q: nil, for which cobra takes the arguments of the process", test.args)
		}
	}
}

// TestFlagsAgree proves what normalize relies on: flags of the same name all take a value, or none does.
func TestFlagsAgree(t *testing.T) {
	takesValue := map[string]bool{}
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			value := f.NoOptDefVal == ""
			if known, ok := takesValue[f.Name]; ok && known != value {
				t.Errorf("%s: --%s takes a value in one command and none in another", cmd.CommandPath(), f.Name)
			}
			takesValue[f.Name] = value
			if len(f.Name) < 2 {
				t.Errorf("%s: the long flag --%s is as short as a shorthand", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newTestTree())
	if len(takesValue) < 20 {
		t.Errorf("only %d flags", len(takesValue))
	}
}

// FuzzNormalize proves that normalize loses and adds no argument, and changes nothing when it is applied again.
func FuzzNormalize(f *testing.F) {
	for _, line := range []string{"exercise1", "-bench RE explain", "--dir x -- list -json", "help dev check",
		"-json=false watch"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		root := newTestTree()
		args := strings.Split(line, " ")
		once := normalize(root, slices.Clone(args))
		if len(once) != len(args) {
			t.Fatalf("%q: %q", args, once)
		}
		if twice := normalize(root, slices.Clone(once)); !slices.Equal(once, twice) {
			t.Fatalf("%q: first %q, then %q", args, once, twice)
		}
	})
}
