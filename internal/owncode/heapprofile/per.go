package heapprofile

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ParsePer returns the unit that a text gives: "requests=60000" or, if the profile or the time between it and its base
// says how many, "seconds". There is no unit if the text is "". The error says what to give in place of the text.
func (p *Profile) ParsePer(text string, base *Profile) (*Per, error) {
	if text == "" {
		return nil, nil
	}
	if text == "seconds" {
		n := p.Duration.Seconds()
		if base != nil && !p.Taken.IsZero() && !base.Taken.IsZero() {
			n = p.Taken.Sub(base.Taken).Seconds()
		}
		if n <= 0 {
			return nil, errors.New("the profile does not say how long it was recorded; give seconds=N")
		}
		return &Per{Unit: text, N: n}, nil
	}
	unit, number, ok := strings.Cut(text, "=")
	n, err := strconv.ParseFloat(number, 64)
	if !ok || unit == "" || err != nil || !(n > 0) || math.IsInf(n, 0) {
		return nil, errors.New("give a unit and a number, such as requests=60000 or seconds=30")
	}
	return &Per{Unit: unit, N: n}, nil
}
