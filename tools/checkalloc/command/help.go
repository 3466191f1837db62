package command

import (
	"fmt"
	"io"
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
	cmd := &cobra.Command{
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
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.commandNames(prefix), cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// usageWidth is the width in columns of what is typed, to the left of its description.
const usageWidth = 32

// printHelp prints the help of a command, and for the root the list of all commands.
func printHelp(out io.Writer, cmd *cobra.Command, a *app.App) {
	if !cmd.HasParent() {
		for i, group := range cmd.Groups() {
			if i > 0 {
				fmt.Fprintln(out)
			}
			fmt.Fprintf(out, "%s:\n", group.Title)
			for _, c := range append([]*cobra.Command{cmd}, cmd.Commands()...) {
				if c.GroupID == group.ID && !c.Hidden {
					printUsage(out, c)
				}
			}
		}
	} else {
		fmt.Fprintln(out, "Usage:")
		if cmd.HasSubCommands() {
			for _, sub := range cmd.Commands() {
				printUsage(out, sub)
			}
		} else {
			printUsage(out, cmd)
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
