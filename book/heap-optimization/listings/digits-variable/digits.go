// Package digits writes temperatures as text.
package digits

// ANCHOR: append

// Append appends a temperature in tenths of a degree: 215 becomes "21.5".
func Append(text []byte, tenths int32) []byte {
	rest := int64(tenths)
	if rest < 0 {
		rest = -rest
	}

	// ANCHOR: room
	n := 16
	b := make([]byte, n)
	// ANCHOR_END: room
	at := n
	for place := 0; rest > 0 || place < 3; place++ {
		at--
		if place == 1 {
			b[at] = '.'
			continue
		}
		b[at] = byte('0' + rest%10)
		rest /= 10
	}
	if tenths < 0 {
		at--
		b[at] = '-'
	}
	return append(text, b[at:]...)
}

// ANCHOR_END: append
