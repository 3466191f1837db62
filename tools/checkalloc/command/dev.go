package command

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/exercise"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/author"
)

// dev has the commands for the authors of exercises. They work on the clone, where solutions/ lies beside exercises/.
func (c *cli) dev() *cobra.Command {
	cmd := c.workbookCommand(&cobra.Command{
		Use:         "dev",
		Short:       "run the commands for authors (see CONTRIBUTING.md)",
		Example:     "checkalloc dev check exercise1",
		Annotations: map[string]string{exitCodes: checkCodes},
	})
	a := &author.Author{App: c.App}
	cmd.AddCommand(
		c.devCheck(a), c.devMutants(a), c.devSeal(a), c.devNew(a), c.devVerdicts(a), c.devMisconceptions(a),
		c.devSoak(a),
	)
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	cmd.Use = "dev " + strings.Join(names, "|")
	cmd.RunE = c.run(func(_ context.Context, args []string) (int, error) {
		known := strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
		if len(args) == 0 {
			return 0, app.Usagef("dev needs a command: %s", known)
		}
		return 0, app.Usagef("no command dev %s: use %s", args[0], known)
	})
	return cmd
}

func (c *cli) devCheck(a *author.Author) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "check [EXERCISE...]",
		Short:             "check that exercises work, all or those named",
		Example:           "checkalloc dev check exercise1",
		ValidArgsFunction: c.completeExercises,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&a.Releases, "go", nil, "check on the Go releases in `LIST` (default: the last of Go 1.26 "+
		"and the newest)")
	f.BoolVar(&a.Brief, "brief", false, "check only starters and solutions, without vet, the race detector and mutants")
	cacheFlag(f, a)
	return c.devCommand(cmd, a, a.Check)
}

func (c *cli) devMutants(a *author.Author) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "mutants [EXERCISE...]",
		Short:             "run the tests on mutants of the solutions",
		Example:           "checkalloc dev mutants exercise1",
		ValidArgsFunction: c.completeExercises,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&a.Record, "record", false, "record the exercises in solutions/mutants.sum if enough mutants are killed; "+
		"dev check compares their files with the record")
	cacheFlag(f, a)
	return c.devCommand(cmd, a, a.Mutants)
}

func (c *cli) devSeal(a *author.Author) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "seal [EXERCISE...]",
		Short:             "measure exercises, and write their sealed copies",
		Example:           "checkalloc dev seal exercise1",
		ValidArgsFunction: c.completeExercises,
	}
	return c.devCommand(cmd, a, a.Seal)
}

func (c *cli) devNew(a *author.Author) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "new EXERCISE",
		Short:             "create an exercise",
		Example:           "checkalloc dev new exercise100",
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	return c.devCommand(cmd, a, a.New)
}

func (c *cli) devVerdicts(a *author.Author) *cobra.Command {
	arguments := []cobra.Completion{"starter", "solution"}
	cmd := &cobra.Command{
		Use:               "verdicts starter|solution",
		Short:             "print the verdicts on all starters or solutions",
		Example:           "checkalloc dev verdicts solution",
		ValidArgsFunction: cobra.FixedCompletions(arguments, cobra.ShellCompDirectiveNoFileComp),
	}
	cacheFlag(cmd.Flags(), a)
	return c.devCommand(cmd, a, a.Verdicts)
}

func (c *cli) devMisconceptions(a *author.Author) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "misconceptions [EXERCISE...]",
		Short:             "measure the likely mistakes, and store the results",
		Example:           "checkalloc dev misconceptions --check",
		ValidArgsFunction: c.completeExercises,
	}
	cmd.Flags().BoolVar(&a.OnlyCheck, "check", false, "write nothing, and compare with the stored results")
	return c.devCommand(cmd, a, a.Misconceptions)
}

func (c *cli) devSoak(a *author.Author) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "soak [EXERCISE...]",
		Short:             "check many times on busy processors, and compare the verdicts",
		Example:           "checkalloc dev soak --runs 20 exercise1",
		ValidArgsFunction: c.completeExercises,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&a.Runs, "runs", 200, "check each starter and solution `N` times")
	f.IntVar(&a.RunsPerBuild, "build", 50, "build anew after `N` checks")
	return c.devCommand(cmd, a, a.Soak)
}

func cacheFlag(f *pflag.FlagSet, a *author.Author) {
	f.StringVar(&a.CacheDir, "keep", "", "cache verdicts in `DIR` (for make test and make proof)")
}

// devCommand finishes a command for authors, which runs in the clone.
func (c *cli) devCommand(cmd *cobra.Command, a *author.Author, do action) *cobra.Command {
	cmd.Annotations = map[string]string{exitCodes: checkCodes}
	cmd.RunE = c.run(func(ctx context.Context, args []string) (code int, err error) {
		if a.Clone, err = c.Workspace(); err != nil {
			return 0, err
		}
		// A reader's workspace has exercises, too. To check or seal them there would silently do half the work.
		sealed := filepath.Join(a.Clone.Root, filepath.FromSlash(path.Dir(exercise.SealedFile)))
		if info, err := os.Stat(sealed); err != nil || !info.IsDir() {
			return 0, app.Usagef("dev works in the clone of On the Stack, and %s is not one: run it in the clone, "+
				"or name the clone with --dir DIR", a.Clone.Root)
		}
		return do(ctx, args)
	})
	c.workbookCommand(cmd)
	cmd.GroupID = "" // dev has no groups
	return cmd
}
