// Package day looks at what a weather station recorded in a day.
package day

// ANCHOR: warmest

type sample struct {
	minute, tenths int
}

// Warmest returns the minute of a day's first highest temperature, or -1. There are two bytes for
// each minute: tenths of a degree, or missing.
func Warmest(day []byte) int {
	var warmest *sample
	for i := 0; i < len(day)/2; i++ {
		s := decode(day, i)
		if s != nil && (warmest == nil || s.tenths > warmest.tenths) {
			warmest = s
		}
	}
	if warmest == nil {
		return -1
	}
	return warmest.minute
}

const missing = -1 << 15

// decode returns nil where there is no sample.
func decode(day []byte, minute int) *sample {
	tenths := int16(uint16(day[2*minute])<<8 | uint16(day[2*minute+1]))
	if tenths == missing {
		return nil
	}
	return &sample{minute, int(tenths)}
}

// ANCHOR_END: warmest
