package command

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// normalize rewrites a command line into the form that cobra reads. A long flag may be written with one dash, as with
// go test, and flags may stand before the name of the command: "-json list" becomes "list --json". The result is not
// nil.
func normalize(root *cobra.Command, args []string) []string {
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return args // a shell asks for completions
	}
	flags := allFlags(root)
	rest := make([]string, 0, len(args))
	var words []int // the indexes in rest of what is neither a flag nor a flag's value
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			rest = append(rest, arg)
			for _, word := range args[i+1:] {
				words = append(words, len(rest))
				rest = append(rest, word)
			}
			i = len(args)
		case len(arg) < 2 || arg[0] != '-':
			words = append(words, len(rest))
			rest = append(rest, arg)
		default:
			name, _, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
			flag := flags[name]
			if flag == nil {
				rest = append(rest, arg)
				break
			}
			if !strings.HasPrefix(arg, "--") {
				arg = "-" + arg
			}
			rest = append(rest, arg)
			if !hasValue && flag.NoOptDefVal == "" && i+1 < len(args) {
				i++
				rest = append(rest, args[i])
			}
		}
	}

	// Move the name of the command to the front, and behind it those of its subcommand.
	front := make([]string, 0, len(rest))
	for cmd, n := root, 0; n < len(words); n++ {
		word := rest[words[n]-n]
		if cmd = subcommand(cmd, word); cmd == nil {
			break
		}
		front = append(front, word)
		if cmd.Name() == "help" {
			cmd = root // of which it names a command
		}
		rest = append(rest[:words[n]-n], rest[words[n]-n+1:]...)
	}
	return append(front, rest...)
}

// allFlags returns the long flags of a command and of all commands below it. Flags of several commands that have the
// same name all take a value, or none does.
func allFlags(cmd *cobra.Command) map[string]*pflag.Flag {
	flags := map[string]*pflag.Flag{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = f })
	for _, sub := range cmd.Commands() {
		for name, f := range allFlags(sub) {
			flags[name] = f
		}
	}
	return flags
}

// subcommand returns the command of this name below cmd, and nil if there is none.
func subcommand(cmd *cobra.Command, name string) *cobra.Command {
	for _, sub := range cmd.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}
