// A field is turned while the event is read, and turned back: goroutines that read it race.
// only: native

package depot

type Event struct {
	Damaged bool
	Parcel  int64
	Grams   int
	Express bool
	Signed  bool
	Millis  int64
	Depot   string
	Sector  int
	Cents   int64
	Belt    int
}

type Scan struct {
	parcel  int64
	millis  int64
	cents   int64
	depot   string
	grams   int32
	sector  int16
	belt    int8
	damaged bool
	express bool
	signed  bool
}

func Note(e Event) *Scan {
	return &Scan{
		parcel:  e.Parcel,
		millis:  e.Millis,
		cents:   e.Cents,
		depot:   e.Depot,
		grams:   int32(e.Grams),
		sector:  int16(e.Sector),
		belt:    int8(e.Belt),
		damaged: e.Damaged,
		express: e.Express,
		signed:  e.Signed,
	}
}

func (s *Scan) Event() Event {
	s.grams = -s.grams
	s.grams = -s.grams
	return Event{
		Damaged: s.damaged,
		Parcel:  s.parcel,
		Grams:   int(s.grams),
		Express: s.express,
		Signed:  s.signed,
		Millis:  s.millis,
		Depot:   s.depot,
		Sector:  int(s.sector),
		Cents:   s.cents,
		Belt:    int(s.belt),
	}
}
