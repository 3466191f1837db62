package export

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A decision is all of a document that a consumer decides by.
type decision struct {
	whole string
	tests []string // in the order of the exercises
	names []string
}

// decode holds a document to its schema and returns what it decides.
func decode(t testing.TB, format string, doc []byte) decision {
	t.Helper()
	if !utf8.Valid(doc) || bytes.Count(doc, []byte("\x1b")) > 0 {
		t.Fatalf("%s: neither UTF-8 nor free of escape sequences:\n%q", format, doc)
	}
	steersNothing(t, format, string(doc))
	if format == JUnit {
		return junitDecision(t, doc)
	}
	var value any
	if err := json.Unmarshal(doc, &value); err != nil {
		t.Fatalf("%s: %v in\n%s", format, err, doc)
	}
	if err := schema(t, format).Validate(value); err != nil {
		t.Fatalf("%s: %v in\n%s", format, err, doc)
	}
	var d struct {
		Score  int
		Status string
		Tests  []struct {
			Name     string
			Status   string
			Score    int
			MaxScore int `json:"max_score"`
		}
	}
	if format == Classroom50 {
		return classroom50Decision(t, doc)
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	var got decision
	scores, of := 0, 0
	for _, test := range d.Tests {
		scores += test.Score
		of += test.MaxScore
		got.names = append(got.names, test.Name)
		if format == Gradescope {
			got.tests = append(got.tests, fmt.Sprintf("%s %d/%d", test.Status, test.Score, test.MaxScore))
		} else {
			got.tests = append(got.tests, test.Status)
		}
	}
	if format != Gradescope {
		got.whole = d.Status
		return got
	}
	if scores != d.Score || scores > of {
		t.Fatalf("the tests score %d of %d, the whole %d", scores, of, d.Score)
	}
	got.whole = strconv.Itoa(d.Score)
	return got
}

// classroom50Decision holds a document to the rules that runner.py and collect_scores.py of Classroom 50 have beyond
// the schema, and returns what it decides.
func classroom50Decision(t testing.TB, doc []byte) (got decision) {
	t.Helper()
	var d struct {
		Score    int
		MaxScore int `json:"max-score"`
		Tests    []struct {
			Name     string `json:"test-name"`
			Passed   bool
			Score    int
			MaxScore int `json:"max-score"`
		}
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	scores, of := 0, 0
	for _, test := range d.Tests {
		if test.Score > test.MaxScore || test.Passed != (test.Score == test.MaxScore) {
			t.Fatalf("%s: %d of %d, passed %v", test.Name, test.Score, test.MaxScore, test.Passed)
		}
		scores += test.Score
		of += test.MaxScore
		got.names = append(got.names, test.Name)
		got.tests = append(got.tests, fmt.Sprintf("%v %d/%d", test.Passed, test.Score, test.MaxScore))
	}
	if scores != d.Score || of != d.MaxScore {
		t.Fatalf("the tests have %d of %d, the whole %d of %d", scores, of, d.Score, d.MaxScore)
	}
	got.whole = fmt.Sprintf("%d/%d", d.Score, d.MaxScore)
	return got
}

// command is what a GitHub runner or an Azure agent obeys where it stands in a log.
var command = regexp.MustCompile(`(?m)^\s*::|##|(?i:\[\[ATTACHMENT)`)

// steersNothing proves that neither the document nor a text in it, when printed, is a command to the program that shows
// it.
func steersNothing(t testing.TB, format, doc string) {
	t.Helper()
	if m := command.FindString(doc); m != "" {
		t.Fatalf("%s has the command %q in\n%s", format, m, doc)
	}
	if format == JUnit || !json.Valid([]byte(doc)) {
		return
	}
	var each func(v any)
	each = func(v any) {
		switch v := v.(type) {
		case string:
			if m := command.FindString(v); m != "" {
				t.Fatalf("%s has the command %q in %q", format, m, v)
			}
			for _, r := range v {
				if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
					t.Fatalf("%s has the control character %U in %q", format, r, v)
				}
			}
		case []any:
			for _, e := range v {
				each(e)
			}
		case map[string]any:
			for _, e := range v {
				each(e)
			}
		}
	}
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	each(v)
}

var schemas sync.Map

func schema(t testing.TB, format string) *jsonschema.Schema {
	t.Helper()
	if s, ok := schemas.Load(format); ok {
		return s.(*jsonschema.Schema)
	}
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", format+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	schemas.Store(format, s)
	return s
}

// junitElements are the rules of Jenkins' xunit plugin (its junit-10.xsd), as far as these documents go: which
// attributes an element has to have, which it may have, and which elements stand in it.
var junitElements = map[string]struct {
	required, optional, children []string
	text                         bool
}{
	"testsuites": {optional: []string{"name", "time", "tests", "failures", "errors"}, children: []string{"testsuite"}},
	"testsuite": {required: []string{"name", "tests", "failures", "errors"}, optional: []string{"skipped", "time"},
		children: []string{"testcase"}},
	"testcase": {required: []string{"name"}, optional: []string{"time", "classname"},
		children: []string{"skipped", "error", "failure", "system-out"}},
	"failure":    {optional: []string{"type", "message"}, text: true},
	"error":      {optional: []string{"type", "message"}, text: true},
	"system-out": {text: true},
}

var (
	junitTime  = regexp.MustCompile(`^[0-9]+\.[0-9]{3}$`)
	junitCount = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
)

// junitDecision holds a document to junitElements, its sums to its testcases, and returns what it decides.
func junitDecision(t testing.TB, doc []byte) decision {
	t.Helper()
	if err := junitRules(doc); err != nil {
		t.Fatalf("%v in\n%s", err, doc)
	}
	var suites struct {
		Tests, Failures, Errors int `xml:",attr"`
		Suite                   []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Case     []struct {
				Name      string `xml:"name,attr"`
				Classname string `xml:"classname,attr"`
				Failure   []struct {
					Type string `xml:"type,attr"`
				} `xml:"failure"`
				Error []struct {
					Type string `xml:"type,attr"`
				} `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(doc, &suites); err != nil {
		t.Fatal(err)
	}
	if len(suites.Suite) != 1 {
		t.Fatalf("%d suites", len(suites.Suite))
	}
	suite := suites.Suite[0]
	var d decision
	failures, errs := 0, 0
	for _, c := range suite.Case {
		d.names = append(d.names, c.Classname+": "+c.Name)
		switch {
		case len(c.Failure) == 0 && len(c.Error) == 0:
			d.tests = append(d.tests, "passed")
		case len(c.Failure) == 1 && len(c.Error) == 0:
			failures++
			d.tests = append(d.tests, "failure "+c.Failure[0].Type)
		case len(c.Failure) == 0 && len(c.Error) == 1:
			errs++
			d.tests = append(d.tests, "error "+c.Error[0].Type)
		default:
			t.Fatalf("%s has %d failures and %d errors", c.Name, len(c.Failure), len(c.Error))
		}
	}
	d.whole = fmt.Sprintf("%d %d %d", suite.Tests, suite.Failures, suite.Errors)
	if counted := fmt.Sprintf("%d %d %d", len(suite.Case), failures, errs); counted != d.whole || suite.Skipped != 0 {
		t.Fatalf("tests, failures and errors are said to be %s, and are %s", d.whole, counted)
	}
	return d
}

func junitRules(doc []byte) error {
	dec := xml.NewDecoder(bytes.NewReader(doc))
	var open []string
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			if len(open) > 0 {
				return fmt.Errorf("%v is not closed", open)
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			rules, ok := junitElements[name]
			if !ok || token.Name.Space != "" {
				return fmt.Errorf("the element %s", name)
			}
			if len(open) == 0 {
				if name != "testsuites" {
					return fmt.Errorf("the root %s", name)
				}
			} else if parent := open[len(open)-1]; !slices.Contains(junitElements[parent].children, name) {
				return fmt.Errorf("%s in %s", name, parent)
			}
			var has []string
			for _, a := range token.Attr {
				has = append(has, a.Name.Local)
				switch a.Name.Local {
				case "tests", "failures", "errors", "skipped":
					if !junitCount.MatchString(a.Value) {
						return fmt.Errorf("%s=%q", a.Name.Local, a.Value)
					}
				case "time":
					if !junitTime.MatchString(a.Value) {
						return fmt.Errorf("time=%q", a.Value)
					}
				}
			}
			for _, a := range rules.required {
				if !slices.Contains(has, a) {
					return fmt.Errorf("%s without %s", name, a)
				}
			}
			for _, a := range has {
				if !slices.Contains(rules.required, a) && !slices.Contains(rules.optional, a) {
					return fmt.Errorf("%s with %s", name, a)
				}
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if strings.TrimSpace(string(token)) != "" && (len(open) == 0 || !junitElements[open[len(open)-1]].text) {
				return fmt.Errorf("text in %v", open)
			}
		case xml.ProcInst:
			if token.Target != "xml" {
				return fmt.Errorf("the instruction %s", token.Target)
			}
		default:
			return fmt.Errorf("a %T", token)
		}
	}
}

// classroom50Good is the least document of Classroom 50.
const classroom50Good = `{"schema":"classroom50/result/v1","classroom":"a","assignment":"b",` +
	`"assignment_type":"individual","owner":"o","submission":"submit/x","commit":"c","release":"r","review":"c",` +
	`"datetime":"2026-06-01T14:32:01Z","score":1,"max-score":1,"tests":[{"test-name":"t","passed":true,"score":1,` +
	`"max-score":1,"message":"passed"}]}`

// TestRules proves that the rules find mistakes.
func TestRules(t *testing.T) {
	good := `<testsuites><testsuite name="a" tests="1" failures="0" errors="0"><testcase ` +
		`name="b"></testcase></testsuite></testsuites>`
	if err := junitRules([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`name="b"`, `title="b"`}, {`tests="1"`, ``}, {`tests="1"`, `tests="one"`},
		{`></testcase>`, `>text</testcase>`},
		{`></testcase>`, `><failure><testcase name="c"/></failure></testcase>`},
		{`<testsuites>`, `<testsuites skipped="0">`},
		{`</testsuites>`, ``}, {`></testcase>`, `><![CDATA[text]]></testcase>`}, {`name="b"`, `name="b" time="1,2"`},
	} {
		if bad := strings.Replace(good, change[0], change[1], 1); junitRules([]byte(bad)) == nil {
			t.Errorf("nothing is wrong with %s", bad)
		}
	}
	bad := []string{}
	for _, change := range [][2]string{
		{"result/v1", "result/v2"}, {`"owner":"o",`, ``}, {`"submit/x"`, `"v1"`},
		{`"score":1,"max-score":1,"tests"`, `"score":1.5,"max-score":2,"tests"`},
		{`"test-name"`, `"name"`}, {`"passed":true`, `"passed":"true"`},
		{`"2026-06-01T14:32:01Z"`, `"2026-06-01T14:32:01+01:00"`},
		{`"tests":`, `"tests_run":1,"tests":`}, {`"commit":"c"`, `"commit":""`},
		{`"score":1,"max-score":1,"message"`, `"score":-1,"max-score":1,"message"`},
	} {
		bad = append(bad, strings.Replace(classroom50Good, change[0], change[1], 1))
	}
	var value any
	if err := json.Unmarshal([]byte(classroom50Good), &value); err != nil {
		t.Fatal(err)
	}
	if err := schema(t, Classroom50).Validate(value); err != nil {
		t.Error(err)
	}
	for format, docs := range map[string][]string{
		Classroom50: bad,
		Gradescope: {`{"score":0.5,"output":"","tests":[]}`,
			`{"score":0,"output":"","tests":[{"score":0,"max_score":1,"status":"error","name":"a",` +
				`"output_format":"text"}]}`,
			`{"score":0,"output":"","tests":[{"score":0,"max_score":1,"status":"failed","name":"a",` +
				`"output_format":"html"}]}`},
		Exercism: {`{"version":2,"status":"error","tests":[{"name":"a","status":"error"}]}`,
			`{"version":2,"status":"pass","message":"x","tests":[{"name":"a","status":"pass"}]}`,
			`{"version":2,"status":"fail","tests":[{"name":"a","status":"fail","output":"` +
				strings.Repeat("x", 501) + `"}]}`},
	} {
		for _, doc := range docs {
			var v any
			if err := json.Unmarshal([]byte(doc), &v); err != nil {
				t.Fatal(err)
			}
			if schema(t, format).Validate(v) == nil {
				t.Errorf("%s: nothing is wrong with %s", format, doc)
			}
		}
	}
}
