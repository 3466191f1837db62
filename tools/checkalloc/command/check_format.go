package command

import (
	"encoding/json"
	"fmt"
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

// An output shows the results of checks, which it gets in the order of the exercises. A check that could not be made is
// among them only if the format takes errors.
type output interface {
	add(checked) error
	end() error
}

// output returns the output that the flags choose. Its errors are wrong usage.
func (c *checkCall) output(exercises []*exercise.Exercise, saver *progressSaver) (output, error) {
	switch {
	case c.JSON:
		return jsonOutput{c.JSONEncoder()}, nil
	case c.format == "":
		return &textOutput{call: c, saver: saver}, nil
	}
	results, err := c.results(exercises)
	if err != nil {
		return nil, err
	}
	submission, err := c.submission()
	return &document{call: c, results: results, submission: submission}, err
}

// A jsonOutput prints each verdict as JSON.
type jsonOutput struct{ *json.Encoder }

func (o jsonOutput) add(r checked) error { return o.Encode(r.verdict) }
func (o jsonOutput) end() error          { return nil }

// A textOutput prints the verdicts for a person.
type textOutput struct {
	call                *checkCall
	saver               *progressSaver
	checked             int
	notYet, provisional []string
}

func (o *textOutput) add(r checked) error {
	if o.checked++; o.checked > 1 {
		fmt.Fprintln(o.call.Out)
	}
	id := r.exercise.ID
	if !r.verdict.Pass {
		o.notYet = append(o.notYet, id)
	}
	if r.verdict.Provisional != "" {
		o.provisional = append(o.provisional, id)
	}
	printVerdict(o.call.App, r.exercise, r.verdict, r.files, o.saver.state(id))
	return nil
}

// end prints how many of several exercises passed, which did not, and which only provisionally.
func (o *textOutput) end() error {
	if o.checked < 2 {
		return nil
	}
	out := o.call.Out
	fmt.Fprintf(out, "\n  %d of %d passed.", o.checked-len(o.notYet), o.checked)
	if len(o.notYet) > 0 {
		fmt.Fprintf(out, " Not yet: %s", strings.Join(o.notYet, ", "))
	}
	if len(o.provisional) > 0 {
		fmt.Fprintf(out, "\n  Provisional, without the race detector: %s", strings.Join(o.provisional, ", "))
	}
	fmt.Fprintln(out)
	return nil
}

// A document prints one document for graders, at the end.
type document struct {
	call       *checkCall
	results    []export.Result
	submission *export.Submission
	next       int // index in results
}

func (d *document) add(r checked) error {
	result := &d.results[d.next]
	d.next++
	result.Verdict, result.Err, result.Time = r.verdict, r.err, r.took
	return nil
}

func (d *document) end() error {
	return export.Write(d.call.Raw, d.call.format, d.results, d.submission)
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

// results are the exercises with their points, for the verdicts to be filled in.
func (c *checkCall) results(exercises []*exercise.Exercise) ([]export.Result, error) {
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
