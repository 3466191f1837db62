package escape

import (
	"slices"
	"strconv"
	"strings"
)

// Why returns a short clause that says what d means for the value: "the slice's array
// moves to the heap". For messages that need no explanation it returns the
// compiler's own.
func Why(d Diagnostic) string {
	subject := Subject(d)
	switch d.Kind {
	case Escape:
		return whyEscapes(d, subject)
	case Moved:
		if d.Source != "" {
			return named(subject, d.Source, Other) + " moves to the heap"
		}
		return "the " + variable(subject) + " moves to the heap"
	case Leak:
		return whyLeaks(d, subject)
	case Stays:
		return whyStays(d, subject)
	case Inline:
		return whyInlines(d.Message, shown(WithoutTypes(subject)))
	}
	return whyNotes(d.Message)
}

func whyInlines(message, fn string) string {
	switch {
	case strings.HasPrefix(message, "can inline "):
		return fn + " can be inlined"
	case strings.HasPrefix(message, inlinesCall):
		return "the call of " + fn + " is inlined"
	case strings.HasPrefix(message, "cannot inline "):
		_, reason, _ := cutTop(message, ": ")
		return fn + " cannot be inlined: " + reason
	}
	return message
}

// closureWords describes how a closure captures a variable of the function around it.
var closureWords = []struct{ says, words string }{
	{" capturing by ref: ", " is captured by a closure, which refers to it"},
	{" capturing by value: ", " is captured by a closure, which keeps a copy"},
}

func whyNotes(message string) string {
	for _, c := range closureWords {
		if _, name, ok := strings.Cut(message, c.says); ok {
			name, _, _ = cutLast(name, " (")
			return shown(name) + c.words
		}
	}
	if _, stmt, ok := strings.Cut(message, " ignoring self-assignment in "); ok {
		return shown(stmt) + " assigns within one object, and makes nothing escape"
	}
	if sel, ok := strings.CutPrefix(message, "devirtualizing "); ok {
		if sel, t, ok := cutLast(sel, " to "); ok {
			return sel + " is called directly: the interface is known to hold a " + t
		}
	}
	if message == "zero-copy string->[]byte conversion" {
		return "the conversion uses the string's own memory, and copies nothing"
	}
	return message
}

// variable describes a variable: by its name, or by its origin if the
// compiler generated it.
func variable(name string) string {
	switch {
	case strings.HasPrefix(name, ".autotmp_"), strings.HasPrefix(name, "~"):
		return "value that this line makes"
	case strings.HasPrefix(name, "#"): // #state1 or #next, of a range over a function
		return "loop's variable " + name
	case strings.Contains(name, "."):
		_, name, _ = cutLast(name, ".")
		return "variable " + name + " of the function inlined here"
	}
	return "variable " + name
}

// letters are the letters of most type names.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

func whyEscapes(d Diagnostic, subject string) string {
	kind, words := storageFor(d)
	if d.Stored == Boxed {
		return words + " is boxed on the heap, to fit in an interface"
	}
	switch kind {
	case Empty:
		if pointee, _ := storageOf(subject); pointee == Pointee {
			return words + " has no size, and takes no memory"
		}
		return words + " is stored in an interface, and takes no memory"
	case Boxed:
		if callee, args, ok := call(subject); ok && constant(args) && strings.Trim(callee, "."+letters) == "" {
			// T(3) is a constant, f(3) is not, and they look the same.
			return words + " is stored in an interface"
		}
		return words + " is boxed on the heap, to fit in an interface"
	case Constant:
		return words + " is stored in an interface, from read-only data"
	}
	if BoxedToo(d) {
		return words + " moves to the heap, and so does the box that holds it in an interface"
	}
	return words + " moves to the heap"
}

// WhyUnlessSmall is Why for the box of a value that may be an integer below 256: the runtime has boxes for these
// (staticuint64s in its iface.go).
func WhyUnlessSmall(d Diagnostic) string {
	_, words := storageFor(d)
	return words + " is boxed on the heap, to fit in an interface, unless it is an integer below 256"
}

// WhySome is Why for boxes, at least two, of which only n are on the heap.
func WhySome(n int, boxes []Diagnostic) string {
	const begin = "the value of "
	var names []string
	for _, d := range boxes {
		_, words := storageFor(d)
		if words = strings.TrimPrefix(words, begin); !slices.Contains(names, words) {
			names = append(names, words)
		}
	}
	last := len(names) - 1
	switch {
	case last == 0:
		return Why(boxes[0])
	case n == 1:
		return begin + strings.Join(names[:last], ", ") + " or " + names[last] +
			" is boxed on the heap, to fit in an interface"
	}
	return strconv.Itoa(n) + " of the values of " + strings.Join(names[:last], ", ") + " and " + names[last] +
		" are boxed on the heap, to fit in an interface"
}

// BoxedToo reports whether the flow leads from the storage for an expression to
// another storage for the same expression: from the value to its copy in an
// interface.
func BoxedToo(d Diagnostic) bool {
	s := "{storage for " + Subject(d) + "}"
	for _, step := range d.Flow {
		if dst, src, ok := arrow(step.Text); ok && dst == s && src == "&"+s {
			return true
		}
	}
	return false
}

func whyLeaks(d Diagnostic, name string) string {
	switch {
	case strings.HasPrefix(d.Message, "leaking param content: "):
		return "what is reached through " + name + " may outlive the call"
	case strings.Contains(d.Message, " to result "):
		_, result, _ := strings.Cut(d.Message, " to result ")
		result, level, _ := strings.Cut(result, " level=")
		if strings.HasPrefix(result, "~") {
			result = "the result"
		} else {
			result = "the result " + result
		}
		if level != "0" {
			return "what is reached through " + name + " comes back in " + result
		}
		return name + " comes back in " + result
	}
	if x, ok := leakHeader(d.Message + ":"); ok && strings.HasPrefix(x.dst, "~r") {
		if strings.HasSuffix(d.Message, " with derefs=0") {
			return shown(name) + " comes back in the result"
		}
		return "what is reached through " + shown(name) + " comes back in the result"
	}
	return "what " + shown(name) + " points to may outlive the call"
}

// whyStays distinguishes values that always stay on the stack from values that
// stay there only up to a size: a value that does not escape can still allocate.
func whyStays(d Diagnostic, subject string) string {
	kind, words := storageFor(d)
	switch kind {
	case Array:
		if _, args, ok := call(subject); ok && !constantSize(args) {
			return words + " does not escape, and stays on the stack up to 32 bytes"
		}
		return words + " stays on the stack"
	case Pointee, Closure, Variadic:
		return words + " stays on the stack"
	case Append:
		return words + " does not escape, and can stay on the stack while it is small"
	case Map:
		return words + " does not escape, and stays on the stack up to 8 entries"
	case Concatenation, Conversion:
		if strings.HasPrefix(subject, "([]rune)") {
			return words + " does not escape, and stays on the stack up to 32 runes"
		}
		return words + " does not escape, and stays on the stack up to 32 bytes"
	}
	return shown(unqualified(subject, d.inlined)) + " does not escape"
}

// constantSize reports whether make's capacity, or else its length, is a
// constant.
func constantSize(args string) bool {
	_, sizes, _ := cutTop(args, ", ")
	if _, c, ok := cutTop(sizes, ", "); ok {
		sizes = c
	}
	return constant(sizes)
}
