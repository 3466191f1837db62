package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A part is a target of make, with the tests that ran in it.
type part struct {
	target string
	took   time.Duration
	used   time.Duration // of all processors, by all processes that have ended
	ok     bool
	counts counts
}

// A summary is printed after all parts.
type summary struct {
	parts []part
	took  time.Duration // of all parts, some of which may have run at the same time
}

func (s *summary) ok() bool {
	return !slices.ContainsFunc(s.parts, func(p part) bool { return !p.ok || p.counts.Failed > 0 })
}

// slow is the number of seconds from which a package or a test is listed in the summary.
const slow = 2

// write prints the parts with their seconds and those of the processors, the slow packages and tests, the failed
// and the skipped tests with their reasons, the note, and a last line with the total counts.
func (s *summary) write(w io.Writer, note string) {
	var all counts
	var used time.Duration
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\nseconds\tprocessor\tpassed\tfailed\tskipped\t\n")
	for _, p := range s.parts {
		all.add(p.counts)
		used += p.used
		name := p.target
		if !p.ok {
			name += ": FAILED"
		}
		fmt.Fprintf(table, "%.0f\t%.0f\t%d\t%d\t%d\t  %s\n", p.took.Seconds(), p.used.Seconds(), p.counts.Passed,
			p.counts.Failed, len(p.counts.Skipped), name)
		long := slices.DeleteFunc(slices.Clone(p.counts.Packages), func(p packageTime) bool { return p.Seconds < slow })
		slices.SortStableFunc(long, func(a, b packageTime) int { return cmp.Compare(b.Seconds, a.Seconds) })
		for _, p := range long {
			fmt.Fprintf(table, "%.0f\t\t\t\t\t      %s\n", p.Seconds, p.Name)
		}
	}
	fmt.Fprintf(table, "%.0f\t%.0f\t%d\t%d\t%d\t  total\n", s.took.Seconds(), used.Seconds(), all.Passed, all.Failed,
		len(all.Skipped))
	table.Flush()
	for i, t := range all.Failures {
		if i == 0 {
			fmt.Fprintln(w, "\nFailed tests and packages, whose whole output is above:")
		}
		fmt.Fprintf(w, "  %s\n", t.Name)
		for _, line := range t.Lines {
			fmt.Fprintf(w, "    %s\n", line)
		}
	}
	for i, t := range all.Skipped {
		if i == 0 {
			fmt.Fprintln(w, "\nSkipped tests:")
		}
		fmt.Fprintf(w, "  %s: %s\n", t.Name, t.Reason)
	}
	if note != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(note))
	}
	fmt.Fprintf(w, "\n%s\n", all.line())
}
