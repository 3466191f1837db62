package export

import (
	"strings"

	"onthestack/internal/verdict"
)

// results.json as "The Test Runner Interface" of Exercism's documentation describes it, version 2: there are no tasks to link to.
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

// What a test prints is limited to 500 characters, which the interface wants said in these words. Counted in bytes it holds for
// every way to count characters.
const (
	exercismOutput    = 500
	exercismTruncated = "\nOutput was truncated. Please limit to 500 chars"
)

// exercism has one test for each exercise. As in the interface, code that did not get as far as its tests is an error, whose message
// is all that is shown; code that ran and is not good enough has failed.
func exercism(results []Result, text int) ([]byte, error) {
	doc := exercismResults{Version: 2, Status: statusPass, Tests: []exercismTest{}}
	var errors []string
	for _, r := range results {
		test := exercismTest{Name: clean(r.name(), maxText, ""), Status: statusPass}
		if v := r.Verdict; !v.Pass {
			test.Status = statusFail
			test.Message = clean(report(v), text, shortened)
			if v.Stage == verdict.StagePolicy || v.Stage == verdict.StageBuild {
				test.Status = statusError
				errors = append(errors, test.Name+"\n"+test.Message)
			}
		}
		test.Output = clean(printed(r.Verdict), min(text, exercismOutput), exercismTruncated)
		doc.Status = worst(doc.Status, test.Status)
		doc.Tests = append(doc.Tests, test)
	}
	doc.Message = strings.Join(errors, "\n\n")
	return indented(doc)
}
