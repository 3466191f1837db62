package export

import (
	"encoding/json"
	"fmt"
)

// These types are results.json as Gradescope's "Autograder Specifications" describe it.
type (
	gradescopeResults struct {
		Score            int              `json:"score"`
		Output           string           `json:"output"`
		OutputFormat     string           `json:"output_format"`
		TestOutputFormat string           `json:"test_output_format"`
		TestNameFormat   string           `json:"test_name_format"`
		Visibility       string           `json:"visibility"`
		StdoutVisibility string           `json:"stdout_visibility"`
		Tests            []gradescopeTest `json:"tests"`
	}
	gradescopeTest struct {
		Score        int             `json:"score"`
		MaxScore     int             `json:"max_score"`
		Status       string          `json:"status"`
		Name         string          `json:"name"`
		NameFormat   string          `json:"name_format"`
		Output       string          `json:"output"`
		OutputFormat string          `json:"output_format"`
		Visibility   string          `json:"visibility"`
		ExtraData    gradescopeExtra `json:"extra_data"`
	}
	// gradescopeExtra is stored with the submission, for later evaluation.
	gradescopeExtra struct {
		Exercise string `json:"exercise"`
		Stage    string `json:"stage"` // "" if all passed, "missing" without a verdict
		Go       string `json:"go"`
		Engine   string `json:"engine"` // "native", "confined" or "wasm"
		// Provisional is true for a pass without the race detector, if the exercise asks for it.
		Provisional bool `json:"provisional,omitempty"`
	}
)

// gradescope writes every text in the format "text", which Gradescope shows unchanged. In html, simple_format, md or
// ansi a student's output would be markup on the instructor's page. The output of the autograder itself stays hidden.
func gradescope(results []Result, text int) ([]byte, error) {
	doc := gradescopeResults{
		OutputFormat: "text", TestOutputFormat: "text", TestNameFormat: "text",
		Visibility: "visible", StdoutVisibility: "hidden", Tests: []gradescopeTest{},
	}
	passed := 0
	for _, r := range results {
		test := gradescopeTest{
			Score: r.score(), MaxScore: r.Points, Status: "failed", Name: clean(r.name(), maxText, ""),
			NameFormat: "text", OutputFormat: "text", Visibility: "visible",
			ExtraData: gradescopeExtra{Exercise: r.Exercise, Stage: stageMissing},
		}
		if r.Verdict == nil {
			test.Output = clean(r.Missing, maxText, shortened)
			doc.Tests = append(doc.Tests, test)
			continue
		}
		test.ExtraData.Stage, test.ExtraData.Go, test.ExtraData.Engine = r.Verdict.Stage, r.Verdict.Go, r.Verdict.Engine
		test.ExtraData.Provisional = r.Verdict.Provisional != ""
		if r.passed() {
			test.Status = "passed"
			passed++
		}
		test.Output = clean(report(r.Verdict), text, shortened)
		if out := clean(r.Verdict.Tests.Output, text, shortened); out != "" {
			test.Output += "\n\n" + out
		}
		doc.Score += test.Score
		doc.Tests = append(doc.Tests, test)
	}
	doc.Output = fmt.Sprintf("%d of %d passed", passed, len(results))
	return indented(doc)
}

// indented returns v as JSON. "<", ">" and "&" are escaped, so that the document can be put into a script element.
func indented(v any) ([]byte, error) {
	doc, err := json.MarshalIndent(v, "", "  ")
	return append(doc, '\n'), err
}
