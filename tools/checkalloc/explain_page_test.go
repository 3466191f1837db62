package main

import (
	"regexp"
	"testing"

	"onthestack/tools/checkalloc/app"
)

// noisy matches what differs from machine to machine in what explain prints: the time, the release and the platform.
var noisy = regexp.MustCompile(` +[0-9.]+ ns/op| +go1\.\S+ \w+/\w+`)

// TestExplainPage runs explain and escape as the book's page on a reader's own code does.
func TestExplainPage(t *testing.T) {
	runs := shownRuns{page: "your-own-code", update: "ExplainPage", ignore: noisy}
	runs.compare(t, 2, func(code int, _ string) bool { return code == app.ExitPassed })
}
