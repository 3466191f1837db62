package main

import (
	"strings"
	"testing"

	"onthestack/tools/checkalloc/app"
)

// TestGuardPage runs guard as the book's page on budgets does: once where all budgets hold, once where one does not.
func TestGuardPage(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "")
	runs := shownRuns{page: "holding-a-budget", update: "GuardPage"}
	runs.compare(t, 2, func(code int, out string) bool {
		return code <= app.ExitNotYet && strings.HasSuffix(out, ", 0 do not\n") == (code == app.ExitPassed)
	})
}
