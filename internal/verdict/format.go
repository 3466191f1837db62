package verdict

// This file formats figures for people; package present has the output formats of a verdict. Pages have the same rules
// in web/src/verdict/words.ts, and testdata/figures.json has what both are tested with.

import (
	"math"
	"strconv"
)

// FormatCount formats allocs/op: a whole number without decimals, another one with enough digits to distinguish it from
// a whole number ("2", "1.5", "0.1", "0.004", "1.04"). The result is "0" only for 0.
func FormatCount(perOp float64) string {
	rounded := math.Round(perOp)
	for digits := 1; digits <= 4 && (rounded == math.Round(perOp) ||
		math.Abs(rounded-perOp) > 0.05*math.Abs(perOp)); digits++ {
		if rounded == perOp {
			break
		}
		rounded = math.Round(perOp*pow10(digits)) / pow10(digits)
	}
	if rounded == 0 && perOp != 0 {
		return strconv.FormatFloat(significant(perOp, 1), 'f', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// FormatAllocs formats allocs/op with the unit: "1 alloc/op", "0.5 allocs/op".
func FormatAllocs(perOp float64) string {
	count := FormatCount(perOp)
	return count + " " + AllocsUnit(count)
}

// AllocsUnit returns the unit for a count that FormatCount returned: "alloc/op" or "allocs/op".
func AllocsUnit(count string) string {
	if count == "1" {
		return "alloc/op"
	}
	return "allocs/op"
}

// FormatBytes formats B/op: whole bytes, and below one byte the first digits.
func FormatBytes(perOp float64) string {
	if perOp >= 1 {
		return strconv.FormatFloat(math.Round(perOp), 'f', -1, 64)
	}
	return FormatCount(perOp)
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
	return strconv.FormatFloat(significant(perOp, 3), 'f', -1, 64)
}

// significant rounds to a number of significant digits.
func significant(x float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}

func pow10(n int) float64 { return math.Pow(10, float64(n)) }
