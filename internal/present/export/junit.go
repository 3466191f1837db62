package export

import (
	"encoding/xml"
	"fmt"
	"time"
)

// These types are the elements of JUnit XML, in the order and with the attributes that Jenkins' xunit plugin accepts
// (its junit-10.xsd) and that GitLab and GitHub read. Of these, only a testsuite has the attribute skipped.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Time     string       `xml:"time,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		Classname string        `xml:"classname,attr"`
		Time      string        `xml:"time,attr"`
		Error     *junitProblem `xml:"error"`
		Failure   *junitProblem `xml:"failure"`
		Out       string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit writes one testcase for each exercise, because an exercise passes or does not. With a testcase for each stage,
// a count of testcases would give three quarters for an unchanged starter, whose policy, build and tests pass. The
// stage is the failure's type.
func junit(results []Result, text int) ([]byte, error) {
	suite := junitSuite{Name: "checkalloc", Tests: len(results)}
	var took time.Duration
	for _, r := range results {
		c := junitCase{Name: clean(r.Title, maxText, ""), Classname: clean(r.Exercise, maxText, ""),
			Time: seconds(r.Time)}
		took += r.Time
		switch {
		case r.Err != nil:
			suite.Errors++
			c.Error = &junitProblem{Type: "check", Message: "the check could not be made",
				Text: clean(r.Err.Error(), text, shortened)}
		case r.Verdict == nil:
			suite.Failures++
			c.Failure = &junitProblem{Type: stageMissing, Message: clean(r.Missing, maxText, shortened)}
		default:
			if !r.Verdict.Pass {
				suite.Failures++
				c.Failure = &junitProblem{Type: r.Verdict.Stage, Message: summary(r.Verdict),
					Text: clean(report(r.Verdict), text, shortened)}
			}
			c.Out = clean(printed(r.Verdict), text, shortened)
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Time = seconds(took)
	doc, err := xml.MarshalIndent(junitSuites{
		Name: suite.Name, Time: suite.Time, Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors,
		Suites: []junitSuite{suite},
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(doc, '\n')...), nil
}

// seconds writes a duration as JUnit XML does: "1.234".
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
