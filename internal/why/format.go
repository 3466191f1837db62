package why

// Pages format counts by the same rules in web/src/verdict/words.ts: see testdata/figures.json in package verdict.

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
		rounded = math.Round(perOp*math.Pow10(digits)) / math.Pow10(digits)
	}
	if rounded == 0 && perOp != 0 {
		return strconv.FormatFloat(Significant(perOp, 1), 'f', -1, 64)
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

// Significant rounds to a number of significant digits.
func Significant(x float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}
