// Package samples decodes what a weather station recorded.
package samples

// ANCHOR: decode

// A Sample is one measurement.
type Sample struct {
	Sensor, Tenths int
}

// Decode decodes one sample of three bytes.
func Decode(p []byte) *Sample {
	return &Sample{int(p[0]), int(int16(uint16(p[1])<<8 | uint16(p[2])))}
}

// ANCHOR_END: decode
