package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/execution"
	"onthestack/internal/harness"
	"onthestack/internal/harness/wire"
)

// tests returns the result of the tests. Their number is from the sources, and whether all passed is from the report.
// Only the output shows which of them failed. The solver's code can print there too, so the output is used for
// the count and decides nothing.
func tests(names []string, r wire.Report, run *execution.TestRun) Tests {
	t := Tests{Run: len(names)}
	if r.Tested && r.Code == 0 {
		return t
	}
	failed := countFailed(names, run.Output)
	t.Failed = max(1, failed)
	if !r.Tested {
		t.Failed = t.Run // the report does not say which had passed by then
		t.Unfinished = failed == 0
	}
	t.Incomplete = !r.Tested || run.Stop.Kind != execution.NotStopped
	output := shorten(harnessFrame.ReplaceAll(run.Output, nil))
	switch {
	case run.Stop.Kind != execution.NotStopped:
		output = "the tests did not come to an end: the program " + run.Stop.String() + "\n" + output
	case !r.Tested:
		output = fmt.Sprintf("the program ended before its tests did (exit code %d)\n%s", run.Exit, output)
	}
	t.Output = output
	return t
}

// harnessFrame matches a frame of MainFile in a traceback: the function's line and the file's line.
// The runtime prints such frames too if all goroutines are blocked.
var harnessFrame = regexp.MustCompile(`(?m)^.+\n\t.*\b` + regexp.QuoteMeta(harness.MainFile) + `:\d+.*\n?`)

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

// maxOutput is the number of bytes of a program's output that a verdict keeps.
const maxOutput = 8 << 10

// shorten returns output as valid UTF-8. Of an output over maxOutput it keeps the beginning and the end.
func shorten(output []byte) string {
	text := strings.ToValidUTF8(string(output), "\uFFFD")
	if len(text) <= maxOutput {
		return text
	}
	head, tail := text[:maxOutput*3/4], text[len(text)-maxOutput/4:]
	return strings.ToValidUTF8(head, "") + "\n… output shortened …\n" + strings.ToValidUTF8(tail, "")
}
