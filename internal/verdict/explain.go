package verdict

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// explain sorts the allocations, and fills in Code, Reasons, Kind and Why.
func (v *Verdict) explain(p *Package) {
	mostFirst(v.Allocations)
	r := newReport(v.Escapes, p.value)
	r.names, r.files, r.allocations = v.Names, p.Files, slices.Clone(v.Allocations)
	for i := range v.Allocations {
		a := &v.Allocations[i]
		a.Code = lineText(p.Files[a.File], a.Line)
		r.explain(a)
	}
}

// mostFirst sorts allocations. The sort is stable, so that lines with equal allocs/op stay in source order.
func mostFirst(allocations []Allocation) {
	slices.SortStableFunc(allocations, func(a, b Allocation) int { return cmp.Compare(b.AllocsPerOp, a.AllocsPerOp) })
}

func lineText(text []byte, line int) string {
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}

// Announces reports whether d says that a value is allocated on the heap. It is false for constants: the compiler
// reports them as escaping too, but places them in read-only data.
func Announces(d escape.Diagnostic) bool {
	return (d.Kind == escape.Escape || d.Kind == escape.Moved) && !isConstant(escape.Subject(d))
}

// NewReason returns the reason that d gives, which announces a value on the heap. Code is the text of its line,
// trimmed.
func NewReason(d escape.Diagnostic, code string) Reason {
	return Reason{Line: d.Line, Col: d.Col, Message: d.Message, Kind: kindOf(d, code), Why: escape.Why(d),
		Flow: escape.Reasons(d)}
}

func isConstant(expr string) bool {
	if expr == "true" || expr == "false" || expr == "nil" {
		return true
	}
	_, notText := strconv.Unquote(expr)
	_, notNumber := strconv.ParseFloat(expr, 64)
	return notText == nil || notNumber == nil
}

// mostCallees is how many functions are named that a line calls and that allocate.
const mostCallees = 3

// explain fills in an allocation's Reasons, Kind and Why: for each part of what the line allocates, the compiler's
// reasons for objects that were counted there, else what is known of the runtime's functions. Why has these as clauses,
// joined by "; ", and Kind is that of the first.
func (r *compilerReport) explain(a *Allocation) {
	var clauses []string
	add := func(k Kind, clause string) {
		if len(clauses) == 0 {
			a.Kind = k
		}
		if !slices.Contains(clauses, clause) {
			clauses = append(clauses, clause)
		}
	}
	a.Reasons, a.Calls = []Reason{}, nil
	callees := 0
	for _, p := range r.inOrder(a) {
		part, found, from := p.Part, p.announced, len(clauses)
		switch {
		case len(found) > 0:
			var conditional []Reason // those after what was counted
			for _, d := range found {
				reason := NewReason(d, a.Code)
				if n := len(reason.Flow); n > 0 && escape.Returns(reason.Flow[n-1]) {
					reason.Flow = r.inlinedFlow(a, d, reason.Flow)
				}
				if isInstantiation(d, found) {
					reason.Why = escape.Why(withoutArguments(d))
				}
				mayBeStatic := r.mayBeStatic(part, d)
				if mayBeStatic {
					reason.Why = escape.WhyUnlessSmall(d)
				}
				if d.Line != a.Line {
					if d.Kind == escape.Moved {
						reason.Why += " in the same object"
					}
					reason.Why += fmt.Sprintf(" (line %d)", d.Line)
				}
				reason.Flow = r.follow(reason.Flow)
				a.Reasons = append(a.Reasons, reason)
				if boxOf(d, found) {
					continue
				}
				if mayBeStatic {
					conditional = append(conditional, reason)
					continue
				}
				if boxes, n := r.someOf(a, part, d, found); n > 0 {
					add(reason.Kind, escape.WhySome(n, boxes))
				} else {
					add(reason.Kind, reason.Why)
				}
			}
			for _, c := range r.unannounced(r.compiledHere(part, found[0]), found) {
				if kind, clause := atRunTime(r.of[sourceLine{a.File, a.Line}], a, c); kind != Unexplained {
					add(kind, clause)
				}
			}
			if callee, objects := r.deeper(part, found[0]); !part.Own() && len(objects) > 0 {
				add(Callee, r.inside(a, part, objects, callee))
			}
			for _, reason := range conditional {
				add(reason.Kind, reason.Why)
			}
		case !part.Own() && len(a.parts) == 1:
			add(Callee, "allocated inside "+r.names.Short(part.Callees[0])+", which is called here")
		case !part.Own():
			if callees++; callees <= mostCallees {
				add(Callee, r.inside(a, part, part.Sizes, part.Callees[0]))
			}
		default:
			for _, c := range part.Causes {
				add(atRunTime(r.of[sourceLine{a.File, a.Line}], a, c))
			}
		}
		why := strings.Join(clauses[from:], "; ")
		kind := a.Kind
		if len(found) > 0 {
			kind = kindOf(found[0], a.Code)
		} else if !part.Own() {
			kind, why = Callee, ""
		}
		r.addCalls(a, part, kind, why)
	}
	if more := callees - mostCallees; more == 1 {
		add(Callee, "the rest inside another function")
	} else if more > 1 {
		add(Callee, fmt.Sprintf("the rest inside %d other functions", more))
	}
	if len(clauses) == 0 {
		add(Unexplained, unexplained)
	}
	// Two parts may have the same reason.
	slices.SortStableFunc(a.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	same := func(a, b Reason) bool { return a.Line == b.Line && a.Col == b.Col && a.Message == b.Message }
	a.Reasons = slices.CompactFunc(a.Reasons, same)
	a.Why = strings.Join(clauses, "; ")
}

// mostFollowed bounds how many functions a value is followed into.
const mostFollowed = 8

// follow returns the steps of a flow and, if it ends where the value is passed to a function of the package "which may
// keep it", those in that function too, up to the assignment that does keep it. It stops where a function may keep
// several of its parameters, because the compiler does not say which of them the value is.
func (r *compilerReport) follow(flow []escape.Step) []escape.Step {
	flow = slices.Clip(flow)
	followed := []string{}
	for len(flow) > 0 && len(followed) < mostFollowed {
		callee, ok := escape.KeptBy(flow[len(flow)-1])
		leaks := r.leaks[callee]
		if !ok || len(leaks) != 1 || slices.Contains(followed, callee) {
			break
		}
		followed = append(followed, callee)
		flow = append(flow, escape.Reasons(leaks[0])...)
	}
	return flow
}

// isInstantiation reports whether d is on an expression of a generic function that others of the diagnostics are on
// too, with other type arguments. The profile does not say for which of them the objects were.
func isInstantiation(d escape.Diagnostic, found []escape.Diagnostic) bool {
	return slices.ContainsFunc(found, func(other escape.Diagnostic) bool {
		return positionOf(other) == positionOf(d) && other.Message != d.Message &&
			withoutTypes(other.Message) == withoutTypes(d.Message)
	})
}

var typeArguments = regexp.MustCompile(`(\w)\[.*\]`)

// withoutArguments returns d with "[...]" for the type arguments in its message.
func withoutArguments(d escape.Diagnostic) escape.Diagnostic {
	d.Message = typeArguments.ReplaceAllString(d.Message, "$1[...]")
	return d
}

// boxOf reports whether d announces the box of a value that another of the diagnostics announces together with it.
func boxOf(d escape.Diagnostic, found []escape.Diagnostic) bool {
	return !escape.BoxedToo(d) && slices.ContainsFunc(found, func(other escape.Diagnostic) bool {
		return other.Message == d.Message && escape.BoxedToo(other)
	})
}

// withoutZero are the functions of the runtime that copy a value into an interface, and allocate nothing for "", a nil
// slice, or a number below 256.
var withoutZero = append([]string{"runtime.convTstring", "runtime.convTslice"}, boxesOfNumbers...)

var boxesOfNumbers = []string{"runtime.convT16", "runtime.convT32", "runtime.convT64"}

// mayBeStatic reports whether d announces the box of an integer, and no such object was counted. Either all the
// integers were below 256, for which the runtime has boxes, or the boxes were in blocks that other objects opened.
func (r *compilerReport) mayBeStatic(part *profile.Part, d escape.Diagnostic) bool {
	v, known := r.value(d)
	if !known || !slices.Contains(boxesOfNumbers, v.Convert) {
		return false
	}
	for o := range part.Sizes {
		if o.Cause == v.Convert {
			return false
		}
	}
	return true
}

// someOf returns the boxes of a part that the same runtime function makes as d's, and how many of them an operation
// allocates, if it does not allocate all of them. The runtime has boxes for some values, and the profile does not say
// which. Otherwise n is 0.
func (r *compilerReport) someOf(
	a *Allocation,
	part *profile.Part,
	d escape.Diagnostic,
	found []escape.Diagnostic,
) (boxes []escape.Diagnostic, n int) {
	v, _ := r.value(d)
	if !part.Own() || !slices.Contains(withoutZero, v.Convert) {
		return nil, 0
	}
	for _, other := range found {
		w, _ := r.value(other)
		same := func(box escape.Diagnostic) bool { return box.Col == other.Col }
		if w.Convert == v.Convert && !boxOf(other, found) && !slices.ContainsFunc(boxes, same) {
			boxes = append(boxes, other)
		}
	}
	objects := map[profile.Object]float64{}
	for o, count := range part.Sizes {
		if o.Cause == v.Convert {
			objects[o] = count
		}
	}
	allocs, _ := r.perOperation(a, part, objects)
	n = int(math.Round(allocs))
	if n == 0 || n >= len(boxes) || math.Abs(allocs-float64(n)) > 0.01 { // such as a line that runs now and then
		return nil, 0
	}
	return boxes, n
}

// leastNamed and leastBytes are the parts of a line's objects and bytes below which a cause is not worth a clause
// beside others.
const (
	leastNamed = 0.01
	leastBytes = 0.1
)

// unannounced returns the causes that none of the diagnostics explains. For example, storing a boxed key into a map may
// also make the map grow.
func (r *compilerReport) unannounced(part *profile.Part, found []escape.Diagnostic) (causes []profile.Cause) {
	for _, c := range part.Causes {
		announced := slices.ContainsFunc(found, func(d escape.Diagnostic) bool {
			v, _ := r.value(d)
			return allocatedBy(c.Func, d, v) || escape.BoxedToo(d) && strings.HasPrefix(c.Func, "runtime.convT")
		})
		if !announced && (c.Objects >= leastNamed*part.Objects || c.Bytes >= leastBytes*part.Bytes) {
			causes = append(causes, c)
		}
	}
	return causes
}

// compiledHere returns what code of a part's line allocates: the part if it is the line's own, else what the functions
// allocate that are inlined at d, without those that they call.
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

// deeper returns what a part allocates in functions that are called from those inlined at d, and the callee that
// allocates the most of it.
func (r *compilerReport) deeper(
	part *profile.Part,
	d escape.Diagnostic,
) (callee string, objects map[profile.Object]float64) {
	inlined := r.inlined[positionOf(d)]
	objects, all := map[profile.Object]float64{}, 0.0
	for _, p := range part.Paths {
		i := slices.IndexFunc(p.Callees, func(f string) bool {
			return !slices.Contains(inlined, withoutTypes(r.names.Short(f)))
		})
		if i >= 0 {
			for o, n := range p.Sizes {
				objects[o] += n
			}
			all += p.Objects
			callee = cmp.Or(callee, p.Callees[i])
		}
	}
	if all < leastNamed*part.Objects {
		return "", nil
	}
	return callee, objects
}

// inside returns the clause that so many objects of a part are allocated inside a callee.
func (r *compilerReport) inside(
	a *Allocation,
	part *profile.Part,
	objects map[profile.Object]float64,
	callee string,
) string {
	allocs, estimated := r.perOperation(a, part, objects)
	recorded := 0.0
	for _, n := range objects {
		recorded += n
	}
	about := ""
	if estimated || a.Shared && allocs > recorded/a.operations {
		about = "about "
	}
	return about + FormatAllocs(allocs) + " inside " + r.names.Short(callee)
}

// perOperation returns how many objects of a part are allocated per operation. Tiny objects that the profile did not
// record are shared out in proportion to the blocks that were, among the parts that do not have the same number of
// blocks in each operation. If there are several, the result is an estimate.
func (r *compilerReport) perOperation(
	a *Allocation,
	part *profile.Part,
	objects map[profile.Object]float64,
) (allocs float64, estimated bool) {
	count := func(part *profile.Part, objects map[profile.Object]float64) (all, tiny float64) {
		return r.countTiny(a, part, objects)
	}
	var recorded, blocks, uneven float64
	isUneven := func(tiny float64) bool { return math.Mod(tiny, a.operations) != 0 }
	for i := range a.parts {
		all, tiny := count(&a.parts[i], a.parts[i].Sizes)
		recorded, blocks = recorded+all, blocks+tiny
		if isUneven(tiny) {
			uneven += tiny
		}
	}
	all, tiny := count(part, objects)
	_, ofPart := count(part, part.Sizes)
	switch total := a.AllocsPerOp * a.operations; {
	case total > recorded && uneven > 0 && !isUneven(ofPart):
	case total > recorded && blocks > 0:
		if uneven > 0 {
			blocks = uneven
		}
		all += (total - recorded) * tiny / blocks
		estimated = 0 < tiny && tiny < blocks
	case recorded > 0:
		all *= total / recorded
	}
	return all / a.operations, estimated
}

// countTiny returns how many objects there are, and how many of them may be tiny.
func (r *compilerReport) countTiny(a *Allocation, part *profile.Part, objects map[profile.Object]float64) (
	all, tiny float64) {
	for o, n := range objects {
		all += n
		if r.mayBeTiny(o, sourceLine{a.File, a.Line}, a.parts, part) {
			tiny += n
		}
	}
	return all, tiny
}

// An explainedPart is a part of an allocation, with the compiler's reasons for it.
type explainedPart struct {
	*profile.Part
	announced []escape.Diagnostic
}

// inOrder returns the parts of an allocation, most objects first and equal ones in the order of the source.
func (r *compilerReport) inOrder(a *Allocation) []explainedPart {
	parts := make([]explainedPart, len(a.parts))
	for i := range a.parts {
		parts[i] = explainedPart{&a.parts[i], r.announced(a, &a.parts[i])}
	}
	column := func(p explainedPart) int {
		if len(p.announced) == 0 {
			return math.MaxInt
		}
		return p.announced[0].Col
	}
	slices.SortStableFunc(parts, func(a, b explainedPart) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(column(a), column(b)))
	})
	return parts
}

// addCalls adds the call paths of a part, for a reason.
func (r *compilerReport) addCalls(a *Allocation, part *profile.Part, kind Kind, why string) {
	for _, p := range part.Paths {
		allocs, estimated := r.perOperation(a, part, p.Sizes)
		small := r.small(sourceLine{a.File, a.Line}, a.parts, part, p.Sizes)
		a.Calls = append(a.Calls, Call{
			Callees: p.Callees, AllocsPerOp: allocs, BytesPerOp: (p.Bytes + a.padding*small) / a.operations,
			Estimated: estimated,
			Kind:      kind,
			Why:       why,
		})
	}
}
