// The task: checkalloc task exercise34

// Package bikes finds bikes for rent.
package bikes

// A Finder finds bikes in one city. It is made by NewFinder,
// and is not copied. Goroutines each have a Finder of their
// own.
type Finder struct {
	city City
}

// NewFinder returns a Finder for a city.
func NewFinder(city City) *Finder {
	return &Finder{city: city}
}

// Nearest returns the station nearest to a place, among
// those with at least as many bikes as are wanted; ok is
// false if there is none. The way goes along the axes: from
// (0, 0) to (3, 4) it is 7 meters. Of stations equally near,
// Nearest returns the one that the city passes first.
//
// The city is asked exactly once in each call. It need not
// pass the same stations as before, and does not use the
// Finder that asks it. If it panics, Nearest does too. It may
// call its function until the next call of Nearest, to no
// effect. Between two calls, the Finder keeps nothing of any
// station.
func (f *Finder) Nearest(x, y, wanted int) (nearest Station, ok bool) {
	least := 0
	f.city.Each(func(s Station) {
		if s.Bikes < wanted {
			return
		}
		way := distance(s.X, x) + distance(s.Y, y)
		if !ok || way < least {
			nearest, least, ok = s, way, true
		}
	})
	return nearest, ok
}

// distance returns how far two numbers are apart.
func distance(a, b int) int {
	return max(a-b, b-a)
}
