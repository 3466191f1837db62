// The task: checkalloc task exercise28

// Package guest finds the guests of a hostel by the names
// with which they log in.
package guest

import (
	"strings"
	"unicode/utf8"
)

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
	// Changed: only letters that are not ASCII need the tables of package unicode, and
	// strings.ToLower, which knows them. A letter that is not ASCII may become one that is:
	// the sign of the kelvin becomes a k. So the whole name decides.
	if !isASCII(name) {
		g, ok := r.guests[strings.ToLower(name)]
		return g, ok
	}
	// Changed: ASCII keeps its length in lower case, so that Add has refused every name that is
	// too long for the array.
	if len(name) > MaxName {
		return Guest{}, false
	}
	// Changed: the name in lower case is in the frame. It cannot be in the Register, since
	// many calls of Find need one at the same time.
	var lower [MaxName]byte
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	// A map lends the bytes to the lookup, so that the conversion makes no string.
	g, ok := r.guests[string(lower[:len(name)])]
	return g, ok
	// The cost: two ways to lower case, which have to agree.
}

// isASCII reports whether all bytes of s are ASCII.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
