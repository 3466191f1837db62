package author

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"

	"onthestack/tools/checkalloc/app"
)

// newExercise is a txtar archive with a small exercise that works. NAME stands for its name.
//
//go:embed new.txtar
var newExercise string

// newReview is what reviewFile says about the mutants of that exercise.
//
//go:embed newmutants.txt
var newReview string

var exerciseName = regexp.MustCompile(`^exercise[1-9][0-9]{0,3}$`)

// New writes a small exercise for its author to change.
func (a *Author) New(_ context.Context, args []string) (int, error) {
	if len(args) != 1 {
		return 0, app.Usagef("dev new needs a name: \"checkalloc dev new exercise4\"")
	}
	id := args[0]
	if !exerciseName.MatchString(id) {
		return 0, app.Usagef("dev new %s: the name is \"exercise\" and a number", id)
	}
	for _, dir := range []string{"exercises", "solutions"} {
		if _, err := os.Lstat(filepath.Join(a.Clone.Root, dir, id)); err == nil {
			return 0, app.Usagef("%s/%s exists already: choose the next number", dir, id)
		}
	}
	files := map[string][]byte{}
	for _, f := range txtar.Parse([]byte(strings.ReplaceAll(newExercise, "NAME", id))).Files {
		files[f.Name] = f.Data
	}
	if err := a.Clone.Create(files); err != nil {
		return 0, err
	}
	if err := a.appendReview(strings.ReplaceAll(newReview, "NAME", id)); err != nil {
		return 0, err
	}
	fmt.Fprintf(a.Out, `exercises/%[1]s and solutions/%[1]s hold a small exercise that works. Make it yours, then
  go run ./tools/checkalloc dev seal %[1]s
  go run ./tools/checkalloc dev check %[1]s
and put {{#exercise %[1]s}} on a line of its own in its chapter.
`, id)
	return app.ExitPassed, nil
}

// appendReview appends text to reviewFile. A link that leads out of the clone is an error.
func (a *Author) appendReview(text string) error {
	root, err := os.OpenRoot(a.Clone.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.OpenFile(reviewFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
