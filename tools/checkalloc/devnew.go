package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"

	"onthestack/tools/checkalloc/workspace"
)

// newExercise is a small exercise that works, with NAME for its name.
//
//go:embed new.txtar
var newExercise string

var exerciseName = regexp.MustCompile(`^exercise[1-9][0-9]{0,3}$`)

// devNew lays out a new exercise for its author to fill.
func (c *command) devNew(w *workspace.Workspace, id string) error {
	if !exerciseName.MatchString(id) {
		return usageError("dev new %s: the name is \"exercise\" and a number", id)
	}
	for _, dir := range []string{"exercises", "solutions"} {
		if _, err := os.Stat(filepath.Join(w.Root, dir, id)); err == nil {
			return usageError("%s/%s exists already: choose the next number", dir, id)
		}
	}
	for _, f := range txtar.Parse([]byte(strings.ReplaceAll(newExercise, "NAME", id))).Files {
		name := filepath.Join(w.Root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.out, `exercises/%[1]s and solutions/%[1]s hold a small exercise that works. Make it yours, then
  go run ./tools/checkalloc dev seal %[1]s
  go run ./tools/checkalloc dev check %[1]s
and put {{#exercise %[1]s}} on a line of its own in its chapter.
`, id)
	return nil
}
