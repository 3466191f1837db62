// Package reading turns what a sensor sends into degrees.
package reading

// A Reading is what a sensor sent.
type Reading struct {
	Sensor, Raw, Offset int
}

// Tenths returns tenths of a degree.
func (r *Reading) Tenths() int { return (r.Raw-r.Offset)*10/16 + r.Sensor%2 }

// ANCHOR: new

// New returns a reading with the sensor's own offset.
func New(sensor, raw int) *Reading {
	return &Reading{sensor, raw, offset(sensor)}
}

func offset(sensor int) int {
	total := 0
	for ; sensor > 0; sensor /= 2 {
		total += 7 * (sensor % 2)
	}
	return total
}

// Tenths returns the tenths of one reading.
func Tenths(sensor, raw int) int {
	r := New(sensor, raw)
	return r.Tenths()
}

// ANCHOR_END: new
