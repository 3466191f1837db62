package room

// A Code is the code of a participant's check that the instructor projects. It is a copy, which later checks do not
// change.
type Code struct {
	ID          string
	Participant string
	Exercise    string
}

// project applies an event about what the instructor projects. A room that has ended projects nothing.
func (r *Room) project(e Event) {
	switch p := r.Row(e.Participant); {
	case e.Kind == Unprojected:
		r.Projected = nil
	case r.SeesCode && !r.Ended && p != nil && !p.Removed:
		r.Projected = &Code{e.Code, p.ID, e.Exercise}
	}
}
