package escape

import "strings"

// Why returns in one short clause what d means for the value: "the slice's array
// moves to the heap". For messages that need no explanation it returns the
// compiler's own.
func Why(d Diagnostic) string {
	subject := Subject(d)
	switch d.Kind {
	case Escape:
		return whyEscapes(d, subject)
	case Moved:
		return "the " + variable(subject) + " moves to the heap"
	case Leak:
		return whyLeaks(d, subject)
	case Stays:
		return whyStays(subject)
	case Inline:
		return whyInlines(d.Message, shown(generic(subject)))
	}
	return whyNotes(d.Message)
}

func whyInlines(message, fn string) string {
	switch {
	case strings.HasPrefix(message, "can inline "):
		return fn + " can be inlined"
	case strings.HasPrefix(message, "inlining call to "):
		return "the call of " + fn + " is inlined"
	case strings.HasPrefix(message, "cannot inline "):
		_, reason, _ := cutTop(message, ": ")
		return fn + " cannot be inlined: " + reason
	}
	return message
}

// closureWords are what a closure does with a variable of the function around it.
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

// variable returns words for a variable: its name, or where it comes from if the
// compiler generated it.
func variable(name string) string {
	switch {
	case strings.HasPrefix(name, ".autotmp_"), strings.HasPrefix(name, "~"):
		return "value that this line makes"
	case strings.Contains(name, "."):
		_, name, _ = cutLast(name, ".")
		return "variable " + name + " of the function inlined here"
	}
	return "variable " + name
}

// storage is the kind of value that an expression allocates.
type storage int

const (
	other storage = iota
	pointee
	array
	mapping
	channel
	closure
	arguments
	growth
	text
	bytes
	box
	literal
)

// storageOf returns the kind of value that expr allocates, and words for it.
func storageOf(expr string) (storage, string) {
	callee, args, isCall := call(expr)
	switch {
	case expr == "func literal":
		return closure, "the closure"
	case expr == "... argument":
		return arguments, "the slice of variadic arguments"
	case expr == "append" || callee == "append":
		return growth, "the array that append grows"
	case constant(expr):
		return literal, "the constant " + shown(expr)
	case isCall && callee == "make":
		// The runtime allocates channels on the heap; the compiler does not report them.
		t, _, _ := cutTop(args, ", ")
		switch {
		case strings.HasPrefix(t, "map["):
			return mapping, "the map"
		case strings.HasPrefix(t, "chan "), strings.HasPrefix(t, "<-chan "), strings.HasPrefix(t, "chan<- "):
			return channel, "the channel"
		case strings.HasPrefix(t, "[]"), strings.Contains(args, ", "):
			return array, "the slice's array"
		}
		return other, "the " + shown(t)
	case isCall && callee == "new":
		return pointee, "the new " + shown(args)
	case isCall && (callee == "([]byte)" || callee == "([]rune)"):
		return bytes, "the copy of " + shown(args) + " as " + callee[1:len(callee)-1]
	case isCall && callee == "string":
		return text, "the string made from " + shown(args)
	}
	if t, ok := literalType(expr); ok {
		switch {
		case strings.HasPrefix(t, "&"):
			return pointee, "the " + shown(t[1:])
		case strings.HasPrefix(t, "[]"):
			return array, "the slice's array"
		case strings.HasPrefix(t, "map["):
			return mapping, "the map"
		case strings.HasPrefix(t, "["), strings.HasPrefix(t, "struct "):
			return box, "the " + shown(t)
		}
		return other, "the " + shown(t) // a struct that is boxed, or a named slice or map
	}
	if _, _, ok := cutTop(expr, " + "); ok {
		if strings.ContainsRune(expr, '"') {
			return text, "the new string " + shown(expr)
		}
		return other, "the result of " + shown(expr) // a new string, or a number that is boxed
	}
	if recv, name, ok := cutLast(expr, "."); ok && ident(name) && recv != "" {
		return other, "the value of " + shown(expr) // a method value, or a field that is boxed
	}
	return box, "the value of " + shown(unconverted(expr))
}

// literalType returns the type of a composite literal, with its "&".
func literalType(expr string) (string, bool) {
	for _, body := range []string{"{...}", "{}"} {
		if t, ok := strings.CutSuffix(expr, body); ok && t != "" && t != "struct " && t != "interface " {
			return t, true
		}
	}
	return "", false
}

// boxed reports whether the storage for expr is certainly the copy of a value in
// an interface: an expression of this kind allocates only for that.
func boxed(expr string) bool {
	kind, _ := storageOf(expr)
	return kind == box || kind == literal
}

// unconverted returns the operand of a conversion to the empty interface, and any
// other expression as it is.
func unconverted(expr string) string {
	if callee, args, ok := call(expr); ok {
		switch callee {
		case "any", "interface {}", "interface{}", "(any)", "(interface {})":
			return args
		}
	}
	return expr
}

// letters are the letters of most type names.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

func whyEscapes(d Diagnostic, subject string) string {
	kind, words := storageOf(subject)
	switch kind {
	case box:
		switch callee, args, ok := call(subject); {
		case subject == "struct {}{}":
			return words + " is stored in an interface, and takes no memory"
		case ok && constant(args) && strings.Trim(callee, "."+letters) == "":
			// T(3) is a constant, f(3) is not, and they look the same.
			return words + " is stored in an interface"
		}
		return words + " is boxed on the heap, to fit in an interface"
	case literal:
		return words + " is stored in an interface, from read-only data"
	}
	if boxedToo(d, subject) {
		return words + " moves to the heap, and so does the box that holds it in an interface"
	}
	return words + " moves to the heap"
}

// boxedToo reports whether the flow leads from the storage for an expression to
// another storage for the same expression: from the value to its copy in an
// interface.
func boxedToo(d Diagnostic, subject string) bool {
	s := "{storage for " + subject + "}"
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

// whyStays distinguishes values that always stay on the stack from those that
// stay there only up to a size: a value that does not escape can still allocate.
func whyStays(subject string) string {
	kind, words := storageOf(subject)
	switch kind {
	case array:
		if _, args, ok := call(subject); ok && !constantSize(args) {
			return words + " does not escape, and stays on the stack up to 32 bytes"
		}
		return words + " stays on the stack"
	case pointee, closure, arguments:
		return words + " stays on the stack"
	case growth:
		return words + " does not escape, and can stay on the stack while it is small"
	case mapping:
		return words + " does not escape, and stays on the stack up to 8 entries"
	case text, bytes:
		if strings.HasPrefix(subject, "([]rune)") {
			return words + " does not escape, and stays on the stack up to 32 runes"
		}
		return words + " does not escape, and stays on the stack up to 32 bytes"
	}
	return shown(subject) + " does not escape"
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
