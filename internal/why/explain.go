package why

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// LineText returns the text of a line, trimmed, or "" if there is no such line.
func LineText(text []byte, line int) string {
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}

// NewReason returns the reason that a diagnostic on a heap value gives. Code is the text of its line,
// trimmed.
func NewReason(d escape.Diagnostic, code string) Reason {
	return Reason{Line: d.Line, Col: d.Col, Message: d.Message, Kind: kindOf(d, code), Why: escape.Why(d),
		Flow: escape.Reasons(d)}
}

// An explanation is the reason of a line under construction.
type explanation struct {
	report  *compilerReport
	line    *line
	clauses []string
	callees int // how many of the line's parts are allocations of called functions only
}

// explain fills in a line's Reasons, Calls, Kind and Why: for each part of what the line allocates, the compiler's
// reasons for objects that were counted there, else what is known of the runtime's functions. Why has these as clauses,
// joined by "; ", and Kind is the kind of the first.
func (r *compilerReport) explain(l *line) {
	e := explanation{report: r, line: l}
	l.Reasons, l.Calls = []Reason{}, nil
	for _, p := range r.inOrder(l) {
		from := len(e.clauses)
		switch {
		case len(p.diagnostics) > 0:
			e.reportedPart(p)
			r.addCalls(l, p.Part, kindOf(p.diagnostics[0], l.Code), strings.Join(e.clauses[from:], "; "))
		case !p.Own():
			e.calledPart(p.Part)
			r.addCalls(l, p.Part, Callee, "")
		default:
			for _, c := range p.Causes {
				e.add(r.atRunTime(l, c))
			}
			r.addCalls(l, p.Part, l.Kind, strings.Join(e.clauses[from:], "; "))
		}
	}
	e.end()
}

// add adds a clause, each once.
func (e *explanation) add(k Kind, clause string) {
	if len(e.clauses) == 0 {
		e.line.Kind = k
	}
	if !slices.Contains(e.clauses, clause) {
		e.clauses = append(e.clauses, clause)
	}
}

// reportedPart adds the reasons of a part for which the compiler reports values on the heap, then the reasons for the
// rest of the part's objects. Values that may not have been allocated come last.
func (e *explanation) reportedPart(p reportedPart) {
	r, l := e.report, e.line
	var conditional []Reason
	for _, d := range p.diagnostics {
		reason := e.reason(d, p)
		l.Reasons = append(l.Reasons, reason)
		switch boxes, n := r.someBoxes(l, p.Part, d, p.diagnostics); {
		case isBoxOf(d, p.diagnostics): // the reason of its value tells of it
		case r.mayBeStatic(p.Part, d):
			conditional = append(conditional, reason)
		case n > 0:
			e.add(reason.Kind, escape.WhySome(n, boxes))
		default:
			e.add(reason.Kind, reason.Why)
		}
	}
	for _, c := range r.causesWithoutDiagnostic(r.compiledHere(p.Part, p.diagnostics[0]), p.diagnostics) {
		if kind, clause := r.atRunTime(l, c); kind != Unexplained {
			e.add(kind, clause)
		}
	}
	if callee, objects := r.belowInlined(p.Part, p.diagnostics[0]); !p.Own() && len(objects) > 0 {
		e.add(Callee, r.insideClause(l, p.Part, objects, callee))
	}
	for _, reason := range conditional {
		e.add(reason.Kind, reason.Why)
	}
}

// reason returns the reason that one of a part's diagnostics gives.
func (e *explanation) reason(d escape.Diagnostic, p reportedPart) Reason {
	r := e.report
	reason := NewReason(d, e.line.Code)
	if n := len(reason.Flow); n > 0 && escape.Returns(reason.Flow[n-1]) {
		reason.Flow = r.inlinedFlow(e.line, d, reason.Flow)
	}
	if r.mayBeStatic(p.Part, d) || e.line.sampled && r.isOneOfSeveral(d, p.diagnostics) {
		reason.Why = escape.WhyUnlessSmall(d)
	}
	if d.Line != e.line.Line {
		if d.Kind == escape.Moved {
			reason.Why += " in the same object"
		}
		reason.Why += fmt.Sprintf(" (line %d)", d.Line)
	}
	reason.Flow = r.follow(reason.Flow)
	return reason
}

// maxCallees is how many functions are named that a line calls and that allocate.
const maxCallees = 3

// calledPart adds that a function allocates which the line calls.
func (e *explanation) calledPart(p *profile.Part) {
	r := e.report
	if len(e.line.parts) == 1 {
		e.add(Callee, "allocated inside "+r.pkg.Names.Short(p.Callees[0])+", which is called here")
	} else if e.callees++; e.callees <= maxCallees {
		e.add(Callee, r.insideClause(e.line, p, p.Sizes, p.Callees[0]))
	}
}

// end completes the line.
func (e *explanation) end() {
	if more := e.callees - maxCallees; more == 1 {
		e.add(Callee, "the rest inside another function")
	} else if more > 1 {
		e.add(Callee, fmt.Sprintf("the rest inside %d other functions", more))
	}
	if len(e.clauses) == 0 {
		e.add(Unexplained, e.report.unknown(e.line))
	}
	// Two parts may have the same reason.
	l := e.line
	slices.SortStableFunc(l.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	same := func(a, b Reason) bool { return a.Line == b.Line && a.Col == b.Col && a.Message == b.Message }
	l.Reasons = slices.CompactFunc(l.Reasons, same)
	l.Why = strings.Join(e.clauses, "; ")
}

// A reportedPart is a part of a line, with the diagnostics on its values.
type reportedPart struct {
	*profile.Part
	diagnostics []escape.Diagnostic
}

// inOrder returns the parts of a line, most objects first and equal ones in the order of the source.
func (r *compilerReport) inOrder(l *line) []reportedPart {
	parts := make([]reportedPart, len(l.parts))
	for i := range l.parts {
		parts[i] = reportedPart{&l.parts[i], r.matchDiagnostics(l, &l.parts[i])}
	}
	column := func(p reportedPart) int {
		if len(p.diagnostics) == 0 {
			return math.MaxInt
		}
		return p.diagnostics[0].Col
	}
	slices.SortStableFunc(parts, func(a, b reportedPart) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(column(a), column(b)))
	})
	return parts
}

// maxFollowed bounds how many functions a value is followed into.
const maxFollowed = 8

// follow returns the steps of a flow and, if it ends where the value is passed to a function of the package "which may
// keep it", also the steps in that function, up to the assignment that does keep it. It stops where a function may keep
// several of its parameters, because the compiler does not say which of them the value is.
func (r *compilerReport) follow(flow []escape.Step) []escape.Step {
	flow = slices.Clip(flow)
	followed := []string{}
	for len(flow) > 0 && len(followed) < maxFollowed {
		callee, ok := escape.KeptBy(flow[len(flow)-1])
		leaks := r.leaksByFunc[callee]
		if !ok || len(leaks) != 1 || slices.Contains(followed, callee) {
			break
		}
		followed = append(followed, callee)
		flow = append(flow, escape.Reasons(leaks[0])...)
	}
	return flow
}

// inlinedFlow returns the steps that the compiler reports for d where the function that an allocation is in was
// inlined, and the given ones if it was not. The compiler decides for each copy of a function: what one returns need
// not outlive its caller.
func (r *compilerReport) inlinedFlow(a *line, d escape.Diagnostic, flow []escape.Step) []escape.Step {
	for _, caller := range a.callers {
		file, number, _ := strings.Cut(caller, ":")
		if strings.HasSuffix(file, "_test.go") {
			break // what a benchmark does with a result is no reason of the package's
		}
		line, _ := strconv.Atoi(number)
		for _, other := range r.byLine[sourceLine{file, line}] {
			if other.Message == d.Message && other.Kind == d.Kind && len(other.Flow) > 0 &&
				slices.Contains(r.inlinedAt[positionOf(other)], escape.WithoutTypes(a.Func)) {
				return escape.Reasons(other)
			}
		}
	}
	return flow
}

// isBoxOf reports whether d is on the box of a value, and another of the diagnostics is on the value and its box.
func isBoxOf(d escape.Diagnostic, found []escape.Diagnostic) bool {
	return !escape.BoxedToo(d) && slices.ContainsFunc(found, func(other escape.Diagnostic) bool {
		return other.Message == d.Message && escape.BoxedToo(other)
	})
}

// withoutZero are the functions of the runtime that copy a value into an interface, and allocate nothing for "", a nil
// slice, or a number below 256.
var withoutZero = append([]string{"runtime.convTstring", "runtime.convTslice"}, boxesOfNumbers...)

var boxesOfNumbers = []string{"runtime.convT16", "runtime.convT32", "runtime.convT64"}

// mayBeStatic reports whether d is on the box of an integer, and no such object was counted. Either all the
// integers were below 256, for which the runtime has boxes, or the boxes were in blocks that other objects opened.
func (r *compilerReport) mayBeStatic(part *profile.Part, d escape.Diagnostic) bool {
	v, known := r.typeOf(d)
	if !known || !slices.Contains(boxesOfNumbers, v.Convert) {
		return false
	}
	for o := range part.Sizes {
		if o.Cause == v.Convert || o.Cause == profile.Unknown {
			return false
		}
	}
	return true
}

// isOneOfSeveral reports whether d is on the box of an integer, and another of the diagnostics is on a box that the same
// runtime function makes, or may make if the type of its value is not known. If objects were counted and not how many
// for each operation, either integer may have been below 256.
func (r *compilerReport) isOneOfSeveral(d escape.Diagnostic, found []escape.Diagnostic) bool {
	v, _ := r.typeOf(d)
	return slices.Contains(boxesOfNumbers, v.Convert) && slices.ContainsFunc(found, func(other escape.Diagnostic) bool {
		w, known := r.typeOf(other)
		same := w.Convert == v.Convert || !known && kindOf(other, "") == InterfaceBoxing
		return same && positionOf(other) != positionOf(d)
	})
}

// someBoxes returns the boxes of a part that the same runtime function makes as d's, and how many of them an operation
// allocates, if it does not allocate all of them. The runtime has boxes for some values, and the profile does not say
// which. Otherwise n is 0.
func (r *compilerReport) someBoxes(
	a *line,
	part *profile.Part,
	d escape.Diagnostic,
	found []escape.Diagnostic,
) (boxes []escape.Diagnostic, n int) {
	v, _ := r.typeOf(d)
	if !part.Own() || !slices.Contains(withoutZero, v.Convert) {
		return nil, 0
	}
	for _, other := range found {
		w, _ := r.typeOf(other)
		same := func(box escape.Diagnostic) bool { return box.Col == other.Col }
		if w.Convert == v.Convert && !isBoxOf(other, found) && !slices.ContainsFunc(boxes, same) {
			boxes = append(boxes, other)
		}
	}
	objects := map[profile.Object]float64{}
	for o, count := range part.Sizes {
		if o.Cause == v.Convert {
			objects[o] = count
		}
	}
	allocs, _ := a.allocsOf(part, objects)
	n = int(math.Round(allocs))
	if n == 0 || n >= len(boxes) || math.Abs(allocs-float64(n)) > 0.01 { // such as a line that runs now and then
		return nil, 0
	}
	return boxes, n
}

// minNamed and minBytes are the parts of a line's objects and bytes below which a cause is not worth a clause
// beside others.
const (
	minNamed = 0.01
	minBytes = 0.1
)

// causesWithoutDiagnostic returns the causes that none of the diagnostics explains. For example, storing a boxed key
// into a map may also make the map grow.
func (r *compilerReport) causesWithoutDiagnostic(part *profile.Part, found []escape.Diagnostic) (
	causes []profile.Cause) {
	for _, c := range part.Causes {
		explained := slices.ContainsFunc(found, func(d escape.Diagnostic) bool {
			v, _ := r.typeOf(d)
			return allocatedBy(c.Func, d, v) || escape.BoxedToo(d) && strings.HasPrefix(c.Func, "runtime.convT")
		})
		if !explained && (c.Objects >= minNamed*part.Objects || c.Bytes >= minBytes*part.Bytes) {
			causes = append(causes, c)
		}
	}
	return causes
}

// compiledHere returns what code of a part's line allocates: the part if it is the line's own, else what the functions
// allocate that are inlined at d, without the functions that they call.
func (r *compilerReport) compiledHere(part *profile.Part, d escape.Diagnostic) *profile.Part {
	if part.Own() {
		return part
	}
	here := &profile.Part{Objects: part.Objects, Bytes: part.Bytes}
	for _, p := range part.Paths {
		if !r.inlinedAll(d, p.Callees) {
			continue
		}
		for o, n := range p.Sizes {
			here.Causes = append(here.Causes, profile.Cause{Func: o.Cause, Objects: n, Bytes: n * float64(o.Size)})
		}
	}
	slices.SortFunc(here.Causes, func(a, b profile.Cause) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(a.Func, b.Func), cmp.Compare(b.Bytes, a.Bytes))
	})
	return here
}

// belowInlined returns what a part allocates in functions that are called from those inlined at d, and the callee that
// allocates the most of it.
func (r *compilerReport) belowInlined(
	part *profile.Part,
	d escape.Diagnostic,
) (callee string, objects map[profile.Object]float64) {
	objects, all := map[profile.Object]float64{}, 0.0
	for _, p := range part.Paths {
		i := slices.IndexFunc(p.Callees, func(f string) bool { return !r.inlines(d, f) })
		if i >= 0 {
			for o, n := range p.Sizes {
				objects[o] += n
			}
			all += p.Objects
			callee = cmp.Or(callee, p.Callees[i])
		}
	}
	if all < minNamed*part.Objects {
		return "", nil
	}
	return callee, objects
}

// insideClause returns the clause that so many objects of a part are allocated inside a callee.
func (r *compilerReport) insideClause(
	a *line,
	part *profile.Part,
	objects map[profile.Object]float64,
	callee string,
) string {
	allocs, estimated := a.allocsOf(part, objects)
	recorded, _ := countTiny(objects)
	if a.sampled {
		return fmt.Sprintf("%.0f %% of the objects inside %s", 100*recorded/a.AllocsPerOp, r.pkg.Names.Short(callee))
	}
	about := ""
	if estimated || a.Shared && allocs > recorded/a.operations {
		about = "about "
	}
	return about + FormatAllocs(allocs) + " inside " + r.pkg.Names.Short(callee)
}

// addCalls adds the call paths of a part, for a reason.
func (r *compilerReport) addCalls(a *line, part *profile.Part, kind Kind, why string) {
	if a.sampled { // a program in production may have hundreds of thousands of paths
		return
	}
	for _, p := range part.Paths {
		allocs, estimated := a.allocsOf(part, p.Sizes)
		small := r.small(sourceLine{a.File, a.Line}, a.parts, part, p.Sizes)
		a.Calls = append(a.Calls, Call{
			Callees: p.Callees, AllocsPerOp: allocs, BytesPerOp: (p.Bytes + a.padding*small) / a.operations,
			Estimated: estimated,
			Kind:      kind,
			Why:       why,
		})
	}
}
