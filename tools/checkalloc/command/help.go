package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onthestack/tools/checkalloc/app"
)

// Annotations of a command for its help.
const (
	// exitCodes says what the exit codes mean.
	exitCodes = "exit-codes"
	// usageForms are the forms of the command's line, as lines of "ARGUMENTS\tDESCRIPTION". Without it there is one
	// form, of the fields Use and Short.
	usageForms = "usage-forms"
)

// The meaning of the exit codes of several commands.
const (
	checkCodes = "0 passed · 1 not yet · 2 wrong usage · 3 could not check"
	showCodes  = "0 shown · 2 wrong usage · 3 could not be shown"
)

// help prints the help of the command that is named, and of the program for any other name.
func (c *cli) help() *cobra.Command {
	return &cobra.Command{
		Use:    "help [COMMAND]",
		Short:  "print the help of a command",
		Hidden: true, // --help is in the list of flags
		// The flags of any command are accepted here and ignored.
		DisableFlagParsing: true,
		// The help needs none of the preparation of other commands.
		PersistentPreRun: func(*cobra.Command, []string) {},
		Run: func(_ *cobra.Command, args []string) {
			target, _, err := c.root.Find(args)
			if err != nil {
				target = c.root
			}
			printHelp(c.Out, target, c.App)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, prefix string) (names []cobra.Completion,
			directive cobra.ShellCompDirective) {
			for _, cmd := range c.root.Commands() {
				if len(args) == 0 && strings.HasPrefix(cmd.Name(), prefix) && !cmd.Hidden {
					names = append(names, cobra.CompletionWithDesc(cmd.Name(), cmd.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// usageWidth is the width in columns of what is typed, to the left of its description.
const usageWidth = 32

// printHelp prints the help of a command, and for the root the list of all commands.
func printHelp(out io.Writer, cmd *cobra.Command, a *app.App) {
	groups := cmd.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Usage"}}
	}
	for i, group := range groups {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s:\n", group.Title)
		for _, c := range append([]*cobra.Command{cmd}, cmd.Commands()...) {
			if c.GroupID == group.ID && !c.Hidden || !cmd.HasSubCommands() {
				printUsage(out, c)
			}
		}
	}
	fmt.Fprintf(out, "\nFlags:\n%s", cmd.Flags().FlagUsages())
	if !cmd.HasParent() {
		fmt.Fprintf(out, "\n\"%s COMMAND --help\" lists the flags of a command, with an example.\n", a.Name)
	}
	if cmd.Example != "" {
		fmt.Fprintf(out, "\nExample:\n  %s\n", strings.Replace(cmd.Example, "checkalloc", a.Program, 1))
	}
	if codes := cmd.Annotations[exitCodes]; codes != "" {
		fmt.Fprintf(out, "\nExit codes:\n  %s\n", codes)
	}
}

// printUsage prints each form of a command's line with its description, which begins on the next line if the form is
// long.
func printUsage(out io.Writer, cmd *cobra.Command) {
	for _, form := range forms(cmd) {
		usage, description, _ := strings.Cut(form, "\t")
		if len(usage) > usageWidth {
			fmt.Fprintf(out, "  %s\n", usage)
			usage = ""
		}
		fmt.Fprintf(out, "  %-*s  %s\n", usageWidth, usage, description)
	}
}

// forms returns the forms of a command's line, as "LINE\tDESCRIPTION".
func forms(cmd *cobra.Command) []string {
	several := cmd.Annotations[usageForms]
	if several == "" {
		return []string{cmd.UseLine() + "\t" + cmd.Short}
	}
	var all []string
	for form := range strings.SplitSeq(several, "\n") {
		arguments, description, _ := strings.Cut(form, "\t")
		all = append(all, strings.TrimSpace(cmd.CommandPath()+" "+arguments)+"\t"+description)
	}
	return all
}

// completion prints the script by which a shell completes commands, exercises and flags.
func (c *cli) completion() spec {
	shells := map[string]func(io.Writer) error{
		"bash":       func(w io.Writer) error { return c.root.GenBashCompletionV2(w, true) },
		"zsh":        func(w io.Writer) error { return c.root.GenZshCompletion(w) },
		"fish":       func(w io.Writer) error { return c.root.GenFishCompletion(w, true) },
		"powershell": func(w io.Writer) error { return c.root.GenPowerShellCompletionWithDesc(w) },
	}
	names := []cobra.Completion{"bash", "zsh", "fish", "powershell"}
	return spec{
		use: "completion SHELL", short: "print a completion script for bash, zsh, fish or powershell",
		example: "source <(checkalloc completion bash)", codes: showCodes, complete: completeWords(names...),
		do: func(_ context.Context, args []string) (int, error) {
			if len(args) != 1 || shells[args[0]] == nil {
				return 0, app.Usagef("completion needs a shell: %s", strings.Join(names, ", "))
			}
			return app.ExitPassed, printTo(c.Raw, shells[args[0]])
		},
	}
}

// exerciseNames returns the exercises that begin with prefix and are not among args, with their titles.
func (c *cli) exerciseNames(args []string, prefix string) []cobra.Completion {
	var names []cobra.Completion
	for _, e := range c.Catalog {
		if strings.HasPrefix(e.ID, prefix) && !slices.Contains(args, e.ID) {
			names = append(names, cobra.CompletionWithDesc(e.ID, e.Title))
		}
	}
	return names
}

// completeExercises completes at most so many exercises.
func (c *cli) completeExercises(most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.exerciseNames(args, prefix), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeWords completes one of these words.
func completeWords(words ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// completeFolders has the shell complete the name of a folder.
func completeFolders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeFiles has the shell complete the name of a file with one of these extensions.
func completeFiles(extensions ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}
