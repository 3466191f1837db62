// Package export writes the outcome of checks in the formats that those who grade already read: JUnit XML, Gradescope's
// results.json, Classroom 50's result.json, the results.json of an Exercism test runner, and the result of a grader of GitHub
// Classroom, which was shut down on 28 August 2026 and whose reporter still reads it.
//
// Every status and score comes from the verdict's Pass and Stage. What a student's code printed, and what the compiler quotes of
// it, is only ever text for a person to read: cleaned, bounded, and in no field that a consumer decides by.
package export

import (
	"errors"
	"fmt"
	"io"
	"time"

	"onthestack/internal/verdict"
)

// The formats.
const (
	JUnit           = "junit"
	Gradescope      = "gradescope"
	Classroom50     = "classroom50"
	GitHubClassroom = "github-classroom"
	Exercism        = "exercism"
)

// Formats lists the formats.
func Formats() []string { return []string{JUnit, Gradescope, Classroom50, GitHubClassroom, Exercism} }

// HasPoints reports whether a format has a place for points.
func HasPoints(format string) bool {
	return format == Gradescope || format == Classroom50 || format == GitHubClassroom
}

// GradedIsSuccess reports whether the reader of a format takes every exit code except 0 for a failure of the grader. The exit code
// must then be 0 also if a solution does not pass.
func GradedIsSuccess(format string) bool { return format == Classroom50 }

// TakesErrors reports whether a format can say that a check could not be made without it counting against the student. Jenkins and
// GitLab know an error beside a failure, and so does GitHub Classroom. Gradescope knows passed and failed only, and asks the
// instructor to run again where there is no results.json; Exercism's "error" is the student's, and a runner that failed exits so.
// Classroom 50 takes the exit code for it, and publishes an error of its own.
func TakesErrors(format string) bool { return format == JUnit || format == GitHubClassroom }

// A Result is the outcome of checking one exercise.
type Result struct {
	Exercise string // "exercise1"
	Title    string
	// Verdict is nil where the check could not be made: Err says why then.
	Verdict *verdict.Verdict
	Err     error
	Points  int           // whole points for passing; there are none for less
	Time    time.Duration // how long the check took
}

func (r Result) passed() bool { return r.Err == nil && r.Verdict.Pass }

// score is all points or none.
func (r Result) score() int {
	if r.passed() {
		return r.Points
	}
	return 0
}

func (r Result) name() string { return r.Exercise + ": " + r.Title }

// The statuses of GitHub Classroom and Exercism.
const (
	statusPass  = "pass"
	statusFail  = "fail"
	statusError = "error"
)

// worst is the status of a whole whose parts have these: an error outweighs a failure.
func worst(a, b string) string {
	for _, s := range []string{statusError, statusFail} {
		if a == s || b == s {
			return s
		}
	}
	return statusPass
}

// Split shares points out among n exercises, in whole numbers that differ by at most one and sum exactly: the first ones get the
// one more. n is at least 1.
func Split(points, n int) []int {
	shares := make([]int, n)
	for i := range shares {
		shares[i] = points / n
		if i < points%n {
			shares[i]++
		}
	}
	return shares
}

// Write writes the results as one document in a single call of w.Write, or writes nothing. Classroom50 needs the submission that was
// graded; the other formats ignore it. A result without a verdict is an error if the format has no place for errors.
func Write(w io.Writer, format string, results []Result, of *Submission) error {
	for _, r := range results {
		switch {
		case r.Verdict == nil && r.Err == nil:
			return fmt.Errorf("export %s: neither a verdict nor an error on %s", format, r.Exercise)
		case r.Err != nil && !TakesErrors(format):
			return fmt.Errorf("%s has no word for a check that could not be made: %s: %w", format, r.Exercise, r.Err)
		}
	}
	var doc []byte
	var err error
	switch format {
	case JUnit:
		doc, err = fit(maxDocument, results, junit)
	case Gradescope:
		doc, err = fit(maxDocument, results, gradescope)
	case Classroom50:
		if of == nil {
			return fmt.Errorf("export %s: no submission", format)
		}
		doc, err = fit(maxDocument, results, of.classroom50)
	case GitHubClassroom:
		doc, err = fit(maxOutput, results, githubClassroom)
	case Exercism:
		doc, err = fit(maxDocument, results, exercism)
	default:
		return fmt.Errorf("no export format %q", format)
	}
	if err != nil {
		return fmt.Errorf("export %s: %w", format, err)
	}
	_, err = w.Write(doc)
	return err
}

// errTooLarge is returned where a document is too large also without any text of the students'.
var errTooLarge = errors.New("too many exercises for one document; export some at a time")

// fit makes the document of at most that many bytes in which each text has the most room, up to maxText bytes.
func fit(most int, results []Result, write func(results []Result, text int) ([]byte, error)) ([]byte, error) {
	for text := maxText; ; text /= 2 {
		doc, err := write(results, text)
		if err != nil {
			return nil, err
		}
		if len(doc) <= most {
			return doc, nil
		}
		if text == 0 {
			return nil, errTooLarge
		}
	}
}
