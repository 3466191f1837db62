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

// tests returns how the tests ended. Their number is taken from the sources, and whether all passed from the report.
// Which of them failed is known only from the output, which the solver's code can print to as well, so it is used for
// the count alone and decides nothing.
func tests(names []string, r wire.Report, run *execution.TestRun) Tests {
	t := Tests{Run: len(names)}
	if r.Tested && r.Code == 0 {
		return t
	}
	t.Failed = max(1, countFailed(names, run.Output))
	if !r.Tested {
		t.Failed = t.Run // the report does not say which had passed by then
	}
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

// harnessFrame matches a frame of the file that a check adds, in a traceback: the function's line and that of its file.
// The runtime prints the goroutines of all functions where all of them wait for ever.
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

// maxOutput is how many bytes of a program's output a verdict keeps.
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
