package why

import (
	"slices"
	"strings"
)

// A remedy is a change that may save an allocation, as an imperative: "store or return the value instead of a pointer".
// technique is the exercises' name for it, "" if no exercise practices it.
type remedy struct{ technique, do string }

// Remedies returns what can be done about a kind of reason, as a sentence that begins in lower case: the remedies of
// these techniques, or all if techniques is nil. It returns "" if there are none.
func (k Kind) Remedies(techniques []string) string { return sentence(remedies[k], techniques) }

// sentence joins the remedies in a list that have these techniques, or all of them if techniques is nil.
func sentence(list []remedy, techniques []string) string {
	var all []string
	for _, r := range list {
		if techniques == nil || slices.Contains(techniques, r.technique) {
			all = append(all, r.do)
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

// remedies lists the remedies of each kind, the likeliest first. A kind that is not in it has none.
var remedies = map[Kind][]remedy{
	EscapesToHeap: {
		{"value", "store or return the value instead of a pointer"},
		{"", "let the caller pass in the memory"},
		{"interface", "call a function that does not keep its argument"},
		{"scratch", "use memory of an object that is on the heap already"},
		{"free-list", "reuse a value that is no longer needed"},
		{"pool", "borrow the memory from a sync.Pool"},
	},
	MovedToHeap: {
		{"value", "copy the value where only its content is needed"},
		{"interface", "call a function that does not keep its argument"},
		{"reslice", "let methods store only a part of the slice that their receiver has already"},
		{"scratch", "make the variable a field of an object that is on the heap already"},
	},
	InterfaceBoxing: {
		{"interface", "take a concrete type instead of the interface"},
		{"type-parameter", "use a type parameter instead of the interface"},
		{"pointer", "store a pointer that exists already"},
		{"interface", "keep the interface from escaping"},
	},
	Closure: {
		{"closure", "pass what the closure needs as arguments"},
		{"scratch", "make the closure once outside of the loop"},
		{"closure", "call it directly so that it can stay on the stack"},
	},
	Goroutine: {
		{"closure", "start fewer goroutines, for example a fixed number of workers"},
	},
	Variadic: {
		{"interface", "call a function with fixed parameters"},
		{"scratch", "pass in a slice that is used again"},
	},
	AppendGrew: {
		{"growth", "make the slice with the capacity that it will need"},
		{"scratch", "use the slice again for the next operation"},
	},
	MapGrew: {
		{"growth", "give make the number of entries"},
		{"scratch", "clear the map and use it again"},
		{"", "use a slice where keys are small whole numbers"},
	},
	SizeAtRunTime: {
		{"size", "use an array or a constant size for the usual case"},
		{"", "use memory that the caller passes in"},
		{"scratch", "use memory of an object that is on the heap already"},
	},
	StringConcatenation: {
		{"append", "append to a []byte that is used again"},
		{"growth", "use a strings.Builder that is grown once"},
	},
	Conversion: {
		{"conversion", "keep the text as a string or as a []byte throughout"},
		{"type-parameter", "write one function for both with a type parameter"},
	},
	DeferInLoop: {
		{"", "put the body of the loop into a separate function"},
		{"", "make the call at the end of the body, without defer"},
	},
	Callee: {
		{"append", "look for a function that takes a buffer, such as an Append function"},
		{"", "call this one less often"},
	},
}
