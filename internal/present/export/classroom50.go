package export

import (
	"fmt"
	"strings"
	"time"
)

// These types are result.json as Classroom 50's wiki describes it in "Advanced Autograding", the result.json contract
// (https://github.com/foundation50/classroom50/wiki/Advanced-Autograding, of August 2026), and its
// schemas/result-v1.schema.json.
type (
	classroom50Result struct {
		Schema string `json:"schema"`
		Submission
		Score    int               `json:"score"`
		MaxScore int               `json:"max-score"`
		Tests    []classroom50Test `json:"tests"`
	}
	// A classroom50Test has the four fields of the contract and a message. Classroom 50 keeps fields that the contract
	// does not name.
	classroom50Test struct {
		Name     string `json:"test-name"`
		Passed   bool   `json:"passed"`
		Score    int    `json:"score"`
		MaxScore int    `json:"max-score"`
		Message  string `json:"message"`
	}
)

const classroom50Schema = "classroom50/result/v1"

// A Submission identifies the graded submission, as Classroom 50's runner describes it to an autograder. The runner
// compares the result with it, and overwrites Owner, Type and Time in the result.
type Submission struct {
	Classroom  string `json:"classroom"`
	Assignment string `json:"assignment"`
	Type       string `json:"assignment_type,omitempty"` // "individual", "group" or "team"; "" if not known
	Owner      string `json:"owner,omitempty"`           // of the repository; "" if not known
	Tag        string `json:"submission"`                // "submit/2026-06-01T14-32-05Z-a1b2c3d"
	// Links to the commit, to its release, and to the comparison with the starter.
	Commit  string    `json:"commit"`
	Release string    `json:"release"`
	Review  string    `json:"review"`
	Time    time.Time `json:"datetime"`
}

// SubmissionFrom reads the variables that Classroom 50's runner sets for an autograder. The error names the variables
// that are missing.
func SubmissionFrom(getenv func(string) string, now time.Time) (*Submission, error) {
	var missing []string
	need := func(name string) string {
		value := getenv(name)
		if value == "" {
			missing = append(missing, name)
		}
		return value
	}
	s := &Submission{
		Classroom: need("CLASSROOM"), Assignment: need("ASSIGNMENT"), Tag: need("SUBMISSION_TAG"),
		Commit: need("COMMIT_URL"), Release: need("RELEASE_URL"),
		Review: getenv("REVIEW_URL"), Owner: getenv("OWNER"), Type: getenv("ASSIGNMENT_TYPE"), Time: now,
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s is written inside Classroom 50's autograder: its runner sets %s, missing here",
			Classroom50, strings.Join(missing, ", "))
	}
	if !strings.HasPrefix(s.Tag, "submit/") {
		return nil, fmt.Errorf("SUBMISSION_TAG is %q: Classroom 50 takes results of tags that begin with submit/",
			s.Tag)
	}
	if s.Review == "" {
		s.Review = s.Commit // the contract asks for this if there is nothing to compare
	}
	return s, nil
}

// classroom50 writes one test for each exercise. It quotes no output of the student's program, because Classroom 50
// copies the messages into the file of all scores.
func (s *Submission) classroom50(results []Result, text int) ([]byte, error) {
	doc := classroom50Result{Schema: classroom50Schema, Submission: *s, Tests: []classroom50Test{}}
	doc.Time = s.Time.UTC().Truncate(time.Second) // the contract asks for "2026-06-01T14:32:01Z"
	for _, r := range results {
		test := classroom50Test{
			Name: clean(r.name(), maxText, ""), Passed: r.passed(), Score: r.score(), MaxScore: r.Points,
			Message: clean(r.Missing, text, shortened),
		}
		if r.Verdict != nil {
			test.Message = clean(resultLine(r.Verdict), text, shortened)
		}
		doc.Score += test.Score
		doc.MaxScore += test.MaxScore
		doc.Tests = append(doc.Tests, test)
	}
	return indented(doc)
}
