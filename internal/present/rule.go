package present

import (
	"strings"

	"onthestack/internal/why"
)

// A Rule says how reports name and explain a kind of reason. Its ID and its Kind never change: other programs store
// them.
type Rule struct {
	ID    string // "CA1001"
	Kind  why.Kind
	Title string // "escapes to heap"
	Group Group
	What  string // what the kind is, in whole sentences
	// Remedies are what can be done; nil if nothing is known.
	Remedies []Remedy
}

// A Remedy is a change that may save an allocation, as an imperative: "store or return the value instead of a pointer".
// Technique is the exercises' name for it, "" if no exercise practices it.
type Remedy struct{ Technique, Do string }

// Help returns what the kind is and what can be done.
func (r Rule) Help() string {
	advice := r.Advice(func(string) bool { return true })
	if advice == "" {
		return r.What
	}
	return r.What + " " + strings.ToUpper(advice[:1]) + advice[1:]
}

// Advice returns the remedies of some techniques as a sentence that begins in lower case, "" if there are none.
func (r Rule) Advice(practiced func(technique string) bool) string {
	var all []string
	for _, remedy := range r.Remedies {
		if practiced(remedy.Technique) {
			all = append(all, remedy.Do)
		}
	}
	if len(all) == 0 {
		return ""
	}
	last := len(all) - 1
	if last > 0 {
		all[last] = "or " + all[last]
	}
	return strings.Join(all, ", ") + "."
}

// A Group is a set of kinds that reports show in one color.
type Group string

const (
	Escapes Group = "escapes" // the compiler puts a value on the heap
	Boxes   Group = "boxes"   // a value is put behind an interface, a closure, a goroutine
	Grows   Group = "grows"   // the runtime makes room
	Copies  Group = "copies"  // text is made or copied
	Called  Group = "called"  // a function that is called allocates
	Unknown Group = "runtime" // the runtime allocates
	Outside Group = "outside" // the allocation is on no line of the package
)

// Rules lists the rules of all kinds, in the order of their IDs. A rule that is removed leaves its ID unused.
func Rules() []Rule { return rules }

// RuleOf returns the rule of a kind. For a kind without a rule it returns the rule of why.Unexplained. The kind of
// a verdict that was read from JSON is "", for example.
func RuleOf(kind why.Kind) Rule {
	for _, r := range rules {
		if r.Kind == kind {
			return r
		}
	}
	return rules[len(rules)-1]
}

var rules = []Rule{
	{"CA1001", why.EscapesToHeap, "escapes to heap", Escapes, "" +
		"The compiler cannot prove that the value is no longer used when its function returns, so it makes it on the " +
		"heap. The steps of the flow lead to what keeps it: a result, a field, a global variable, or a call that may " +
		"keep its argument.", []Remedy{
		{"value", "store or return the value instead of a pointer"},
		{"", "let the caller pass in the memory"},
		{"interface", "call a function that does not keep its argument"},
		{"scratch", "use memory of an object that is on the heap already"},
		{"free-list", "reuse a value that is no longer needed"},
		{"pool", "borrow the memory from a sync.Pool"},
	}},
	{"CA1002", why.MovedToHeap, "moved to heap", Escapes, "" +
		"The address of a variable is taken and may outlive the function, so the variable itself is on the heap. The " +
		"flow says who takes the address: a closure, a method with a pointer receiver, an assignment.", []Remedy{
		{"value", "copy the value where only its content is needed"},
		{"interface", "call a function that does not keep its argument"},
		{"reslice", "let methods store only a part of the slice that their receiver has already"},
		{"scratch", "make the variable a field of an object that is on the heap already"},
	}},
	{"CA1003", why.InterfaceBoxing, "interface boxing", Boxes, "" +
		"A value that is not a pointer is stored in an interface that escapes, so it is copied to the heap.", []Remedy{
		{"interface", "take a concrete type instead of the interface"},
		{"type-parameter", "use a type parameter instead of the interface"},
		{"pointer", "store a pointer that exists already"},
		{"interface", "keep the interface from escaping"},
	}},
	{"CA1004", why.Closure, "closure", Boxes, "" +
		"A function literal that escapes is a value on the heap together with what it captures.", []Remedy{
		{"closure", "pass what the closure needs as arguments"},
		{"scratch", "make the closure once outside of the loop"},
		{"closure", "call it directly so that it can stay on the stack"},
	}},
	{"CA1005", why.Goroutine, "goroutine", Boxes, "" +
		"A go statement with arguments makes a closure for the new goroutine.", []Remedy{
		{"closure", "start fewer goroutines, for example a fixed number of workers"},
	}},
	{"CA1006", why.Variadic, "variadic arguments", Boxes, "" +
		"The arguments of a variadic call are stored in a slice, and this one escapes.", []Remedy{
		{"interface", "call a function with fixed parameters"},
		{"scratch", "pass in a slice that is used again"},
	}},
	{"CA1007", why.AppendGrew, "append grew", Grows, "" +
		"The slice had no spare capacity, so append made a larger array. This happens again each time the capacity is " +
		"used up.", []Remedy{
		{"growth", "make the slice with the capacity that it will need"},
		{"scratch", "use the slice again for the next operation"},
	}},
	{"CA1008", why.MapGrew, "map grew", Grows, "" +
		"A map needs memory for its groups, and more when entries are added.", []Remedy{
		{"growth", "give make the number of entries"},
		{"scratch", "clear the map and use it again"},
		{"", "use a slice where keys are small whole numbers"},
	}},
	{"CA1009", why.SizeAtRunTime, "size known at run time", Grows, "" +
		"The slice does not escape, but its size is known only at run time and is over what the compiler keeps ready " +
		"on the stack.", []Remedy{
		{"size", "use an array or a constant size for the usual case"},
		{"", "use memory that the caller passes in"},
		{"scratch", "use memory of an object that is on the heap already"},
	}},
	{"CA1010", why.StringConcatenation, "string concatenation", Copies, "" +
		"Adding strings makes a new one.", []Remedy{
		{"append", "append to a []byte that is used again"},
		{"growth", "use a strings.Builder that is grown once"},
	}},
	{"CA1011", why.Conversion, "conversion", Copies, "" +
		"Converting between string and []byte or []rune copies, because a string must not change. Comparisons, map " +
		"lookups and range over a conversion copy nothing.", []Remedy{
		{"conversion", "keep the text as a string or as a []byte throughout"},
		{"type-parameter", "write one function for both with a type parameter"},
	}},
	{"CA1012", why.DeferInLoop, "defer in a loop", Grows, "" +
		"A deferred call in a loop needs a record on the heap in each iteration.", []Remedy{
		{"", "put the body of the loop into a separate function"},
		{"", "make the call at the end of the body, without defer"},
	}},
	{"CA1013", why.Callee, "in a callee", Called, "" +
		"A function that is called on this line allocates, outside of the package.", []Remedy{
		{"append", "look for a function that takes a buffer, such as an Append function"},
		{"", "call this one less often"},
	}},
	{"CA1014", why.TypeCache, "type assertion cache", Unknown, "" +
		"The runtime remembers which type met an assertion or a switch, and makes room for that now and then. It " +
		"does not grow with the number of operations.", nil},
	{"CA1099", why.Unexplained, "by the runtime", Unknown, "" +
		"The profile shows that the runtime allocated for this line, and the compiler announced nothing.", nil},
}
