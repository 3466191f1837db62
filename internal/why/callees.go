package why

import (
	"slices"
	"strings"
)

// calleeRemedies are what can be done about functions of the standard library that allocate for the line that calls
// them. The first entry that has one of the functions counts.
var calleeRemedies = []struct {
	functions []string // prefixes of their names
	inner     bool     // whether a function counts that is called on the way, too
	remedies  []remedy
}{
	// The first write to a compressor allocates its memory, and another package may make that write.
	{[]string{"compress/"}, true, []remedy{
		{"pool", "keep the compressor or decompressor, for example in a sync.Pool, and call Reset before the next use"},
	}},
	{[]string{"encoding/json."}, false, []remedy{
		{"", "read into a struct of the fields that you need"},
		{"", "write into a buffer that is used again"},
	}},
	{[]string{"regexp.MustCompile", "regexp.Compile", "regexp.Match"}, false, []remedy{
		{"scratch", "compile the expression once, and not in each call"},
	}},
	{[]string{"regexp.(*Regexp).Find"}, false, []remedy{
		{"value", "use a method that returns positions instead of text"},
	}},
	{[]string{"io.ReadAll"}, false, []remedy{
		{"scratch", "read into a bytes.Buffer that is used again"},
	}},
	{[]string{"strings.ToLower", "strings.ToUpper"}, false, []remedy{
		{"", "compare with strings.EqualFold"},
		{"size", "write the letters into an array, if their number is limited"},
	}},
	{[]string{"time.After", "time.NewTimer"}, false, []remedy{
		{"scratch", "make one timer, and call Reset each time you wait"},
	}},
}

// Calls reports whether a line that calls these functions, outermost first, calls one whose name begins with prefix. If
// inner is false, only the outermost counts.
func Calls(callees []string, prefix string, inner bool) bool {
	if !inner {
		callees = callees[:min(len(callees), 1)]
	}
	return slices.ContainsFunc(callees, func(name string) bool { return strings.HasPrefix(name, prefix) })
}

// RemediesOf is k.Remedies for a line of kind k that calls functions of other packages, outermost first. What is known
// about one of these functions comes before what can be done about any.
func RemediesOf(k Kind, callees, techniques []string) string {
	if k == Callee {
		for _, c := range calleeRemedies {
			if slices.ContainsFunc(c.functions, func(f string) bool { return Calls(callees, f, c.inner) }) {
				if text := sentence(c.remedies, techniques); text != "" {
					return text
				}
				break
			}
		}
	}
	return k.Remedies(techniques)
}
