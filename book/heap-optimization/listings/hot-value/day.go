// Package day looks at what a weather station recorded in a day.
package day

// ANCHOR: warmest

type sample struct {
	minute, tenths int
}

// Warmest returns the minute of a day's first highest temperature, or -1. There are two bytes for
// each minute: tenths of a degree, or missing.
func Warmest(day []byte) int {
	var warmest sample
	found := false
	for i := 0; i < len(day)/2; i++ {
		s, ok := decode(day, i)
		if ok && (!found || s.tenths > warmest.tenths) {
			warmest, found = s, true
		}
	}
	if !found {
		return -1
	}
	return warmest.minute
}

const missing = -1 << 15

// decode returns false where there is no sample.
func decode(day []byte, minute int) (sample, bool) {
	tenths := int16(uint16(day[2*minute])<<8 | uint16(day[2*minute+1]))
	if tenths == missing {
		return sample{}, false
	}
	return sample{minute, int(tenths)}, true
}

// ANCHOR_END: warmest
