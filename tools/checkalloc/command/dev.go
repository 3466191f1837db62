package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/author"
)

// dev has the commands for the authors of exercises. They work on the clone, where solutions/ lies beside exercises/.
func (c *cli) dev() *cobra.Command {
	cmd := c.workbookCommand(&cobra.Command{
		Use:         "dev",
		Short:       "for authors (see CONTRIBUTING.md)",
		Example:     "checkalloc dev check exercise1",
		Annotations: map[string]string{exitCodes: checkCodes},
	})
	a := &author.Author{App: c.App}

	cache := func(f *pflag.FlagSet) {
		f.StringVar(&a.CacheDir, "keep", "", "cache verdicts in `DIR` (for make test and make proof)")
	}
	verdicts := c.devCommand(a, "verdicts starter|solution", "print the verdicts on all starters or solutions", "verdicts solution", a.Verdicts, cache)
	verdicts.ValidArgsFunction = cobra.FixedCompletions([]cobra.Completion{"starter", "solution"}, cobra.ShellCompDirectiveNoFileComp)
	cmd.AddCommand(
		c.devCommand(a, "check [EXERCISE...]", "prove exercises, all or those named", "check exercise1", a.Check, func(f *pflag.FlagSet) {
			f.StringSliceVar(&a.Releases, "go", nil, "on the Go releases in `LIST` (default: the last of Go 1.26 and the newest)")
			f.BoolVar(&a.Brief, "brief", false, "starters and solutions, without vet and the race detector")
			cache(f)
		}),
		c.devCommand(a, "seal [EXERCISE...]", "measure exercises, and write their sealed copies", "seal exercise1", a.Seal, nil),
		c.devCommand(a, "new EXERCISE", "begin an exercise", "new exercise18", a.New, nil),
		verdicts,
		c.devCommand(a, "wrongturns [EXERCISE...]", "measure the likely mistakes, and write them down", "wrongturns --check", a.WrongTurns, func(f *pflag.FlagSet) {
			f.BoolVar(&a.OnlyCheck, "check", false, "write nothing, prove that what is written still holds")
		}),
	)
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
		sub.GroupID = ""
	}
	cmd.Use = "dev " + strings.Join(names, "|")
	cmd.RunE = c.run(func(_ context.Context, args []string) (int, error) {
		known := strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
		if len(args) == 0 {
			return 0, app.Usagef("dev needs a command: %s", known)
		}
		return 0, app.Usagef("no command dev %s: it is %s", args[0], known)
	})
	return cmd
}

// devCommand returns a command for authors; flags adds those of its own, and may be nil.
func (c *cli) devCommand(a *author.Author, use, short, example string, do action, flags func(*pflag.FlagSet)) *cobra.Command {
	cmd := &cobra.Command{
		Use:               use,
		Short:             short,
		Example:           "checkalloc dev " + example,
		Annotations:       map[string]string{exitCodes: checkCodes},
		ValidArgsFunction: c.completeExercises,
		RunE: c.run(func(ctx context.Context, args []string) (code int, err error) {
			if a.Clone, err = c.Workspace(); err != nil {
				return 0, err
			}
			return do(ctx, args)
		}),
	}
	cmd.Flags().SortFlags = false
	if flags != nil {
		flags(cmd.Flags())
	}
	return c.workbookCommand(cmd)
}
