package terminal

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// table returns rows as lines, the first column aligned to the left and the others to the right. Rows that are too wide
// have less between their columns.
func table(rows [][]string, width int) string {
	widths, total := make([]int, len(rows[0])), -1
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], lipgloss.Width(row[i]))
		}
		total += 3 + widths[i]
	}
	gap := "   "
	if total > width {
		gap = "  "
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			blanks := strings.Repeat(" ", widths[i]-lipgloss.Width(cell))
			if i == 0 {
				line += "  " + cell + blanks
			} else {
				line += gap + blanks + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
