package survey

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/owncode/suggest"
)

const suggestTitle = `# What suggest finds

"make survey" writes this table. "checkalloc suggest" tried each candidate by the tests and the benchmarks of the
package. Below are the candidates: why one was rejected, and the edits that are proven.
`

var suggestColumns = []string{"benchmarks", "candidates", "proven", "unproven", "rejected"}

// suggest tries candidates for the package in a folder. The details are the candidates: the reason for each rejected
// one, and the edit for each other one.
func (w *workbench) suggest(ctx context.Context, dir string) (counts []int, details []string, err error) {
	text, err := w.output(ctx, dir, w.checkalloc, "suggest", "--json", "--timeout", "30s", ".")
	if err != nil {
		return nil, nil, err
	}
	var r suggest.Result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, nil, fmt.Errorf("read the suggestions: %w", err)
	}
	counts = []int{len(r.Benchmarks), len(r.Suggestions) + len(r.Rejected), 0, 0, 0}
	for _, c := range slices.Concat(r.Suggestions, r.Rejected) {
		counts[2+slices.Index([]suggest.Outcome{suggest.Proven, suggest.Unproven, suggest.Rejected}, c.Outcome)]++
		details = append(details, candidate(c))
	}
	return counts, append(details, r.Notes...), nil
}

// candidate describes a candidate as an item of a list.
func candidate(c suggest.Suggestion) string {
	text := fmt.Sprintf("%s: %s", c.Rule, c.Outcome)
	if len(c.Lines) > 0 {
		text = fmt.Sprintf("%s:%d, %s", c.Lines[0].File, c.Lines[0].Line, text)
	}
	if c.Why != "" {
		text += ": " + strings.ReplaceAll(strings.TrimSpace(c.Why), "\n", " ")
	}
	for _, b := range c.Benchmarks {
		text += fmt.Sprintf("; %s %v → %v allocs/op, %v → %v B/op", b.Name, b.Allocs.Old, b.Allocs.New, b.Bytes.Old,
			b.Bytes.New)
	}
	if c.Outcome != suggest.Rejected {
		text += fmt.Sprintf("\n\n  ```diff\n  %s\n  ```", strings.ReplaceAll(strings.TrimSpace(c.Diff), "\n", "\n  "))
	}
	return text
}
