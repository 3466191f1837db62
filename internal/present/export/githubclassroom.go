package export

import (
	"encoding/base64"
	"encoding/json"
)

// These types are the result of a grader as classroom-resources/autograding-command-grader writes it and
// autograding-grading-reporter reads it.
type (
	classroomResult struct {
		Version  int             `json:"version"`
		Status   string          `json:"status"`
		MaxScore int             `json:"max_score"`
		Tests    []classroomTest `json:"tests"`
	}
	classroomTest struct {
		Name     string `json:"name"`
		Status   string `json:"status"`
		Score    int    `json:"score"`
		Message  string `json:"message"`
		TestCode string `json:"test_code"`
		Filename string `json:"filename"`
		LineNo   int    `json:"line_no"`  // 0 for none: the reporter prints any other, "undefined" too
		Duration int64  `json:"duration"` // milliseconds
	}
)

// githubClassroom writes the result in base64, as the output of a step. It contains no text of the student's: the
// reporter prints name, message and test_code unchanged into the log of a job, and points are notices in that log.
func githubClassroom(results []Result, text int) ([]byte, error) {
	doc := classroomResult{Version: 1, Status: statusPass, Tests: []classroomTest{}}
	for _, r := range results {
		test := classroomTest{
			Name: clean(r.name(), maxText, ""), Status: statusPass, Score: r.score(),
			TestCode: "checkalloc " + r.Exercise, Duration: r.Time.Milliseconds(),
		}
		switch {
		case r.Err != nil:
			test.Status = statusError
			test.Message = clean(r.name()+": the check could not be made: "+r.Err.Error(), text, shortened)
		default:
			if !r.Verdict.Pass {
				test.Status = statusFail
			}
			test.Message = resultLine(r.Verdict)
		}
		doc.Status = worst(doc.Status, test.Status)
		doc.MaxScore += r.Points
		doc.Tests = append(doc.Tests, test)
	}
	plain, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return append(base64.StdEncoding.AppendEncode(nil, plain), '\n'), nil
}
