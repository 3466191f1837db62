// The task: checkalloc task exercise9

// Package depot notes where parcels are. Gates report
// events; of each one a Scan is made that the depot keeps
// for a year, millions of them.
package depot

// An Event is what a gate reports.
type Event struct {
	Damaged bool
	Parcel  int64 // number of up to 13 digits
	Grams   int   // 0 to 70 000
	Express bool
	Signed  bool
	Millis  int64  // time since 1970, up to the year 2200
	Depot   string // any text
	Sector  int    // 0 to 999, or -1 outside all sectors
	Cents   int64  // value, 0 to 99 999 999 999
	Belt    int    // 0 to 120, or -1 where there is none
}

// A Scan is a noted event. It is never changed, and
// goroutines may read it at once.
type Scan struct {
	damaged bool
	parcel  int64
	grams   int
	express bool
	signed  bool
	millis  int64
	depot   string
	sector  int
	cents   int64
	belt    int
}

// Note makes a Scan of an event whose numbers are in the
// ranges of Event. It is a Scan of its own, which the
// caller may keep for as long as it likes.
func Note(e Event) *Scan {
	return &Scan{
		damaged: e.Damaged,
		parcel:  e.Parcel,
		grams:   e.Grams,
		express: e.Express,
		signed:  e.Signed,
		millis:  e.Millis,
		depot:   e.Depot,
		sector:  e.Sector,
		cents:   e.Cents,
		belt:    e.Belt,
	}
}

// Event returns the event that was noted.
func (s *Scan) Event() Event {
	return Event{
		Damaged: s.damaged,
		Parcel:  s.parcel,
		Grams:   s.grams,
		Express: s.express,
		Signed:  s.signed,
		Millis:  s.millis,
		Depot:   s.depot,
		Sector:  s.sector,
		Cents:   s.cents,
		Belt:    s.belt,
	}
}
