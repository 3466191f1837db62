package exercise

import (
	"slices"
	"strings"
)

// A Term is a word of a manifest, a level or a technique, and what it means.
type Term struct {
	ID      string `json:"id"`      // "size-class": what a manifest says
	Name    string `json:"name"`    // "Size class"
	Meaning string `json:"meaning"` // one sentence
}

// Levels say how difficult an exercise is, the easiest first.
var Levels = []Term{
	{"warm-up", "Warm-ups", "One line of a short program allocates, and a few words of Go stop it."},
	{"easy", "Easy", "The report names the cause, and the change is within one function or one type."},
	{"medium", "Medium", "Several causes come together, or the change reaches through several functions."},
	{"hard", "Hard", "Memory is kept and used again, and the tests check who may see it and when."},
	{"capstone", "Capstone", "Everything at once: another algorithm, and all that the other exercises teach."},
}

// Techniques are the ways to allocate less that exercises practice. Techniques that keep values on the stack come
// first, then techniques that use the heap well.
var Techniques = []Term{
	{"interface", "Interface",
		"Keep a value out of interfaces, behind which the compiler sees neither what is called nor what is kept."},
	{"closure", "Closure", "Avoid a function literal that escapes, because the variables that it captures by " +
		"reference move to the heap too."},
	{"type-parameter", "Type parameter",
		"Write one function for several types with a type parameter, " +
			"which needs neither an interface nor a conversion."},
	{"pointer", "Pointer in an interface", "If you need an interface, store a pointer in it: a pointer is stored " +
		"as it is, while a larger value is copied to the heap."},
	{"value", "Value", "Store and return the value itself where nobody needs its address."},
	{"size", "Known size", "Use an array, whose size the compiler knows, so that a function's frame can hold it."},
	{"reslice", "Reslice in place", "Through a pointer, store only a reslice of the slice that is there already: " +
		"the compiler knows that this makes nothing escape."},
	{"conversion", "Conversion", "Read bytes as bytes and strings as strings, because converting one into the " +
		"other usually copies."},
	{"append", "Append", "Append every part to one buffer instead of making a string of each."},
	{"growth", "Growth", "Give a buffer the capacity that it will need, or do without it, because append allocates " +
		"each time it grows."},
	{"size-class", "Size class", "Make a value small enough for the next smaller size class, since the heap rounds " +
		"every size up to one."},
	{"clone", "Clone of a part", "Copy a short part of a long string or slice before you keep it, because a part " +
		"keeps the whole in memory."},
	{"scratch", "Scratch space", "Keep the memory that every call needs inside an object that is on the heap already."},
	{"free-list", "Free list", "Keep values that are no longer in use, and reuse one of them before you make another."},
	{"pool", "sync.Pool", "Let goroutines share free values through a sync.Pool."},
}

// has reports whether a list has the term with that ID.
func has(list []Term, id string) bool {
	return slices.ContainsFunc(list, func(t Term) bool { return t.ID == id })
}

// ids lists terms for an error.
func ids(list []Term) string {
	var named []string
	for _, t := range list {
		named = append(named, t.ID)
	}
	return strings.Join(named, ", ")
}
