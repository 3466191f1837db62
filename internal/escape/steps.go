package escape

import (
	"go/token"
	"strings"
)

// A fromStep is a "from" line of a flow with its context.
type fromStep struct {
	*flowContext
	x        *explanation
	expr     string   // the expression or statement
	why      string   // the reason in parentheses: what the expression does with the value
	next     string   // the reason on the next line, if that is a "from" line too
	then     string   // the reason on the next "from" line
	dst      string   // the destination of the flow line above
	inlined  string   // the function whose inlined body this is, "" in the code as written
	packages []string // of the functions that are inlined at its position
	only     bool     // the only "from" line
	last     bool     // below the last flow
}

// sentences has the descriptions that depend only on the reason and the expression, which replaces %s.
var sentences = map[string]string{
	"reference":                    "", // part of the step for the capture
	"callee operand":               "called through %s, which the compiler cannot look into",
	"assign-pair-dot-type":         "taken out of an interface by a type assertion",
	"assign-pair-mapr":             "read out of a map",
	"assign-pair-receive":          "received from a channel",
	"return":                       returned,
	"slice":                        "sliced: %s",
	"slice-to-array":               "converted from a slice to an array: %s",
	"dot":                          "part of it is used: %s",
	"fixed-array-index-of":         "an element of it is used: %s",
	"range":                        "its elements are ranged over",
	"range-deref":                  "its elements are ranged over",
	"switch case":                  "becomes the variable of a type switch",
	"array literal element":        "stored in the array %s",
	"struct literal element":       "stored in a field of %s",
	"appendee slice":               "append may copy its elements to an array on the heap",
	"appended slice...":            "its elements are appended to a slice, whose array may be on the heap",
	"copied slice":                 "its elements are copied to a slice, whose array may be on the heap",
	"too large for stack":          "%s is too large for the stack",
	"too aligned for stack":        "%s needs a stricter alignment than the stack has",
	"non-constant size":            "the size of %s is not known when compiling",
	"zero-sized element":           "the elements of %s have no size, and such slices never get stack space",
	"conversion to unsafe.Pointer": "converted to unsafe.Pointer: %s",
	"reflect.Header.Data":          "read from a slice or string header: %s",
	"//go:uintptrescapes":          "passed to a function marked //go:uintptrescapes",
}

// words describes what happens to the value at w. A reason that is not known here,
// as a later release may add one, is returned as the compiler prints it.
func (w fromStep) words() string {
	e := w.shown(w.expr)
	if sentence, ok := sentences[w.why]; ok {
		return strings.Replace(sentence, "%s", e, 1)
	}
	switch w.why {
	case "spill":
		return w.spillWords()
	case "interface-converted":
		return w.shown(unconverted(w.expr)) + " is stored in an interface"
	case "captured by a closure":
		if w.next == "reference" {
			return e + " is captured by a closure, which refers to it"
		}
		return e + " is captured by a closure, which keeps a copy"
	case "address-of":
		return w.addressWords()
	case "call parameter":
		return w.callWords()
	case "assign", "assign-pair":
		return w.assignWords()
	case "send":
		if c, _, ok := cutTop(w.expr, " <- "); ok {
			return "sent on the channel " + w.shown(c)
		}
		return "sent on a channel"
	case "dot of pointer", "indirection":
		if w.why == "dot of pointer" && w.next == "address-of" {
			return "" // nothing is read: the next step takes the address of the field
		}
		if strings.HasSuffix(w.expr, "]") {
			return "an element of it is read: " + e // of a slice, which points to it
		}
		return "read through a pointer: " + e
	case "slice-literal-element":
		if w.expr == "... argument" {
			return "passed in the slice of variadic arguments"
		}
		return "stored in the slice " + e
	case "map literal key", "key of map put":
		return "stored as a key in " + w.mapOf()
	case "map literal value", "value of map put":
		return "stored as a value in " + w.mapOf()
	}
	return e + " (" + w.why + ")"
}

// spillWords describes that an expression gets storage, which is worth a sentence only if nothing follows.
func (w fromStep) spillWords() string {
	switch {
	case w.only && w.expr == "func literal" && w.dst == "{heap}":
		return "run by a go statement, or by a defer in a loop, when this line is over"
	case w.expr == w.x.subject && boxed(w.expr):
		return w.shown(unconverted(w.expr)) + " is stored in an interface"
	}
	return ""
}

func (w fromStep) addressWords() string {
	e := w.shown(w.expr)
	switch {
	case strings.Contains(w.expr, ".autotmp_"):
		return ""
	case strings.HasPrefix(w.expr, "&"):
		return "its address is taken: " + e
	case w.next == "slice":
		return "its address is taken, by slicing it: " + e
	}
	return "its address is taken: &" + e
}

// shown returns expr, an expression at the position of the step, as it reads in a sentence.
func (w fromStep) shown(expr string) string { return shown(unqualified(expr, w.packages)) }

// mapOf returns the map of an element or literal.
func (w fromStep) mapOf() string {
	expr := w.expr
	if lhs, _, _, ok := assignment(expr); ok {
		expr = lhs
	}
	if strings.HasSuffix(expr, "]") {
		open := -1
		walk(expr, func(i, depth int) bool {
			if depth == 0 && expr[i] == '[' {
				open = i
			}
			return true
		})
		if open > 0 {
			expr = expr[:open]
		}
	}
	return w.shown(expr)
}

func (w fromStep) callWords() string {
	callee, args, ok := call(w.expr)
	if !ok {
		return "passed to " + w.shown(w.expr)
	}
	switch w.then {
	case "appendee slice", "appended slice...", "copied slice":
		return "" // the later step explains it
	}
	if callee == "append" {
		slice, _, _ := cutTop(args, ", ")
		return "appended to " + w.shown(slice) + ", whose array may be on the heap"
	}
	dynamic := w.dynamic(callee)
	if !dynamic {
		callee = WithoutTypes(callee)
	}
	if callee == "func literal" {
		callee = "a closure"
	}
	name := shown(callee)
	if dynamic {
		name = w.shown(callee) // of a variable
	}
	passed := passedTo + name
	if w.inlined != "" && w.inlined != callee {
		passed = w.inlined + passesIt + name
	}
	switch {
	case callee == "panic":
		return passed
	case dynamic:
		return passed + ", a call whose target the compiler cannot see"
	case w.dst == "{heap}", w.dst == "{temp}":
		return passed + mayKeep
	}
	return passed + ", which hands it on"
}

// KeptBy returns the function that may keep the value, if the step passes it to one. For a method of an interface,
// whose target the compiler cannot see, ok is false.
func KeptBy(s Step) (function string, ok bool) {
	message, ok := strings.CutSuffix(s.Message, mayKeep)
	if !ok {
		return "", false
	}
	if _, function, ok = strings.Cut(message, passesIt); ok {
		return function, true
	}
	return strings.CutPrefix(message, passedTo)
}

// dynamic reports whether callee is certainly a method of an interface or a
// function value. The compiler prints calls of methods with a known target as
// "(*T).M(x)" or "T.M(x)", so a method on a variable is called dynamically.
func (w fromStep) dynamic(callee string) bool {
	funcs := w.funcs[w.x.at.pkg]
	name := WithoutTypes(callee)
	if callee == "func literal" || funcs[name] {
		return false
	}
	if strings.Contains(callee, "[go.shape.") {
		callee = name
	}
	if strings.HasSuffix(callee, ")") || strings.HasSuffix(callee, "]") {
		return true // f()(x), fs[i](x)
	}
	recv, _, ok := cutLast(callee, ".")
	if !ok {
		// The compiler reports for each function of the package whether it can
		// be inlined, so any other name is a function value. If its target is
		// known, the flow leads to the target's parameter, not to the heap.
		return funcs != nil && w.dst == "{heap}"
	}
	if w.vars[variableIn{w.x.at.pkg, w.x.fn, recv}] || strings.HasPrefix(recv, "~") {
		return true
	}
	_, field, ok := cutLast(recv, ".")
	return ok && field != "" && (field[0] == '_' || field[0] >= 'a' && field[0] <= 'z')
}

// Returns reports whether the step returns the value to the caller.
func Returns(s Step) bool { return s.Message == returned }

// A step's Message, and parts of it, that Reasons, KeptBy and Returns look for.
const (
	returned    = "returned to the caller, which outlives this frame"
	inlinedHere = ", which is inlined here"
	// callInlinedHere stands for a function that is inlined, if it may be one of several.
	callInlinedHere = "a call that is inlined here"
	passedTo        = "passed to "
	passesIt        = " passes it to "
	mayKeep         = ", which may keep it"
)

func (w fromStep) assignWords() string {
	lhs, rhs, defines, ok := assignment(w.expr)
	if !ok {
		return "assigned: " + w.shown(w.expr)
	}
	if w.why == "assign-pair" && strings.HasPrefix(strings.TrimSpace(lhs), "~r") {
		switch {
		case w.inlined == "":
			return "returned by " + callInlinedHere
		case rhs == w.x.subject:
			return w.inlined + " is inlined: this line makes the value itself"
		}
		return "returned by " + w.inlined + inlinedHere
	}
	if w.why == "assign-pair" && defines && (w.inlined != "" || strings.Contains(lhs, ".")) {
		if w.inlined == "" {
			return passedTo + callInlinedHere
		}
		return "passed to " + w.inlined + inlinedHere
	}
	target := lhs
	if strings.Contains(lhs, ", ") && token.IsIdentifier(w.dst) {
		target = w.dst
	}
	switch {
	case w.dst == "{heap}" && strings.ContainsAny(target, "*.["):
		return "stored in " + w.shown(target) + ", which may be on the heap"
	case w.dst == "{heap}":
		return "stored in " + w.shown(target) + ", which outlives this frame"
	case w.last:
		return "stored in " + w.shown(target) + ", which outlives it"
	}
	return "assigned to " + w.shown(target)
}
