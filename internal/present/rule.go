package present

import "onthestack/internal/why"

// A Rule says how reports name and explain a kind of reason. Its ID and its Kind never change: other programs store
// them.
type Rule struct {
	ID    string // "CA1001"
	Kind  why.Kind
	Title string // "escapes to heap"
	Group Group
	What  string // what the kind is, in whole sentences
}

// Help returns what the kind is and what can be done.
func (r Rule) Help() string {
	remedies := r.Kind.Remedies(nil)
	if remedies == "" {
		return r.What
	}
	return r.What + " " + Capital(remedies)
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
		"keep its argument."},
	{"CA1002", why.MovedToHeap, "moved to heap", Escapes, "" +
		"The address of a variable is taken and may outlive the function, so the variable itself is on the heap. The " +
		"flow says who takes the address: a closure, a method with a pointer receiver, an assignment."},
	{"CA1003", why.InterfaceBoxing, "interface boxing", Boxes, "" +
		"A value that is not a pointer is stored in an interface that escapes, so it is copied to the heap."},
	{"CA1004", why.Closure, "closure", Boxes, "" +
		"A function literal that escapes is a value on the heap together with what it captures."},
	{"CA1005", why.Goroutine, "goroutine", Boxes, "" +
		"A go statement with arguments makes a closure for the new goroutine."},
	{"CA1006", why.Variadic, "variadic arguments", Boxes, "" +
		"The arguments of a variadic call are stored in a slice, and this one escapes."},
	{"CA1007", why.AppendGrew, "append grew", Grows, "" +
		"The slice had no spare capacity, so append made a larger array. This happens again each time the capacity is " +
		"used up."},
	{"CA1008", why.MapGrew, "map grew", Grows, "" +
		"A map needs memory for its groups, and more when entries are added."},
	{"CA1009", why.SizeAtRunTime, "size known at run time", Grows, "" +
		"The slice does not escape, but its size is known only at run time and is over what the compiler keeps ready " +
		"on the stack."},
	{"CA1010", why.StringConcatenation, "string concatenation", Copies, "" +
		"Adding strings makes a new one."},
	{"CA1011", why.Conversion, "conversion", Copies, "" +
		"Converting between string and []byte or []rune copies, because a string must not change. Comparisons, map " +
		"lookups and range over a conversion copy nothing."},
	{"CA1012", why.DeferInLoop, "defer in a loop", Grows, "" +
		"A deferred call in a loop needs a record on the heap in each iteration."},
	{"CA1013", why.Callee, "in a callee", Called, "" +
		"A function that is called on this line allocates, outside of the package."},
	{"CA1014", why.TypeCache, "type assertion cache", Unknown, "" +
		"The runtime remembers which type met an assertion or a switch, and makes room for that now and then. It " +
		"does not grow with the number of operations."},
	{"CA1099", why.Unexplained, "by the runtime", Unknown, "" +
		"The profile shows that the runtime allocated for this line, and the compiler announced nothing."},
}
