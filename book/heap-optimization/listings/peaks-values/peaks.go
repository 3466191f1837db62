// Package peaks finds the peaks of a day's temperatures.
package peaks

// ANCHOR: find

// A Peak is warmer than what comes before and after it.
type Peak struct {
	Minute, Tenths int
}

// Find appends the peaks of a day to found.
func Find(found []Peak, tenths []int) []Peak {
	for i := 1; i+1 < len(tenths); i++ {
		if tenths[i-1] < tenths[i] && tenths[i] >= tenths[i+1] {
			found = append(found, Peak{i, tenths[i]})
		}
	}
	return found
}

// ANCHOR_END: find
