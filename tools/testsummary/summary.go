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
	tests  counts
}

// A summary is printed after all parts.
type summary struct {
	parts []part
	took  time.Duration // of all parts, some of which may have run at the same time
}

func (s *summary) ok() bool {
	return !slices.ContainsFunc(s.parts, func(p part) bool { return !p.ok || len(p.tests.failed) > 0 })
}

// slow is the number of seconds from which a package or a test is listed in the summary.
const slow = 2

// write prints the parts with their elapsed and processor time, the slow packages and tests, the failed and the skipped
// tests with their reasons, the note, and a last line with the total counts.
func (s *summary) write(w io.Writer, note string) {
	var all counts
	var used time.Duration
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\nseconds\tprocessor\tpassed\tfailed\tskipped\t\n")
	for _, p := range s.parts {
		used += p.used
		all.passed += p.tests.passed
		all.failed = append(all.failed, p.tests.failed...)
		all.skipped = append(all.skipped, p.tests.skipped...)
		name := p.target
		if !p.ok {
			name += ": FAILED"
		}
		fmt.Fprintf(table, "%.0f\t%.0f\t%d\t%d\t%d\t  %s\n", p.took.Seconds(), p.used.Seconds(), p.tests.passed,
			len(p.tests.failed), len(p.tests.skipped), name)
		slices.SortStableFunc(p.tests.slow, func(a, b outcome) int { return cmp.Compare(b.seconds, a.seconds) })
		for _, o := range p.tests.slow {
			fmt.Fprintf(table, "%.0f\t\t\t\t\t      %s\n", o.seconds, o.name)
		}
	}
	fmt.Fprintf(table, "%.0f\t%.0f\t%d\t%d\t%d\t  total\n", s.took.Seconds(), used.Seconds(), all.passed,
		len(all.failed), len(all.skipped))
	table.Flush()
	for i, o := range all.failed {
		if i == 0 {
			fmt.Fprintln(w, "\nFailed tests and packages, whose whole output is above:")
		}
		fmt.Fprintf(w, "  %s\n", o.name)
		for _, line := range o.why {
			fmt.Fprintf(w, "    %s\n", line)
		}
	}
	for i, o := range all.skipped {
		if i == 0 {
			fmt.Fprintln(w, "\nSkipped tests:")
		}
		fmt.Fprintf(w, "  %s: %s\n", o.name, o.why[0])
	}
	if note != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(note))
	}
	fmt.Fprintf(w, "\n%d passed, %d failed", all.passed, len(all.failed))
	if n := len(all.skipped); n > 0 {
		fmt.Fprintf(w, ", %d skipped", n)
	}
	fmt.Fprintln(w)
}
