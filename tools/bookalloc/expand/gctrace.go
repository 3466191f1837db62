package expand

import (
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
)

// gctraceData is what a page knows of the runs of a program under several settings of the collector.
type gctraceData struct {
	Runs []bookdata.GCRun `json:"runs"`
}

// gctrace shows a measured line of gctrace, or the runs under all settings, which the page shows by two sliders.
func (x *expander) gctrace(args []string) (string, error) {
	t, err := bookdata.ReadGCTrace(x.book.Files)
	if err != nil {
		return "", err
	}
	switch args[0] {
	case "line":
		return fence("text", t.Line), nil
	case "runs":
		return gctraceRuns(t)
	}
	return "", fmt.Errorf("no part %q: there are line and runs", args[0])
}

func gctraceRuns(t *bookdata.GCTrace) (string, error) {
	data, err := dataBlock(gctraceData{t.Runs})
	if err != nil {
		return "", err
	}
	var gogcs []int
	rows := map[int][]string{}
	var limits []int
	for _, r := range t.Runs {
		if !slices.Contains(gogcs, r.GOGC) {
			gogcs = append(gogcs, r.GOGC)
		}
		if !slices.Contains(limits, r.Limit) {
			limits = append(limits, r.Limit)
		}
		rows[r.Limit] = append(rows[r.Limit], fmt.Sprintf("%d, %d MB", r.Collections, r.Heap))
	}
	var b strings.Builder
	b.WriteString("<div class=\"ots-gctrace\">\n" + data + "\n\n| |")
	for _, gogc := range gogcs {
		fmt.Fprintf(&b, " GOGC=%d |", gogc)
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(gogcs)) + "\n")
	for _, limit := range limits {
		name := "no limit"
		if limit > 0 {
			name = fmt.Sprintf("%d MiB", limit)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.Join(rows[limit], " | "))
	}
	fmt.Fprintf(&b, "\n<p class=\"ots-caption\">%s, %s. Number of collections, and the largest heap.</p>\n</div>\n",
		Release(t.Go), t.Platform)
	return b.String(), nil
}
