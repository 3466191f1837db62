// The task: checkalloc task exercise34

// Package bikes finds bikes for rent.
package bikes

// A Finder finds bikes in one city. It is made by NewFinder,
// and is not copied. Goroutines each have a Finder of their
// own.
type Finder struct {
	city City
	// Changed: what the function reads and changes is in the Finder, which is on the heap
	// already, and no longer in variables of the call.
	x, y, wanted int
	nearest      Station
	least        int
	ok           bool
	searching    bool

	visit func(Station) // f.consider
}

// NewFinder returns a Finder for a city.
func NewFinder(city City) *Finder {
	f := &Finder{city: city}
	// Changed: the function is made once. It is a method value, an object that remembers f.
	f.visit = f.consider
	return f
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
	f.x, f.y, f.wanted, f.searching = x, y, wanted, true
	// Changed: the next call must not begin with the results of this one, and the name of
	// the station is not the Finder's to keep, even if the city panics. Variables of the
	// call needed none of this.
	defer f.reset()
	// Changed: all calls pass the same function. The city may keep it, since it is on the
	// heap. To pass f.consider here would make a new one each time.
	f.city.Each(f.visit)
	return f.nearest, f.ok
	// The cost: a Finder can no longer be used by two goroutines, or copied: the
	// function of the copy would change the original. If the city were of a known type,
	// the literal could have stayed as it was.
}

// reset ends a search.
func (f *Finder) reset() {
	f.nearest, f.ok, f.searching = Station{}, false, false
}

// consider compares a station with the nearest one so far.
func (f *Finder) consider(s Station) {
	// Changed: the city may call the function when the search is over. Then it must not
	// leave a station behind.
	if !f.searching || s.Bikes < f.wanted {
		return
	}
	way := distance(s.X, f.x) + distance(s.Y, f.y)
	if !f.ok || way < f.least {
		f.nearest, f.least, f.ok = s, way, true
	}
}

// distance returns how far two numbers are apart.
func distance(a, b int) int {
	return max(a-b, b-a)
}
