package expand

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/exercise"
)

// renumbered is the table of the exercises that had other numbers, by these.
func (x *expander) renumbered([]string) (string, error) {
	rows := map[int]string{}
	for _, e := range x.book.Catalog {
		if e.Formerly != "" {
			before := (&exercise.Exercise{ID: e.Formerly}).Number()
			rows[before] = fmt.Sprintf("| %d | %d | [%s](%s) |\n", before, e.Number(), e.Title, x.exerciseHref(e.ID))
		}
	}
	var table strings.Builder
	table.WriteString("| before | now | exercise |\n|--:|--:|---|\n")
	for _, before := range slices.Sorted(maps.Keys(rows)) {
		table.WriteString(rows[before])
	}
	return table.String(), nil
}
