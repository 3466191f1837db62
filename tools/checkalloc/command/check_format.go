package command

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/present/export"
	"onthestack/tools/checkalloc/app"
)

// checkFormat returns an error for wrong usage of --format and --points in a check of these exercises.
func (c *checkCall) checkFormat(exercises exercise.Catalog) error {
	switch {
	case c.format == "" && c.points == 0:
		return nil
	case c.format == "":
		return app.Usagef("--points needs --format gradescope or classroom50")
	case !slices.Contains(export.Formats(), c.format):
		return app.Usagef("--format %s: choose one of %s", c.format, strings.Join(export.Formats(), ", "))
	case c.JSON:
		return app.Usagef("use --json or --format, not both")
	case c.points != 0 && !export.HasPoints(c.format):
		return app.Usagef("--points: format %s has no points", c.format)
	case len(exercises) == 0:
		return app.Usagef("--format needs exercises to check: \"%s all --format %s\"", c.Name, c.format)
	case c.points != 0 && c.points < len(exercises):
		return app.Usagef("--points %d: %d exercises need at least 1 each", c.points, len(exercises))
	}
	for i, e := range exercises {
		if slices.Contains(exercises[:i], e) { // it would count twice
			return app.Usagef("%s is named twice", e.ID)
		}
	}
	return nil
}

// submission returns the submission that Classroom 50's runner describes, and nil for other formats.
func (c *checkCall) submission() (*export.Submission, error) {
	if c.format != export.Classroom50 {
		return nil, nil
	}
	s, err := export.SubmissionFrom(os.Getenv, time.Now())
	if err != nil {
		return nil, app.UsageError(err.Error())
	}
	return s, nil
}

// document returns the results with their points, as documents for graders have them.
func (c *checkCall) document(results []checked) (all []export.Result) {
	share := export.Split(cmp.Or(c.points, len(results)), len(results))
	for i, r := range results {
		all = append(all, export.Result{Exercise: r.exercise.ID, Title: r.exercise.Title, Points: share[i],
			Verdict: r.verdict, Err: r.err, Time: r.took})
	}
	return all
}
