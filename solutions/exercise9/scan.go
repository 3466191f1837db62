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
//
// Changed: a field begins at a multiple of its own alignment, 8 bytes for an
// int64 and for a string. Each bool between two of them left a gap, 7 bytes, or 6
// after two bools. Large fields first, and there is one gap at most, at the end.
// But that alone gives 72 bytes, which still take 80 on the heap: the size
// classes are 64 and 80, with nothing in between.
//
// So the numbers got the types that their ranges need. Now 50 bytes are used, 56 is
// the size of the struct, and the heap gives 64.
type Scan struct {
	parcel int64
	millis int64 // more than 32 bits: they end within 50 days
	cents  int64 // more than 32 bits: they end at 42 949 672.95
	depot  string

	grams   int32 // uint16 ends at 65 535
	sector  int16
	belt    int8 // signed: -1 is a value
	damaged bool
	express bool
	signed  bool
}

// The cost: the order of the fields says nothing about their meaning any
// more, and a range that grows has to be changed here as well. The compiler
// would not notice: a conversion to a smaller type drops bits silently. That is
// why the tests try every range up to its ends, and why Event, which lives for
// moments, keeps the plain types.

// Note makes a Scan of an event whose numbers are in the
// ranges of Event. It is a Scan of its own, which the
// caller may keep for as long as it likes.
func Note(e Event) *Scan {
	// This still allocates, and should: the Scan outlives the call.
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

// Event returns the event that was noted.
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
