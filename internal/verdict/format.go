package verdict

// This file formats figures for people; package present has the output formats of a verdict. Pages have the same rules
// in web/src/verdict/words.ts, and testdata/figures.json has what both are tested with.

import (
	"fmt"
	"math"
	"strconv"

	"onthestack/internal/why"
)

// FormatCount formats allocs/op: "2", "1.5", "0.004". See why.FormatCount.
func FormatCount(perOp float64) string { return why.FormatCount(perOp) }

// FormatAllocs formats allocs/op with the unit: "1 alloc/op", "0.5 allocs/op".
func FormatAllocs(perOp float64) string { return why.FormatAllocs(perOp) }

// AllocsUnit returns the unit for a count that FormatCount returned: "alloc/op" or "allocs/op".
func AllocsUnit(count string) string { return why.AllocsUnit(count) }

// FormatBytes formats B/op: whole bytes, and below one byte the first digits.
func FormatBytes(perOp float64) string {
	if perOp >= 1 {
		return strconv.FormatFloat(math.Round(perOp), 'f', -1, 64)
	}
	return FormatCount(perOp)
}

// FormatFigures formats what is allocated per operation: "1 alloc/op, 48 B/op".
func FormatFigures(allocs, bytes float64) string {
	return FormatAllocs(allocs) + ", " + FormatBytes(bytes) + " B/op"
}

// FormatAgainst formats a figure that is shown beside its target, nil for none: as format does or, if a figure that
// misses the target would then look like it, with all its digits.
func FormatAgainst(perOp float64, target *float64, format func(float64) string) string {
	text := format(perOp)
	if target != nil && perOp > *target && text == format(*target) {
		return strconv.FormatFloat(perOp, 'f', -1, 64)
	}
	return text
}

// FormatShare formats a share from 0 to 1 as a percentage: "41 %", "under 1 %".
func FormatShare(share float64) string {
	if share > 0 && share < 0.01 {
		return "under 1 %"
	}
	return fmt.Sprintf("%.0f %%", share*100)
}

// FormatTime formats ns/op with at least three significant digits: "1080", "12.5", "0.35", "0.004".
func FormatTime(perOp float64) string {
	switch size := math.Abs(perOp); {
	case size == 0 || math.IsInf(perOp, 0) || math.IsNaN(perOp):
		return strconv.FormatFloat(perOp, 'f', -1, 64)
	case size >= 99.95:
		return strconv.FormatFloat(math.Round(perOp), 'f', -1, 64)
	case size >= 9.995:
		return strconv.FormatFloat(perOp, 'f', 1, 64)
	case size >= 0.9995:
		return strconv.FormatFloat(perOp, 'f', 2, 64)
	}
	// A benchmark whose operation the compiler removed takes less than a nanosecond per operation.
	return strconv.FormatFloat(why.Significant(perOp, 3), 'f', -1, 64)
}
