package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// counts are the results of the tests that a program ran. A test with subtests is not counted itself, unless it fails.
type counts struct {
	Passed   int           `json:"passed"`
	Failed   int           `json:"failed"`
	Failures []failure     `json:"failures"` // of the failed tests, those that say why
	Skipped  []skipped     `json:"skipped"`
	Packages []packageTime `json:"packages"`
}

// skipped is a test that was skipped, with its reason.
type skipped struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// failure is a test that failed, with the first lines of its output that tell why.
type failure struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

// packageTime is how long the tests of a Go package took, in seconds; 0 if the result came from the go command's cache.
// A single test that took long is listed too; its name follows the package's.
type packageTime struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

func (c *counts) add(d counts) {
	c.Passed += d.Passed
	c.Failed += d.Failed
	c.Failures = append(c.Failures, d.Failures...)
	c.Skipped = append(c.Skipped, d.Skipped...)
	c.Packages = append(c.Packages, d.Packages...)
}

// line returns the counts as text: "12 passed, 0 failed", followed by ", 1 skipped" if a test was skipped.
func (c *counts) line() string {
	text := fmt.Sprintf("%d passed, %d failed", c.Passed, c.Failed)
	if n := len(c.Skipped); n > 0 {
		text += fmt.Sprintf(", %d skipped", n)
	}
	return text
}

// append appends the counts to a file as a line of JSON.
func (c *counts) append(name string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Close())
}

// readCounts adds up the lines of a file. The file does not exist if the part ran no tests.
func readCounts(name string) (c counts, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	for line := range bytes.Lines(text) {
		var one counts
		if err := json.Unmarshal(line, &one); err != nil {
			return c, fmt.Errorf("%s: %q: %w", variable, line, err)
		}
		c.add(one)
	}
	return c, nil
}

// An event is a line of "go test -json": see "go doc test2json".
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// A test is the state of a test that is running or has ended.
type test struct {
	output        []string
	parent, ended bool
}

// reading is the state of readEvents. The events of different packages are interleaved.
type reading struct {
	counts
	w        io.Writer
	packages map[string]*packageTests
}

type packageTests struct {
	tests  map[string]*test
	failed bool // a test that ended has failed
}

// module is the prefix of the packages' import paths.
const module = "onthestack/"

// readEvents counts the tests in the output of "go test -json". To w it writes what "go test" would print: the lines
// about packages, errors of builds, and the output of failed tests. Lines that are not JSON are copied unchanged.
func readEvents(r io.Reader, w io.Writer) (counts, error) {
	all := &reading{w: w, packages: map[string]*packageTests{}}
	lines := bufio.NewReader(r)
	for {
		line, readErr := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			err := json.Unmarshal(line, &e)
			switch {
			case err != nil || e.Action == "":
				_, err = w.Write(line)
			case e.Test == "":
				err = all.packageEvent(e)
			default:
				err = all.testEvent(e)
			}
			if err != nil {
				return all.counts, err
			}
		}
		if readErr == io.EOF {
			return all.counts, nil
		}
		if readErr != nil {
			return all.counts, readErr
		}
	}
}

func (r *reading) of(name string) *packageTests {
	p := r.packages[name]
	if p == nil {
		p = &packageTests{tests: map[string]*test{}}
		r.packages[name] = p
	}
	return p
}

func (r *reading) testEvent(e event) error {
	p := r.of(e.Package)
	t := p.tests[e.Test]
	if t == nil {
		t = &test{}
		p.tests[e.Test] = t
		// A subtest's own name may have slashes too.
		for above := e.Test; strings.Contains(above, "/"); {
			above = above[:strings.LastIndex(above, "/")]
			if known := p.tests[above]; known != nil {
				known.parent = true
				break
			}
		}
	}
	switch e.Action {
	case "output":
		t.output = append(t.output, e.Output)
		return nil
	case "skip":
		r.Skipped = append(r.Skipped, skipped{strings.TrimPrefix(e.Package, module) + " " + e.Test, t.reason()})
	case "pass":
		if !t.parent {
			r.Passed++
		}
	case "fail": // a parent counts too: it can fail while its subtests pass
		r.Failed++
		p.failed = true
		if lines := t.errors(); len(lines) > 0 || !t.parent {
			r.Failures = append(r.Failures, failure{strings.TrimPrefix(e.Package, module) + " " + e.Test, lines})
		}
		if err := t.show(r.w); err != nil {
			return err
		}
	default:
		return nil
	}
	if e.Elapsed >= slow && !strings.Contains(e.Test, "/") {
		r.Packages = append(r.Packages, packageTime{strings.TrimPrefix(e.Package, module) + " " + e.Test, e.Elapsed})
	}
	t.ended, t.output = true, nil // the output is not needed any more
	return nil
}

// packageEvent handles an event of a package as a whole. A package that fails without a failed test, because it does
// not build or its process ends early, counts as a failed test. The output of the tests that were running is then
// shown.
func (r *reading) packageEvent(e event) error {
	switch e.Action {
	case "output", "build-output":
		if e.Output == "PASS\n" || e.Output == "FAIL\n" {
			return nil
		}
		_, err := io.WriteString(r.w, e.Output)
		return err
	case "pass", "fail", "skip":
		r.Packages = append(r.Packages, packageTime{strings.TrimPrefix(e.Package, module), e.Elapsed})
		p := r.of(e.Package)
		if e.Action != "fail" || p.failed {
			return nil
		}
		r.Failed++
		why := "it does not build"
		if len(p.tests) > 0 {
			why = "its process failed after the tests"
		}
		for _, name := range slices.Sorted(maps.Keys(p.tests)) {
			if t := p.tests[name]; !t.ended {
				why = "its process ended during " + name
				if err := t.show(r.w); err != nil {
					return err
				}
			}
		}
		r.Failures = append(r.Failures, failure{strings.TrimPrefix(e.Package, module), []string{why}})
	}
	return nil
}

func (t *test) show(w io.Writer) error {
	_, err := io.WriteString(w, strings.Join(t.output, ""))
	return err
}

// errorLine matches the first line that t.Error prints, and the line with which a script of testscript fails.
var errorLine = regexp.MustCompile(`^\s*([\w-]+\.go:\d+: \S|FAIL: |panic: )`)

// errors returns the first lines of the output that tell of an error.
func (t *test) errors() (lines []string) {
	const most = 5
	for _, text := range t.output {
		if errorLine.MatchString(text) && len(lines) < most {
			lines = append(lines, strings.TrimSpace(text))
		}
	}
	return lines
}

// reason returns the last line that a skipped test printed.
func (t *test) reason() string {
	said := slices.DeleteFunc(slices.Clone(t.output), func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- SKIP")
	})
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.TrimSpace(said[len(said)-1])
}
