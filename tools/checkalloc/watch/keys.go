package watch

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// A binding is a key and what it does.
type binding struct {
	key, word string // in the footer
	help      string // in the help
	rank      int    // the footer leaves the highest ranks out if not all keys fit; 0 is never in the footer
}

var bindings = []binding{
	{"h", "hint", "the next hint", 2},
	{"n", "next", "the next exercise", 2},
	{"p", "previous", "the exercise before", 6},
	{"d", "diff", "your code against the solution, once it has passed", 4},
	{"r", "reset", "the starter again: asks first, keeps a backup", 5},
	{"l", "list", "pick an exercise", 3},
	{"space", "check", "check again without a change; enter does the same", 7},
	{"↑ ↓", "", "scroll a line; k and j do the same", 0},
	{"PgUp PgDn", "", "scroll a page; b and f do the same", 0},
	{"← →", "", "scroll sideways", 0},
	{"g G", "", "to the top, to the end", 0},
	{"?", "help", "this list", 1},
	{"q", "quit", "quit; Ctrl-C does the same", 1},
}

// shortcut returns a key and its word for the footer.
func shortcut(key, word string) string { return bold.Render(key) + " " + faint.Render(word) }

// footer returns the line of keys, as many as fit into width columns.
func footer(width int) string {
	for rank := 7; rank > 0; rank-- {
		var parts []string
		for _, b := range bindings {
			if b.rank > 0 && b.rank <= rank {
				parts = append(parts, shortcut(b.key, b.word))
			}
		}
		if line := strings.Join(parts, "  "); lipgloss.Width(line) <= width {
			return line
		}
	}
	return ""
}

// keyList returns the text of the help.
func keyList(width int) string {
	var b strings.Builder
	for _, k := range bindings {
		b.WriteString(hanging("  "+bold.Render(pad(k.key, 9))+"  ", k.help, width) + "\n")
	}
	return b.String()
}
