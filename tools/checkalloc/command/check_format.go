package command

import (
	"os"
	"slices"
	"strings"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/present/export"
	"onthestack/tools/checkalloc/app"
)

// checkFormat returns an error for wrong usage of --format and --points in a check with these arguments.
func (c *checkCall) checkFormat(args []string) error {
	if c.format == "" {
		if c.points != 0 {
			return app.Usagef("--points needs --format gradescope or classroom50")
		}
		return nil
	}
	if !slices.Contains(export.Formats(), c.format) {
		return app.Usagef("--format %s: choose one of %s", c.format, strings.Join(export.Formats(), ", "))
	}
	if c.JSON {
		return app.Usagef("use --json or --format, not both")
	}
	if c.points != 0 && !export.HasPoints(c.format) {
		return app.Usagef("--points: format %s has no points", c.format)
	}
	if len(args) > 0 && args[0] == "all" {
		return nil
	}
	if len(args) > 0 {
		if _, err := c.Lookup(args[0]); err == nil {
			return nil
		}
	}
	return app.Usagef("--format needs exercises to check: \"%s all --format %s\"", c.Name, c.format)
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

// results are the exercises with their points, for the verdicts to be filled in; nil without --format.
func (c *checkCall) results(exercises []*exercise.Exercise) ([]export.Result, error) {
	if c.format == "" {
		return nil, nil
	}
	points := c.points
	if points == 0 {
		points = len(exercises)
	}
	if points < len(exercises) {
		return nil, app.Usagef("--points %d: %d exercises need at least 1 each", points, len(exercises))
	}
	share := export.Split(points, len(exercises))
	var results []export.Result
	seen := map[string]bool{}
	for i, e := range exercises {
		if seen[e.ID] { // one named twice would count twice
			return nil, app.Usagef("%s is named twice", e.ID)
		}
		seen[e.ID] = true
		results = append(results, export.Result{Exercise: e.ID, Title: e.Title, Points: share[i]})
	}
	return results, nil
}
