// A name is cut at 64 KiB.

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
		depot:   e.Depot[:min(len(e.Depot), 1<<16-1)],
		grams:   int32(e.Grams),
		sector:  int16(e.Sector),
		belt:    int8(e.Belt),
		damaged: e.Damaged,
		express: e.Express,
		signed:  e.Signed,
	}
}

func (s *Scan) Event() Event {
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
