package export

import (
	"strings"

	"onthestack/internal/verdict"
)

// These types are results.json as version 2 of "The Test Runner Interface" in Exercism's documentation describes it.
// Version 3 adds tasks, which the exercises do not have.
type (
	exercismResults struct {
		Version int            `json:"version"`
		Status  string         `json:"status"`
		Message string         `json:"message,omitempty"` // with status error only
		Tests   []exercismTest `json:"tests"`
	}
	exercismTest struct {
		Name    string `json:"name"`
		Status  string `json:"status"`
		Message string `json:"message,omitempty"`
		Output  string `json:"output,omitempty"`
	}
)

// The statuses of a test and of the whole.
const (
	statusPass  = "pass"
	statusFail  = "fail"
	statusError = "error"
)

// The interface limits the output of a test to 500 characters and prescribes this note. A limit of 500 bytes is safe
// however characters are counted.
const (
	exercismOutput    = 500
	exercismTruncated = "\nOutput was truncated. Please limit to 500 chars"
)

// exercism writes one test for each exercise. As the interface asks, code that does not reach its tests is an error, of
// which only the message is shown, and code that runs and does not pass is a failure.
func exercism(results []Result, text int) ([]byte, error) {
	doc := exercismResults{Version: 2, Status: statusPass, Tests: []exercismTest{}}
	var errors []string
	for _, r := range results {
		test := exercismTest{Name: clean(r.name(), maxText, ""), Status: statusPass}
		if r.Verdict == nil {
			test.Status, test.Message = statusError, clean(r.Missing, maxText, shortened)
			errors = append(errors, test.Name+"\n"+test.Message)
			doc.Tests = append(doc.Tests, test)
			continue
		}
		if v := r.Verdict; !v.Pass {
			test.Status, doc.Status = statusFail, statusFail
			test.Message = clean(report(v), text, shortened)
			if v.Stage == verdict.StagePolicy || v.Stage == verdict.StageBuild {
				test.Status = statusError
				errors = append(errors, test.Name+"\n"+test.Message)
			}
		}
		test.Output = clean(printed(r.Verdict), min(text, exercismOutput), exercismTruncated)
		doc.Tests = append(doc.Tests, test)
	}
	if len(errors) > 0 { // an error outweighs a failure
		doc.Status = statusError
	}
	doc.Message = strings.Join(errors, "\n\n")
	return indented(doc)
}
