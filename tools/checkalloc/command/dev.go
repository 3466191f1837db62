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

// A devCommand is a command for authors.
type devCommand struct {
	use, short, example string
	complete            cobra.CompletionFunc
	flags               func(*pflag.FlagSet) // nil for none of its own
	do                  action
}

// devCommands returns the commands for authors, which set the fields of a.
func (c *cli) devCommands(a *author.Author) []devCommand {
	keep := func(f *pflag.FlagSet) {
		f.StringVar(&a.CacheDir, "keep", "", "cache verdicts in `DIR` (for make test and make proof)")
	}
	verdicts := []cobra.Completion{"starter", "solution"}
	return []devCommand{
		{"check [EXERCISE...]", "check that exercises work, all or those named", "exercise1", c.completeExercises,
			func(f *pflag.FlagSet) {
				f.StringSliceVar(&a.Releases, "go", nil, "check on the Go releases in `LIST` (default: the last of Go "+
					"1.26 and the newest)")
				f.BoolVar(&a.Brief, "brief", false,
					"check only starters and solutions, without vet, the race detector and mutants")
				keep(f)
			}, a.Check},
		{"mutants [EXERCISE...]", "run the tests on mutants of the solutions", "exercise1", c.completeExercises,
			func(f *pflag.FlagSet) {
				f.BoolVar(&a.Record, "record", false, "record the exercises in solutions/mutants.sum if enough mutants "+
					"are killed; dev check compares their files with the record")
				keep(f)
			}, a.Mutants},
		{"seal [EXERCISE...]", "measure exercises, and write their sealed copies", "exercise1", c.completeExercises,
			nil, a.Seal},
		{"new EXERCISE", "create an exercise", "exercise100", cobra.NoFileCompletions, nil, a.New},
		{"verdicts starter|solution", "print the verdicts on all starters or solutions", "solution",
			cobra.FixedCompletions(verdicts, cobra.ShellCompDirectiveNoFileComp), keep, a.Verdicts},
		{"misconceptions [EXERCISE...]", "measure the likely mistakes, and store the results", "--check",
			c.completeExercises, func(f *pflag.FlagSet) {
				f.BoolVar(&a.OnlyCheck, "check", false, "write nothing, and compare with the stored results")
			}, a.Misconceptions},
	}
}

// dev has the commands for the authors of exercises. They work on the clone, where solutions/ lies beside exercises/.
func (c *cli) dev() *cobra.Command {
	cmd := c.workbookCommand(&cobra.Command{
		Use:         "dev",
		Short:       "run the commands for authors (see CONTRIBUTING.md)",
		Example:     "checkalloc dev check exercise1",
		Annotations: map[string]string{exitCodes: checkCodes},
	})
	a := &author.Author{App: c.App}
	var names []string
	for _, d := range c.devCommands(a) {
		sub := &cobra.Command{Use: d.use, Short: d.short, ValidArgsFunction: d.complete,
			Annotations: map[string]string{exitCodes: checkCodes}}
		names = append(names, sub.Name())
		sub.Example = "checkalloc dev " + sub.Name() + " " + d.example
		sub.Flags().SortFlags = false
		if d.flags != nil {
			d.flags(sub.Flags())
		}
		sub.RunE = c.run(func(ctx context.Context, args []string) (code int, err error) {
			if a.Clone, err = c.Workspace(); err != nil {
				return 0, err
			}
			// A reader's workspace has exercises, too. To check or seal them there would silently do half the work.
			sealed := filepath.Join(a.Clone.Root, filepath.FromSlash(path.Dir(exercise.SealedFile)))
			if info, err := os.Stat(sealed); err != nil || !info.IsDir() {
				return 0, app.Usagef("dev works in the clone of On the Stack, and %s is not one: run it in the clone, "+
					"or name the clone with --dir DIR", a.Clone.Root)
			}
			return d.do(ctx, args)
		})
		c.workbookCommand(sub).GroupID = "" // dev has no groups
		cmd.AddCommand(sub)
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
