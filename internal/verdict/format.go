package verdict

import (
	"math"
	"strconv"
)

// FormatCount writes allocs/op as a person reads it: whole where it is whole, else with the digits that tell it from the whole
// number ("2", "1.5", "0.1", "0.004", "1.04").
func FormatCount(perOp float64) string {
	rounded := math.Round(perOp)
	for digits := 1; digits <= 4 && (rounded == math.Round(perOp) || math.Abs(rounded-perOp) > 0.05*math.Abs(perOp)); digits++ {
		if rounded == perOp {
			break
		}
		rounded = math.Round(perOp*pow10(digits)) / pow10(digits)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// FormatBytes writes B/op as a person reads it: whole bytes, below one byte with its first digits.
func FormatBytes(perOp float64) string {
	if perOp >= 1 {
		return strconv.FormatFloat(math.Round(perOp), 'f', -1, 64)
	}
	return FormatCount(perOp)
}

// FormatTime writes ns/op as a person reads it, with three significant digits or more.
func FormatTime(perOp float64) string {
	switch {
	case perOp >= 100:
		return strconv.FormatFloat(math.Round(perOp), 'f', -1, 64)
	case perOp >= 10:
		return strconv.FormatFloat(perOp, 'f', 1, 64)
	}
	return strconv.FormatFloat(perOp, 'f', 2, 64)
}

func pow10(n int) float64 { return math.Pow(10, float64(n)) }
