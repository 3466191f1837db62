package bikes

// A Station is a place where bikes are rented and returned.
type Station struct {
	Name  string
	X, Y  int // in meters, each from -1e9 to 1e9
	Bikes int // that can be rented now
}

// A City passes each of its stations to a function.
type City interface {
	Each(visit func(Station))
}
