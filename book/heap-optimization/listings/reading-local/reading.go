// Package reading turns what a sensor sends into degrees.
package reading

// ANCHOR: types

// A Reading is what a sensor sent.
type Reading struct {
	Sensor, Raw, Offset int
}

// Tenths returns tenths of a degree.
func (r *Reading) Tenths() int { return (r.Raw-r.Offset)*10/16 + r.Sensor%2 }

// ANCHOR_END: types

// ANCHOR: both

// Pointer returns the tenths of a reading that it makes as a pointer.
func Pointer(sensor, raw int) int {
	r := &Reading{sensor, raw, 50}
	return r.Tenths()
}

// Value returns the tenths of a reading that it makes as a value.
func Value(sensor, raw int) int {
	r := Reading{sensor, raw, 50}
	return r.Tenths()
}

// ANCHOR_END: both
