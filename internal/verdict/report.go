package verdict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/harness/wire"
)

// A report is what a test binary told on the checker's channel.
type report struct {
	tests      *wire.Tests
	benchmarks []wire.Benchmark
	done       bool
}

// readReport reads the stream of events. A stream that is cut off, as of a program that died, is no error.
func readReport(stream []byte) (report, error) {
	var r report
	events := json.NewDecoder(bytes.NewReader(stream))
	for {
		var e wire.Event
		switch err := events.Decode(&e); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return r, nil
		case err != nil:
			return r, fmt.Errorf("report from the test binary: %w", err)
		case e.Tests != nil:
			r.tests = e.Tests
		case e.Benchmark != nil:
			r.benchmarks = append(r.benchmarks, *e.Benchmark)
		case e.Done:
			r.done = true
		}
	}
}

// tests tells how the tests ended. How many ran is known from their sources and whether all passed from the report; which
// ones failed is only in what they printed, so it serves for the count and decides nothing.
func tests(names []string, r report, run *Run) Tests {
	t := Tests{Run: len(names)}
	if r.tests != nil && r.tests.Code == 0 {
		return t
	}
	t.Failed = max(1, countFailed(names, run.Output))
	if r.tests == nil {
		t.Failed = t.Run // nothing is known of those that had passed by then
	}
	output := shorten(run.Output)
	switch {
	case run.Stopped != "":
		output = "the tests did not come to an end: the program " + run.Stopped + "\n" + output
	case r.tests == nil:
		output = fmt.Sprintf("the program ended before its tests did (exit code %d)\n%s", run.Exit, output)
	}
	t.Output = output
	return t
}

var failLine = regexp.MustCompile(`(?m)^--- FAIL: (\w+) `)

func countFailed(names []string, output []byte) int {
	failed := map[string]bool{}
	for _, m := range failLine.FindAllSubmatch(output, -1) {
		if name := string(m[1]); slices.Contains(names, name) {
			failed[name] = true
		}
	}
	return len(failed)
}

// maxOutput is how many bytes of a program's output a verdict keeps.
const maxOutput = 8 << 10

// shorten keeps the beginning and the end of a long output, as valid UTF-8.
func shorten(output []byte) string {
	text := strings.ToValidUTF8(string(output), "\uFFFD")
	if len(text) <= maxOutput {
		return text
	}
	head, tail := text[:maxOutput*3/4], text[len(text)-maxOutput/4:]
	return strings.ToValidUTF8(head, "") + "\n… output shortened …\n" + strings.ToValidUTF8(tail, "")
}
