package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"onthestack/internal/owncode/suggest"
)

const suggestTitle = `# What suggest finds

"make survey" writes this table. "checkalloc suggest" tried each candidate by the tests and the benchmarks of the
package. Below are the candidates: why one was rejected, and the edits that are proven.

`

// suggestAll prints a row for each subject, and below the table the candidates: the reason for each rejected one, and
// the edit for each other one.
func suggestAll(ctx context.Context, w *workbench, subjects []subject, out io.Writer) error {
	fmt.Fprint(out, suggestTitle)
	fmt.Fprintln(out, "| package | benchmarks | candidates | proven | unproven | rejected |")
	fmt.Fprintln(out, "|---|---:|---:|---:|---:|---:|")
	var total [5]int
	var below strings.Builder
	notes, err := w.each(ctx, subjects, func(s subject, dir string) error {
		text, err := w.output(ctx, dir, w.checkalloc, "suggest", "--json", "--timeout", "30s", ".")
		if err != nil {
			return err
		}
		var r suggest.Result
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("read the suggestions: %w", err)
		}
		var counts [5]int
		counts[0], counts[1] = len(r.Benchmarks), len(r.Suggestions)+len(r.Rejected)
		for _, c := range slices.Concat(r.Suggestions, r.Rejected) {
			counts[2+slices.Index([]suggest.Outcome{suggest.Proven, suggest.Unproven, suggest.Rejected}, c.Outcome)]++
			describe(&below, s, c)
		}
		for i, n := range counts {
			total[i] += n
		}
		fmt.Fprintf(out, "| %s | %s |\n", s, cells(counts))
		for _, note := range r.Notes {
			fmt.Fprintf(&below, "- %s: %s\n", s, note)
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "| total | %s |\n\n%s", cells(total), &below)
	for _, note := range notes {
		fmt.Fprintln(out, "- "+note)
	}
	return nil
}

func cells(counts [5]int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(counts)), " | "), "[]")
}

// describe writes a candidate as an item of a list.
func describe(out *strings.Builder, s subject, c suggest.Suggestion) {
	at := ""
	if len(c.Lines) > 0 {
		at = fmt.Sprintf("%s:%d", c.Lines[0].File, c.Lines[0].Line)
	}
	fmt.Fprintf(out, "- %s, %s, %s: %s", s, at, c.Rule, c.Outcome)
	if c.Why != "" {
		fmt.Fprintf(out, ": %s", strings.ReplaceAll(strings.TrimSpace(c.Why), "\n", " "))
	}
	for _, b := range c.Benchmarks {
		fmt.Fprintf(out, "; %s %v → %v allocs/op, %v → %v B/op", b.Name, b.Allocs.Old, b.Allocs.New, b.Bytes.Old,
			b.Bytes.New)
	}
	fmt.Fprintln(out)
	if c.Outcome != suggest.Rejected {
		fmt.Fprintf(out, "\n  ```diff\n  %s\n  ```\n", strings.ReplaceAll(strings.TrimSpace(c.Diff), "\n", "\n  "))
	}
}
