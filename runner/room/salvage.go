package room

import (
	"cmp"
	"slices"
)

// Exists reports whether there is such a room. One that was deleted does not exist, whatever events came after that.
func (r *Room) Exists() bool { return !r.Deleted && len(r.Exercises)+len(r.Participants) > 0 }

// salvage gives a room whose first event is lost, as of one in damaged files, the exercises that its other events name,
// in the order in which they appear: what was handed in must not be lost with that event. The instructor sees the room
// by its code, and can give it a title and other exercises.
func (r *Room) salvage(e Event) {
	if e.Kind == Created || e.Kind == Deleted || r.opened || r.Deleted {
		return
	}
	r.Title = cmp.Or(r.Title, r.Code)
	if e.Exercise != "" && !slices.Contains(r.Exercises, e.Exercise) {
		r.Exercises = append(r.Exercises, e.Exercise)
	}
}
