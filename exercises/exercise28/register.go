// The task: checkalloc task exercise28

// Package guest finds the guests of a hostel by the names
// with which they log in.
package guest

import "strings"

// A Guest is in the hostel.
type Guest struct {
	Name string // as the guest has written it
	Bed  int
}

// MaxName is how many bytes a name may have in lower case.
const MaxName = 64

// A Register has guests by name. Whether a name is written
// in upper or lower case does not matter: two names are the
// same if strings.ToLower returns the same text for both.
// The zero value has no guests.
//
// The service adds all guests before it starts. Then its
// handlers call Find, many at the same time.
type Register struct {
	guests map[string]Guest // by name in lower case
}

// Add adds a guest. It returns false and adds nothing if a
// guest has this name already, or if the name has more than
// MaxName bytes in lower case.
func (r *Register) Add(g Guest) bool {
	name := strings.ToLower(g.Name)
	_, taken := r.guests[name]
	if taken || len(name) > MaxName {
		return false
	}
	if r.guests == nil {
		r.guests = make(map[string]Guest)
	}
	r.guests[name] = g
	return true
}

// Find returns the guest with a name. The name is from a
// request, and may be any text of any length.
func (r *Register) Find(name string) (Guest, bool) {
	g, ok := r.guests[strings.ToLower(name)]
	return g, ok
}
