package present

import (
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// A Kind is a kind of reason why a line allocates. Its ID and Name stay what they are: others keep them.
type Kind struct {
	ID    string // "CA1001"
	Name  string // "escapes-to-heap"
	Title string // "escapes to heap"
	Group Group
	Help  string // what it is and what can be done, in whole sentences
}

// A Group joins kinds that are alike to the eye.
type Group string

const (
	Escapes  Group = "escapes" // the compiler puts a value on the heap
	Boxes    Group = "boxes"   // a value is put behind an interface, a closure, a goroutine
	Grows    Group = "grows"   // the runtime makes room
	Copies   Group = "copies"  // text is made or copied
	Called   Group = "called"  // a function that is called allocates
	Unknown  Group = "runtime" // the runtime allocates
	Outside  Group = "outside" // not on a line of the package
	unstated       = "runtime" // Name of the kind of which nothing is known
	callee         = "callee"  // Name of the kind that a called function is
	moved          = "moved-to-heap"
	escaping       = "escapes-to-heap"
)

// Kinds lists all kinds, in the order of their IDs.
func Kinds() []Kind { return kinds }

var kinds = []Kind{
	{"CA1001", escaping, "escapes to heap", Escapes,
		"The compiler cannot prove that the value is no longer used when its function returns, so it makes it on the heap. The steps of the flow lead to what keeps it: a result, a field, a global, a call that may keep its argument. Return a value instead of a pointer, let the caller hand in the memory, or call something that does not keep it."},
	{"CA1002", moved, "moved to heap", Escapes,
		"The address of a variable is taken and may outlive the function, so the variable itself is on the heap. The flow says who takes the address: a closure, a method with a pointer receiver, an assignment. Copy the value where only its content is needed."},
	{"CA1003", "interface-boxing", "interface boxing", Boxes,
		"A value that is no pointer is put into an interface that escapes, so it is copied to the heap. Take a concrete type or a type parameter instead of the interface, store a pointer that exists already, or keep the interface from escaping."},
	{"CA1004", "closure", "closure", Boxes,
		"A function literal that escapes is a value on the heap together with what it captures. Pass what it needs as arguments, make it once outside of the loop, or call it directly so that it can stay on the stack."},
	{"CA1005", "goroutine", "goroutine", Boxes,
		"A go statement with arguments makes a closure for the new goroutine. Start fewer goroutines, for example by a fixed number of workers."},
	{"CA1006", "variadic", "variadic arguments", Boxes,
		"The arguments of a variadic call are stored in a slice, and this one escapes. Call a function with fixed parameters, or hand in a slice that is used again."},
	{"CA1007", "append-grew", "append grew", Grows,
		"append found no room and made a larger array, as it does again each time that the capacity is used up. Make the slice with the capacity that it will need, or use it again from operation to operation."},
	{"CA1008", "map-grew", "map grew", Grows,
		"A map needs memory for its groups, and more when entries are added. Give make the number of entries, clear and use the map again, or use a slice where keys are small whole numbers."},
	{"CA1009", "size-at-run-time", "size known at run time", Grows,
		"The slice does not escape, but its size is known only at run time and is over what the compiler keeps ready on the stack. Use an array or a constant size for the usual case, or memory that the caller hands in."},
	{"CA1010", "string-concatenation", "string concatenation", Copies,
		"Adding strings makes a new one. Append to a []byte that is used again, or use a strings.Builder that is grown once."},
	{"CA1011", "conversion", "conversion", Copies,
		"Converting between string and []byte or []rune copies, since a string must not change. Stay with one of the two; comparisons, map lookups and range over a conversion copy nothing."},
	{"CA1012", "defer-in-loop", "defer in a loop", Grows,
		"A deferred call in a loop needs a record on the heap each time around. Put the body of the loop into a function of its own, or call at the end without defer."},
	{"CA1013", callee, "in a callee", Called,
		"A function that is called on this line allocates, outside of the package. Look for one that takes a buffer, such as an Append function, or call it less often."},
	{"CA1014", "type-cache", "type assertion cache", Unknown,
		"The runtime remembers which type met an assertion or a switch, and makes room for that now and then. It does not grow with the number of operations."},
	{"CA1099", unstated, "by the runtime", Unknown,
		"The profile shows that the runtime allocated for this line, and the compiler announced nothing."},
}

func named(name string) Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return kinds[len(kinds)-1]
}

// clauses tell a kind by what a reason in words holds, in the order in which they are looked for. The words are those of
// escape.Why and of package verdict.
var clauses = []struct{ words, kind string }{
	{"allocated inside ", callee},
	{"the closure ", "closure"},
	{"the array that append grows", "append-grew"},
	{"the slice of variadic arguments", "variadic"},
	{"starting a goroutine", "goroutine"},
	{"append grew", "append-grew"},
	{"its size is known only at run time", "size-at-run-time"},
	{"the map has more entries", "map-grew"},
	{"storing into a map", "map-grew"},
	{"the concatenation makes", "string-concatenation"},
	{"adding to a string", "string-concatenation"},
	{"the new string ", "string-concatenation"},
	{"the conversion copies", "conversion"},
	{"the string made from ", "conversion"},
	{"the copy of ", "conversion"},
	{"boxed on the heap, to fit in an interface", "interface-boxing"},
	{"is stored in an interface", "interface-boxing"},
	{"a deferred call in a loop", "defer-in-loop"},
	{"the runtime remembers", "type-cache"},
	{"a channel is always made", escaping},
}

// KindOf tells the kind of an allocation: by the compiler's first reason where it gave one, else by the reason in words.
func KindOf(a verdict.Allocation) Kind {
	if len(a.Reasons) == 0 {
		first, _, _ := strings.Cut(a.Why, "; ")
		for _, c := range clauses {
			if strings.Contains(first, c.words) {
				return named(c.kind)
			}
		}
		return named(unstated)
	}
	r := a.Reasons[0]
	if strings.HasPrefix(r.Message, "moved to heap: ") {
		return named(moved)
	}
	if strings.HasPrefix(a.Code, "go ") && r.Message == "func literal escapes to heap" {
		return named("goroutine")
	}
	// The words that name storage stand first; what the program calls its values comes behind them.
	for _, c := range clauses {
		if strings.HasPrefix(r.Why, c.words) {
			return named(c.kind)
		}
	}
	d := escape.Diagnostic{Kind: escape.Escape, Message: r.Message}
	if why := escape.Why(d); strings.HasSuffix(why, " to fit in an interface") || strings.HasSuffix(why, " is stored in an interface") {
		return named("interface-boxing")
	}
	return named(escaping)
}
