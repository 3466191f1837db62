package exercise

import (
	"slices"
	"strings"
)

// A Technique is a way to allocate less. Exercises name those that they practice.
type Technique struct {
	ID      string `json:"id"`      // "size-class": what a manifest says
	Name    string `json:"name"`    // "Size class"
	Meaning string `json:"meaning"` // one sentence
}

// Techniques are all techniques, from those that keep values on the stack to those that use the heap well.
var Techniques = []Technique{
	{"interface", "Interface",
		"Keep a value out of interfaces, behind which the compiler sees neither what is called nor what is kept."},
	{"closure", "Closure", "Do without a function literal that escapes, because the variables it captures by " +
		"reference move to the heap too."},
	{"type-parameter", "Type parameter",
		"Write one function for several types with a type parameter, " +
			"which needs neither an interface nor a conversion."},
	{"pointer", "Pointer in an interface", "Where an interface has to be, give it a pointer: it is stored as it is, " +
		"while a larger value is copied to the heap."},
	{"value", "Value", "Store and return the value itself where nobody needs its address."},
	{"size", "Known size", "Use an array, whose size the compiler knows, so that a function's frame can hold it."},
	{"reslice", "Reslice in place", "Through a pointer, store only a reslice of what is stored there, which the " +
		"compiler does not take for an escape."},
	{"conversion", "Conversion", "Read bytes as bytes and strings as strings, because converting one into the " +
		"other usually copies."},
	{"append", "Append", "Append every part to one buffer instead of making a string of each."},
	{"growth", "Growth", "Give a buffer the capacity that it will need, or do without it, because append allocates " +
		"each time it grows."},
	{"size-class", "Size class", "Make a value small enough for the next smaller size class, since the heap rounds " +
		"every size up to one."},
	{"scratch", "Scratch space", "Keep the room that every call needs inside its owner, which is on the heap already."},
	{"free-list", "Free list", "Keep values that are no longer in use, and take one of them before making another."},
	{"pool", "sync.Pool", "Let goroutines share the values that are free through a sync.Pool."},
}

func isTechnique(id string) bool {
	return slices.ContainsFunc(Techniques, func(t Technique) bool { return t.ID == id })
}

// techniqueIDs lists the techniques for an error.
func techniqueIDs() string {
	var ids []string
	for _, t := range Techniques {
		ids = append(ids, t.ID)
	}
	return strings.Join(ids, ", ")
}
