package presenttest

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"golang.org/x/tools/txtar"
)

// Within proves that no line has color, and that no line is wider than the terminal except lines that quote a program's
// output.
func Within(t *testing.T, text string, width int) {
	t.Helper()
	for i, l := range strings.Split(text, "\n") {
		if strings.ContainsRune(l, '\x1b') {
			t.Errorf("line %d has color: %q", i+1, l)
		}
		if lipgloss.Width(l) > width && !strings.HasPrefix(strings.TrimSpace(l), "│") {
			t.Errorf("line %d has %d columns: %s", i+1, lipgloss.Width(l), l)
		}
		if strings.TrimRight(l, " ") != l {
			t.Errorf("line %d ends in blanks: %q", i+1, l)
		}
	}
}

// SetFile sets the text of a file of an archive.
func SetFile(a *txtar.Archive, name, text string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(text)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
}
