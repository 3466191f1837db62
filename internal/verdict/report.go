package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/harness/wire"
)

// tests tells how the tests ended. How many ran is known from their sources and whether all passed from the report; which
// ones failed is only in what they printed, so it serves for the count and decides nothing.
func tests(names []string, r wire.Report, run *Run) Tests {
	t := Tests{Run: len(names)}
	if r.Tested && r.Code == 0 {
		return t
	}
	t.Failed = max(1, countFailed(names, run.Output))
	if !r.Tested {
		t.Failed = t.Run // nothing is known of those that had passed by then
	}
	output := shorten(run.Output)
	switch {
	case run.Stopped != "":
		output = "the tests did not come to an end: the program " + run.Stopped + "\n" + output
	case !r.Tested:
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
