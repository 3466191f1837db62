package command

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
)

// TestColumns proves that the columns of the list of the workbook's exercises, and of the overview, are aligned.
func TestColumns(t *testing.T) {
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	ws := filepath.Join(t.TempDir(), "ws")
	show := func(args ...string) []string {
		t.Helper()
		var out, stderr bytes.Buffer
		if code := Run(app.New(catalog, sandbox.CheckLimits(), "checkalloc", strings.NewReader(""), &out, &stderr),
			args); code != app.ExitPassed {
			t.Fatalf("checkalloc %v: exit code %d: %s", args, code, &stderr)
		}
		return strings.Split(out.String(), "\n")
	}
	show("init", ws)
	for name, lines := range map[string][]string{"list": show("list"), "overview": show("--dir", ws)} {
		rows := 0
		var columns [3]int
		for _, line := range lines {
			for _, e := range catalog {
				if !strings.Contains(line, e.ID+" ") || !strings.Contains(line, e.Title) || !strings.Contains(line,
					app.Targets(e)) {
					continue
				}
				is := [3]int{}
				for i, text := range []string{e.ID, e.Title, app.Targets(e)} {
					before, _, _ := strings.Cut(line, text)
					is[i] = lipgloss.Width(before)
				}
				if rows++; rows == 1 {
					columns = is
				} else if is != columns {
					t.Errorf("%s: columns begin at %v, but in the first row at %v:\n%s", name, is, columns, line)
				}
				if width := lipgloss.Width(line); width > 110 {
					t.Errorf("%s: %d columns wide:\n%s", name, width, line)
				}
			}
		}
		if rows != len(catalog) {
			t.Errorf("%s: %d rows for %d exercises", name, rows, len(catalog))
		}
	}
}
