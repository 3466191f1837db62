package escape

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// explanation is a header line of -m=2 with the indented lines below it.
type explanation struct {
	at      packagePosition
	header  string // without its colon
	subject string // what escapes or leaks
	fn      string // the function it is in
	param   bool   // "parameter … leaks to …"
	dst     string // where a parameter leaks to
	steps   []Step
	target  int // index of the entry that it explains, or -1
}

func isHeader(message string) bool {
	_, ok := parseHeader(message)
	return ok
}

// The headers of explanations. "{storage for x}" contains " for " too, so the last one is before the function.
var (
	escapesHeader = regexp.MustCompile(`(?s)^(.*) escapes to heap in (.*):$`)
	leaksHeader   = regexp.MustCompile(`(?s)^parameter (.*?) leaks to (.*) for (.*) with derefs=.*:$`)
)

// parseHeader reads "X escapes to heap in F:" and "parameter p leaks to D for F
// with derefs=N:".
func parseHeader(message string) (*explanation, bool) {
	if x, ok := leakHeader(message); ok {
		return x, true
	}
	m := escapesHeader.FindStringSubmatch(message)
	if m == nil {
		return nil, false
	}
	return &explanation{header: strings.TrimSuffix(message, ":"), subject: m[1], fn: m[2]}, true
}

func leakHeader(message string) (*explanation, bool) {
	m := leaksHeader.FindStringSubmatch(message)
	if m == nil {
		return nil, false
	}
	return &explanation{header: strings.TrimSuffix(message, ":"), subject: m[1], dst: m[2], fn: m[3], param: true}, true
}

// add appends an indented line. A "from" line has a position of its own; the
// others have the explanation's.
func (x *explanation) add(text string) {
	step := Step{File: x.at.file, Line: x.at.line, Col: x.at.col, Text: text}
	if strings.HasPrefix(text, "from ") {
		// A file name may contain " at ", so cut after the reason's parenthesis.
		if before, after, ok := cutLast(text, ") at "); ok {
			if pos, ok := parsePosition(after); ok {
				step = Step{File: pos.file, Line: pos.line, Col: pos.col, Text: before + ")"}
			}
		}
	}
	x.steps = append(x.steps, step)
}

// String returns a key that is equal for explanations that differ only in the
// function: the compiler repeats them for each instance of a generic function.
func (x *explanation) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, x.at, x.subject, x.param, x.dst)
	for _, s := range x.steps {
		fmt.Fprintln(&b, s.File, s.Line, s.Col, s.Text)
	}
	return b.String()
}

// subjects returns the subjects of the messages that x may explain.
func (x *explanation) subjects() []string {
	subjects := []string{x.subject}
	if i := strings.LastIndex(x.subject, "."); i >= 0 {
		subjects = append(subjects, x.subject[i+1:]) // as in sameName
	}
	if strings.HasPrefix(x.subject, "append(") {
		subjects = append(subjects, "append")
	}
	return subjects
}

// fits returns how well x explains d, which has the same position: 0 for not at
// all, otherwise the higher the better.
func (x *explanation) fits(d Diagnostic) int {
	subject := Subject(d)
	switch d.Kind {
	case Moved:
		// A parameter that is moved to the heap has no "leaking" line.
		if sameName(x.subject, subject) {
			if x.param || x.variable() {
				return 2
			}
			return 1
		}
	case Escape:
		if x.param {
			return 0
		}
		if subject == x.subject || subject == "append" && strings.HasPrefix(x.subject, "append(") {
			if x.variable() {
				return 1
			}
			return 2
		}
	case Leak:
		if !x.param || !sameName(x.subject, subject) {
			return 0
		}
		_, result, toResult := strings.Cut(d.Message, " to result ")
		result, _, _ = strings.Cut(result, " level=")
		switch {
		case toResult && sameName(x.dst, result):
			return 4
		case !toResult:
			return 3
		default:
			return 1
		}
	}
	return 0
}

// variable reports whether the subject is a variable and not the storage for an
// expression.
func (x *explanation) variable() bool {
	for _, s := range x.steps {
		if _, src, ok := arrow(s.Text); ok {
			return !strings.HasPrefix(strings.TrimLeft(src, "&*"), "{")
		}
	}
	return false
}

// sameName reports whether two names are equal: long is from an explanation,
// which may qualify it with its package, short from a message, which does not.
func sameName(long, short string) bool {
	return long == short || strings.HasSuffix(long, "."+short)
}

// attach appends the steps of x to d. It includes the header if that has more
// than d: another function, or where a parameter leaks to.
func (x *explanation) attach(d *Diagnostic) {
	if d.Func == "" {
		d.Func = x.fn
	}
	if x.param || x.fn != d.Func || x.subject != Subject(*d) {
		d.Flow = append(d.Flow, x.headerStep())
	}
	d.Flow = append(d.Flow, x.steps...)
}

// repeat adds to d only the header of x, whose steps d has already, and only if x
// is about another function.
func (x *explanation) repeat(d *Diagnostic) {
	header := x.headerStep()
	if x.fn != d.Func && !slices.Contains(d.Flow, header) {
		d.Flow = append(d.Flow, header)
	}
}

func (x *explanation) headerStep() Step {
	return Step{File: x.at.file, Line: x.at.line, Col: x.at.col, Text: x.header}
}

// diagnostic turns x into a diagnostic of its own. The compiler explains some
// instances of generic functions and wrappers without a message for -m.
func (x *explanation) diagnostic() Diagnostic {
	d := Diagnostic{
		Package: x.at.pkg, File: x.at.file, Line: x.at.line, Col: x.at.col,
		Kind: Escape, Message: x.subject + " escapes to heap", Func: x.fn, Flow: x.steps,
		explained: true,
	}
	if x.param {
		d.Kind, d.Message = Leak, x.header
	}
	return d
}

// arrow reads "flow: dst ← src:"; releases before Go 1.26 print "=".
func arrow(text string) (dst, src string, ok bool) {
	text, ok = strings.CutPrefix(text, "flow: ")
	if !ok {
		return "", "", false
	}
	text = strings.TrimSuffix(text, ":")
	if dst, src, ok = strings.Cut(text, " ← "); ok {
		return dst, src, true
	}
	from := 0
	if strings.HasPrefix(text, "{storage for ") {
		// The expression inside may contain "=".
		from = max(0, strings.Index(text, "} = "))
	}
	i := strings.Index(text[from:], " = ")
	if i < 0 {
		return "", "", false
	}
	return text[:from+i], text[from+i+len(" = "):], true
}

// origin reads "from expression (reason)". The reason may be followed by the position of a variable that the compiler
// declares for a range over a function, which has none.
func origin(text string) (expr, why string, ok bool) {
	text, ok = strings.CutPrefix(text, "from ")
	if !ok {
		return "", "", false
	}
	text = strings.TrimSuffix(text, " at <unknown line number>")
	text, ok = strings.CutSuffix(text, ")")
	if !ok {
		return "", "", false
	}
	return cutLast(text, " (")
}
