package terminal

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
)

// columnWidths returns the width of each column of a table.
func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	return widths
}

// tableWidth returns the width of the longest line that table writes of rows.
func tableWidth(rows [][]string) int {
	width := -1
	for _, w := range columnWidths(rows) {
		width += 3 + w
	}
	return width
}

// table writes rows, the first column aligned to the left and the others to the right. Rows that are too wide have less
// between their columns.
func table(w io.Writer, rows [][]string, width int) {
	widths, gap := columnWidths(rows), "   "
	if tableWidth(rows) > width {
		gap = "  "
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			blanks := strings.Repeat(" ", widths[i]-lipgloss.Width(cell))
			if i == 0 {
				b.WriteString("  " + cell + blanks)
			} else {
				b.WriteString(gap + blanks + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}
