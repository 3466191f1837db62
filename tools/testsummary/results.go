package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// counts are the results of the tests of a part.
type counts struct {
	passed          int
	failed, skipped []outcome
	slow            []outcome // packages and tests
}

// An outcome is the result of a test or a package, with the first lines that tell the reason.
type outcome struct {
	name    string
	seconds float64
	why     []string
}

// A testSuite is an element testsuites or testsuite of JUnit XML. Gotestsum writes one for each package, and Node one
// for each test with subtests.
type testSuite struct {
	Name    string      `xml:"name,attr"`
	Seconds float64     `xml:"time,attr"`
	Suites  []testSuite `xml:"testsuite"`
	Cases   []testCase  `xml:"testcase"`
}

type testCase struct {
	Name    string  `xml:"name,attr"`
	Seconds float64 `xml:"time,attr"`
	Failure *reason `xml:"failure"`
	Skipped *reason `xml:"skipped"`
}

type reason struct {
	Message string `xml:"message,attr"`
	Output  string `xml:",chardata"`
}

// readResults adds up the files in a folder. There are none if the part ran no tests.
func readResults(dir string) (c counts, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return c, err
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return c, err
		}
		var all testSuite
		if err := xml.Unmarshal(bytes.Map(visible, text), &all); err != nil {
			return c, fmt.Errorf("%s is not JUnit XML: %w", f.Name(), err)
		}
		c.add(all)
	}
	return c, nil
}

// visible drops control characters, which Node writes as a test has printed them and XML does not allow.
func visible(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

func (c *counts) add(s testSuite) {
	// Only the suites of packages are named by an import path.
	prefix, isPackage := strings.CutPrefix(s.Name, "onthestack/")
	if !isPackage {
		prefix = "web"
	}
	if isPackage && s.Seconds >= slow {
		c.slow = append(c.slow, outcome{name: prefix, seconds: s.Seconds})
	}
	for _, t := range s.Cases {
		o := outcome{name: prefix + " " + t.Name, seconds: t.Seconds}
		switch {
		case t.Failure != nil:
			o.why = t.Failure.errors()
			c.failed = append(c.failed, o)
		case t.Skipped != nil:
			o.why = []string{t.Skipped.last()}
			c.skipped = append(c.skipped, o)
		default:
			c.passed++
		}
		if isSubtest := isPackage && strings.Contains(t.Name, "/"); t.Seconds >= slow && !isSubtest {
			c.slow = append(c.slow, o)
		}
	}
	for _, inner := range s.Suites {
		c.add(inner)
	}
}

// errorLine matches the first line that t.Error prints, and the line with which a script of testscript fails.
var errorLine = regexp.MustCompile(`^\s*([\w-]+\.go:\d+: \S|FAIL: |FAIL\t|panic: )`)

// errors returns the first lines that tell of an error: of the output of a Go test, or else of Node's message.
func (r *reason) errors() (lines []string) {
	const maxLines = 5
	for line := range strings.Lines(r.Output) {
		if errorLine.MatchString(line) && len(lines) < maxLines {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) > 0 || r.Message == "Failed" { // gotestsum's
		return lines
	}
	for line := range strings.Lines(r.Message) {
		if line = strings.TrimSpace(line); line != "" && len(lines) < maxLines {
			lines = append(lines, line)
		}
	}
	return lines
}

// last returns the last line that a skipped test printed, which is its reason.
func (r *reason) last() string {
	text, _, _ := strings.Cut(r.Message, "--- SKIP")
	text = strings.TrimSpace(text)
	text = text[strings.LastIndexByte(text, '\n')+1:]
	if text == "" || text == "true" || strings.HasPrefix(text, "=== ") { // Node's skip without a reason is true
		return "no reason given"
	}
	return strings.TrimSpace(text)
}
