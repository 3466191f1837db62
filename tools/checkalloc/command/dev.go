package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"onthestack/internal/present"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/author"
)

// devCommands returns the commands for authors, which set the fields of a. Their examples are only the arguments.
func (c *cli) devCommands(a *author.Author) []spec {
	keep := func(_ *cobra.Command, f *pflag.FlagSet) {
		f.StringVar(&a.CacheDir, "keep", "", "cache verdicts in `DIR` (for make test and make proof)")
	}
	exercises := c.completeExercises(len(c.Catalog))
	return []spec{
		{
			use: "check [EXERCISE...]", short: "check that exercises work, all or those named", example: "exercise6",
			complete: exercises,
			flags: func(cmd *cobra.Command, f *pflag.FlagSet) {
				f.StringSliceVar(&a.Releases, "go", nil,
					"check on the Go releases in `LIST`, such as go1.26.8 or newest (default: the last of Go 1.26 "+
						"and the newest)")
				f.BoolVar(&a.Brief, "brief", false,
					"check only starters and solutions, without vet, the race detector and mutants")
				keep(cmd, f)
			},
			do: a.Check,
		},
		{
			use: "mutants [EXERCISE...]", short: "run the tests on mutants of the solutions", example: "exercise6",
			complete: exercises,
			flags: func(cmd *cobra.Command, f *pflag.FlagSet) {
				f.BoolVar(&a.Record, "record", false, "record the exercises in solutions/mutants.sum if enough "+
					"mutants are killed; dev check compares their files with the record")
				keep(cmd, f)
			},
			do: a.Mutants,
		},
		{
			use: "seal [EXERCISE...]", short: "measure exercises, and write their sealed copies", example: "exercise6",
			complete: exercises, do: a.Seal,
		},
		{
			use: "new EXERCISE", short: "create an exercise", example: "exercise100",
			complete: cobra.NoFileCompletions, do: a.New,
		},
		{
			use: "verdicts starter|solution", short: "print the verdicts on all starters or solutions",
			example: "solution", complete: completeWords("starter", "solution"), flags: keep, do: a.Verdicts,
		},
		{
			use: "misconceptions [EXERCISE...]", short: "measure the likely mistakes, and store the results",
			example: "--check", complete: exercises,
			flags: func(_ *cobra.Command, f *pflag.FlagSet) {
				f.BoolVar(&a.OnlyCheck, "check", false, "write nothing, and compare with the stored results")
			},
			do: a.Misconceptions,
		},
	}
}

// dev has the commands for the authors of exercises. They work on the clone, where solutions/ lies beside exercises/.
func (c *cli) dev() *cobra.Command {
	a := &author.Author{App: c.App}
	var names []string
	dev := c.command(workbookGroup, spec{
		use: "dev", short: "run the commands for authors (see CONTRIBUTING.md)",
		example: "checkalloc dev check exercise6", codes: checkCodes,
		do: func(_ context.Context, args []string) (int, error) {
			known := present.List(names, "and")
			if len(args) == 0 {
				return 0, app.Usagef("dev needs a command: it has %s", known)
			}
			return 0, app.Usagef("no command dev %s; %sdev has %s", args[0], didYouMean(args[0], names), known)
		},
	})
	for _, s := range c.devCommands(a) {
		name, _, _ := strings.Cut(s.use, " ")
		names = append(names, name)
		s.example, s.codes = "checkalloc dev "+name+" "+s.example, checkCodes
		do := s.do
		s.do = func(ctx context.Context, args []string) (code int, err error) {
			if a.Clone, err = c.Workspace(); err != nil {
				return 0, err
			}
			// A reader's workspace has exercises, too. To check or seal them there would silently do half the work.
			if !a.Clone.IsClone() {
				return 0, app.Usagef("dev works in the clone of On the Stack, and %s is not one: run it in the clone, "+
					"or name the clone with --dir DIR", a.Clone.Root)
			}
			return do(ctx, args)
		}
		sub := c.command(workbookGroup, s)
		sub.GroupID = "" // dev has no groups
		dev.AddCommand(sub)
	}
	dev.Use = "dev " + strings.Join(names, "|")
	return dev
}
