// Of stations equally near, the last one is found.
package bikes

type Finder struct {
	city         City
	x, y, wanted int
	nearest      Station
	least        int
	ok           bool
	searching    bool

	visit func(Station)
}

func NewFinder(city City) *Finder {
	f := &Finder{city: city}
	f.visit = f.consider
	return f
}

func (f *Finder) Nearest(x, y, wanted int) (nearest Station, ok bool) {
	f.x, f.y, f.wanted, f.searching = x, y, wanted, true
	defer f.reset()
	f.city.Each(f.visit)
	return f.nearest, f.ok
}

func (f *Finder) reset() {
	f.nearest, f.ok, f.searching = Station{}, false, false
}

func (f *Finder) consider(s Station) {
	if !f.searching || s.Bikes < f.wanted {
		return
	}
	way := distance(s.X, f.x) + distance(s.Y, f.y)
	if !f.ok || way <= f.least {
		f.nearest, f.least, f.ok = s, way, true
	}
}

func distance(a, b int) int {
	return max(a-b, b-a)
}
