package main

import (
	"os"
	"slices"
	"strings"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/export"
)

// exportFlags says what is wrong with --format and --points on a command with these arguments.
func (c *command) exportFlags(args []string) error {
	if c.format == "" {
		if c.points != 0 {
			return usageError("--points needs --format gradescope, classroom50 or github-classroom")
		}
		return nil
	}
	if !slices.Contains(export.Formats(), c.format) {
		return usageError("--format %s: it is one of %s", c.format, strings.Join(export.Formats(), ", "))
	}
	if c.json {
		return usageError("--json and --format: one of them")
	}
	if c.points != 0 && !export.HasPoints(c.format) {
		return usageError("--points: %s has no points", c.format)
	}
	if len(args) > 0 && args[0] == "all" {
		return nil
	}
	if len(args) > 0 {
		if _, err := c.lookup(args[0]); err == nil {
			return nil
		}
	}
	return usageError("--format needs exercises to check: \"checkalloc all --format %s\"", c.format)
}

// submission returns the submission that Classroom 50's runner describes, and nil for other formats.
func (c *command) submission() (*export.Submission, error) {
	if c.format != export.Classroom50 {
		return nil, nil
	}
	s, err := export.SubmissionFrom(os.Getenv, time.Now())
	if err != nil {
		return nil, errUsage{err.Error()}
	}
	return s, nil
}

// results are the exercises with their points, for the verdicts to be filled in; nil without --format.
func (c *command) results(exercises []*exercise.Exercise) ([]export.Result, error) {
	if c.format == "" {
		return nil, nil
	}
	points := c.points
	if points == 0 {
		points = len(exercises)
	}
	if points < len(exercises) {
		return nil, usageError("--points %d: %d exercises need at least 1 each", points, len(exercises))
	}
	share := export.Split(points, len(exercises))
	var results []export.Result
	seen := map[string]bool{}
	for i, e := range exercises {
		if seen[e.ID] { // it would count twice
			return nil, usageError("%s is named twice", e.ID)
		}
		seen[e.ID] = true
		results = append(results, export.Result{Exercise: e.ID, Title: e.Title, Points: share[i]})
	}
	return results, nil
}
