package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/tools/checkalloc/app"
)

// lookup returns the exercise that a name means; see app.ExerciseID. The error for another name has the nearest names.
func (c *cli) lookup(name string) (*exercise.Exercise, error) {
	if e := c.Catalog.Lookup(app.ExerciseID(name)); e != nil {
		return e, nil
	}
	return nil, app.Usagef("no exercise %q; %s\"%s list\" lists the exercises", name,
		didYouMean(name, c.exerciseIDs()), c.Program)
}

func (c *cli) exerciseIDs() (ids []string) {
	for _, e := range c.Catalog {
		ids = append(ids, e.ID)
	}
	return ids
}

// noSuchName is the error for an argument of the command without a name, args[i], that is no exercise.
func (c *cli) noSuchName(args []string, i int) error {
	words := []string{all}
	for _, cmd := range c.root.Commands() {
		words = append(words, cmd.Name())
	}
	switch name := strings.ToLower(args[i]); {
	case name == all:
		return app.Usagef("%q means every exercise: leave the other names out", all)
	case slices.Contains(words, name) && len(args) > 1:
		rest := strings.Join(slices.Delete(slices.Clone(args), i, i+1), " ")
		return app.Usagef("a command comes first: \"%s %s %s\"", c.Program, name, rest)
	}
	return app.Usagef("no command or exercise %q; %[2]s\"%[3]s list\" lists the exercises, \"%[3]s --help\" the commands",
		args[i], didYouMean(args[i], append(words, c.exerciseIDs()...)), c.Program)
}

// didYouMean returns a question with at most three names that are near to a name, followed by a blank, or "" if none is.
func didYouMean(name string, names []string) string {
	// The root of a tree of commands with these names finds them.
	root := &cobra.Command{}
	for _, n := range names {
		root.AddCommand(&cobra.Command{Use: n, Run: func(*cobra.Command, []string) {}})
	}
	var near []string
	for distance := 1; distance <= max(2, len(name)/3) && name != ""; distance++ {
		root.SuggestionsMinimumDistance = distance
		for _, n := range root.SuggestionsFor(name) {
			if len(near) < 3 && !slices.Contains(near, n) {
				near = append(near, n)
			}
		}
	}
	if len(near) == 0 {
		return ""
	}
	return "did you mean " + present.List(near, "or") + "? "
}
