package command

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onthestack/tools/checkalloc/app"
)

// completion prints the script by which a shell completes commands, exercises and flags.
func (c *cli) completion() *cobra.Command {
	shells := map[string]func(io.Writer) error{
		"bash":       func(w io.Writer) error { return c.root.GenBashCompletionV2(w, true) },
		"zsh":        func(w io.Writer) error { return c.root.GenZshCompletion(w) },
		"fish":       func(w io.Writer) error { return c.root.GenFishCompletion(w, true) },
		"powershell": func(w io.Writer) error { return c.root.GenPowerShellCompletionWithDesc(w) },
	}
	names := []cobra.Completion{"bash", "zsh", "fish", "powershell"}
	return c.workbookCommand(&cobra.Command{
		Use:               "completion SHELL",
		Short:             "print a completion script for bash, zsh, fish or powershell",
		Example:           "source <(checkalloc completion bash)",
		Annotations:       map[string]string{exitCodes: showCodes},
		ValidArgsFunction: cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp),
		RunE: c.run(func(_ context.Context, args []string) (int, error) {
			if len(args) != 1 || shells[args[0]] == nil {
				return 0, app.Usagef("completion needs a shell: %s", strings.Join(names, ", "))
			}
			return app.ExitPassed, printTo(c.Raw, shells[args[0]])
		}),
	})
}

// commandNames returns the commands that begin with prefix, with their descriptions.
func (c *cli) commandNames(prefix string) []cobra.Completion {
	var names []cobra.Completion
	for _, cmd := range c.root.Commands() {
		if strings.HasPrefix(cmd.Name(), prefix) && !cmd.Hidden {
			names = append(names, cobra.CompletionWithDesc(cmd.Name(), cmd.Short))
		}
	}
	return names
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

// completeExercise completes the only argument of a command.
func (c *cli) completeExercise(
	_ *cobra.Command,
	args []string,
	prefix string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.exerciseNames(args, prefix), cobra.ShellCompDirectiveNoFileComp
}

// completeExercises completes any number of exercises.
func (c *cli) completeExercises(
	_ *cobra.Command,
	args []string,
	prefix string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	return c.exerciseNames(args, prefix), cobra.ShellCompDirectiveNoFileComp
}

// completeFolders has the shell complete the name of a folder.
func completeFolders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeFiles has the shell complete the name of a file with this extension.
func completeFiles(extension string) cobra.CompletionFunc {
	return cobra.FixedCompletions([]cobra.Completion{extension}, cobra.ShellCompDirectiveFilterFileExt)
}
