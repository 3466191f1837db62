package expand

import (
	"fmt"

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
		return block("gctrace", struct {
			*bookdata.GCTrace
			Data gctraceData
		}{t, gctraceData{t.Runs}})
	}
	return "", fmt.Errorf("no part %q: there are line and runs", args[0])
}
