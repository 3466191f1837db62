// Package export writes the outcome of checks in formats for grading: JUnit XML, Gradescope's results.json, Classroom
// 50's result.json, and the results.json of an Exercism test runner. Each format is a file of this package; a new one
// also joins Formats and Write.
//
// Every status and score comes from the verdict's Pass and Stage. Output of a student's code, and code that the
// compiler quotes, is text for a person to read: it is cleaned and bounded, and no consumer decides by a field that
// contains it.
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
	JUnit       = "junit"
	Gradescope  = "gradescope"
	Classroom50 = "classroom50"
	Exercism    = "exercism"
)

// Formats returns the names of the formats.
func Formats() []string { return []string{JUnit, Gradescope, Classroom50, Exercism} }

// HasPoints reports whether a format can express points.
func HasPoints(format string) bool { return format == Gradescope || format == Classroom50 }

// GradedIsSuccess reports whether the reader of a format takes every exit code except 0 for a failure of the grader.
// The exit code must then be 0 even if a solution does not pass.
func GradedIsSuccess(format string) bool { return format == Classroom50 }

// TakesErrors reports whether a format can say that a check could not be made, without blaming the student. Jenkins and
// GitLab, which read JUnit XML, distinguish an error from a failure. Gradescope knows only passed and failed, and asks
// the instructor to run again if there is no results.json. An "error" of Exercism is the student's, and a runner that
// failed must exit with another code than 0. Classroom 50 relies on the exit code too, and publishes an error of its
// own.
func TakesErrors(format string) bool { return format == JUnit }

// A Result is the outcome of checking one exercise.
type Result struct {
	Exercise string // "exercise6"
	Title    string
	// Verdict is nil if the check could not be made, or if there is nothing to check. Err or Missing then gives the
	// reason.
	Verdict *verdict.Verdict
	Err     error
	Missing string        // "nothing was handed in", for example
	Points  int           // points for passing; a solution that does not pass gets 0
	Time    time.Duration // how long the check took
}

func (r Result) passed() bool { return r.Err == nil && r.Verdict != nil && r.Verdict.Pass }

// stageMissing is the stage of a result without a verdict in formats that name stages. It counts as a failure of its own
// kind: a reader of JUnit XML that takes what was skipped for no failure would call somebody successful who did nothing.
const stageMissing = "missing"

// score returns all points if the solution passed, else 0.
func (r Result) score() int {
	if r.passed() {
		return r.Points
	}
	return 0
}

func (r Result) name() string { return r.Exercise + ": " + r.Title }

// Split divides points among n ≥ 1 exercises. The shares are whole numbers that differ by at most one, the larger ones
// first, and their sum is exactly points.
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

// Write writes the results as one document in a single call of w.Write, or writes nothing. Classroom50 needs the graded
// submission; the other formats ignore it. A result without a verdict is an error if the format does not take errors.
func Write(w io.Writer, format string, results []Result, submission *Submission) error {
	for _, r := range results {
		switch {
		case r.Verdict == nil && r.Err == nil && r.Missing == "":
			return fmt.Errorf("export %s: neither a verdict nor an error on %s", format, r.Exercise)
		case r.Err != nil && !TakesErrors(format):
			return fmt.Errorf("%s cannot represent a check that could not be made: %s: %w", format, r.Exercise, r.Err)
		}
	}
	write := map[string]func(results []Result, text int) ([]byte, error){
		JUnit: junit, Gradescope: gradescope, Classroom50: submission.classroom50, Exercism: exercism,
	}[format]
	switch {
	case write == nil:
		return fmt.Errorf("no export format %q", format)
	case format == Classroom50 && submission == nil:
		return fmt.Errorf("export %s: no submission", format)
	}
	doc, err := fit(results, write)
	if err != nil {
		return fmt.Errorf("export %s: %w", format, err)
	}
	_, err = w.Write(doc)
	return err
}

// errTooLarge is returned for a document that is too large even without the text of the students.
var errTooLarge = errors.New("too many exercises for one document; export some at a time")

// fit returns the document of at most maxDocument bytes in which each text may be as long as possible, at most maxText
// bytes.
func fit(results []Result, write func(results []Result, text int) ([]byte, error)) ([]byte, error) {
	for text := maxText; ; text /= 2 {
		doc, err := write(results, text)
		if err != nil {
			return nil, err
		}
		if len(doc) <= maxDocument {
			return doc, nil
		}
		if text == 0 {
			return nil, errTooLarge
		}
	}
}
