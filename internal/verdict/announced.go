package verdict

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// A valueFunc returns what a diagnostic announces by its type, and whether that is known.
type valueFunc func(escape.Diagnostic) (escape.Value, bool)

// mayBeTiny reports whether a value can be in a block of tiny objects.
func mayBeTiny(v escape.Value) bool { return !v.Pointers && v.Size != 0 && v.Size < profile.TinyBlock }

// A compilerReport is the compiler's diagnostics on a package, by line.
type compilerReport struct {
	of      map[sourceLine][]escape.Diagnostic
	inlined map[position][]string          // the functions that are inlined at a position
	own     map[string]bool                // the functions and closures of the package that can be inlined
	said    map[string]int                 // how many lines have a message
	saidIn  map[message][]sourceLine       // in which functions, on which lines
	leaks   map[string][]escape.Diagnostic // the parameters of a function that it may keep
	// closures are the values on the heap that are announced where a closure is inlined, by its name. The compiler says
	// nothing on the lines of a closure that is inlined at all its calls.
	closures map[string][]escape.Diagnostic
	moved    []escape.Diagnostic // the variables on the heap
	value    valueFunc
	names    PackageNames
	// files are the texts of the package's files, and allocations are all that were counted.
	files       map[string][]byte
	allocations []Allocation
}

type position struct {
	sourceLine
	col int
}

// A message is one of the compiler's about an expression in a function.
type message struct{ function, message string }

func positionOf(d escape.Diagnostic) position { return position{sourceLine{d.File, d.Line}, d.Col} }

func newReport(escapes []escape.Diagnostic, value valueFunc) *compilerReport {
	if value == nil {
		value = func(escape.Diagnostic) (escape.Value, bool) { return escape.Value{}, false }
	}
	r := &compilerReport{
		of: map[sourceLine][]escape.Diagnostic{}, inlined: map[position][]string{}, own: map[string]bool{},
		said: map[string]int{}, saidIn: map[message][]sourceLine{}, leaks: map[string][]escape.Diagnostic{},
		closures: map[string][]escape.Diagnostic{}, value: withRangeState(value),
	}
	for _, d := range escapes {
		at := positionOf(d)
		switch {
		case escape.InlinesCall(d):
			r.inlined[at] = append(r.inlined[at], withoutTypes(escape.Subject(d)))
		case d.Kind == escape.Inline:
			r.own[withoutTypes(escape.Subject(d))] = true
		case d.Kind == escape.Leak && d.Func != "" && len(d.Flow) > 0 && !escape.LeaksToResult(d):
			r.leaks[d.Func] = append(r.leaks[d.Func], d)
		case d.Kind == escape.Stays || Announces(d):
			r.of[at.sourceLine] = append(r.of[at.sourceLine], d)
			if d.Kind == escape.Moved {
				r.moved = append(r.moved, d)
			}
			r.said[d.Message]++
			in := message{withoutTypes(d.Func), d.Message}
			r.saidIn[in] = append(r.saidIn[in], at.sourceLine)
		}
	}
	for _, d := range escapes {
		if !Announces(d) || d.Kind == escape.Moved {
			continue
		}
		for _, function := range r.inlined[positionOf(d)] {
			if Outermost(function) != function {
				r.closures[function] = append(r.closures[function], d)
			}
		}
	}
	return r
}

// withRangeState adds to value the variables that the compiler declares for a range over a function: "#state1" has the
// state of the loop's body, and "#next" what follows the loop. Both are an int, as cmd/compile/internal/rangefunc
// says, and no type checker of the package knows them.
func withRangeState(value valueFunc) valueFunc {
	return func(d escape.Diagnostic) (escape.Value, bool) {
		name := escape.Subject(d)
		if d.Kind == escape.Moved && (strings.HasPrefix(name, "#state") || name == "#next") {
			return escape.Value{Size: 8}, true
		}
		return value(d)
	}
}

// inClosure returns the diagnostics at calls of the closure that an allocation is in, as diagnostics on its line: those
// on expressions that the line has.
func (r *compilerReport) inClosure(a *Allocation) (found []escape.Diagnostic) {
	code := withoutBlanks(a.Code)
	for _, d := range r.closures[withoutTypes(a.Func)] {
		expr, _, _ := strings.Cut(withoutBlanks(escape.Subject(d)), "{...}")
		if expr == "funcliteral" {
			expr = "func("
		}
		told := slices.ContainsFunc(slices.Concat(found, r.of[sourceLine{a.File, a.Line}]),
			func(other escape.Diagnostic) bool { return other.Message == d.Message })
		if strings.Contains(code, expr) && !told {
			d.File, d.Line, d.Col = a.File, a.Line, 0
			found = append(found, d)
		}
	}
	return found
}

// inlinedFlow returns the steps that the compiler reports for d where the function that an allocation is in was
// inlined, and the given ones if it was not. The compiler decides for each copy of a function: what one returns need
// not outlive its caller.
func (r *compilerReport) inlinedFlow(a *Allocation, d escape.Diagnostic, flow []escape.Step) []escape.Step {
	for _, caller := range a.callers {
		file, number, _ := strings.Cut(caller, ":")
		if strings.HasSuffix(file, "_test.go") {
			break // what a benchmark does with a result is no reason of the package's
		}
		line, _ := strconv.Atoi(number)
		for _, other := range r.of[sourceLine{file, line}] {
			if other.Message == d.Message && other.Kind == d.Kind && len(other.Flow) > 0 &&
				slices.Contains(r.inlined[positionOf(other)], withoutTypes(a.Func)) {
				return escape.Reasons(other)
			}
		}
	}
	return flow
}

func withoutBlanks(text string) string { return strings.ReplaceAll(text, " ", "") }

// withoutTypes removes the type arguments from the name of a function.
func withoutTypes(function string) string {
	for {
		from := strings.IndexByte(function, '[')
		to := strings.IndexByte(function[max(from, 0):], ']')
		if from < 0 || to < 0 {
			return function
		}
		function = function[:from] + function[from+to+1:]
	}
}

// announced returns the diagnostics that announce objects which were counted in a part of an allocation.
func (r *compilerReport) announced(a *Allocation, part *profile.Part) (found []escape.Diagnostic) {
	var hidden, repeated []escape.Diagnostic
	for _, d := range slices.Concat(r.of[sourceLine{a.File, a.Line}], r.inClosure(a)) {
		switch {
		case !Announces(d):
		case !r.belongs(d, a.parts, part):
			if part.Own() && !slices.ContainsFunc(r.inlined[positionOf(d)], r.isOther) && !r.allocatedElsewhere(a, d) {
				repeated = append(repeated, d)
			}
		case r.counted(d, a, part):
			found = append(found, d)
		case r.counted(asBox(d), a, part) && boxOf(d, r.of[positionOf(d).sourceLine]):
			found = append(found, asBox(d))
		case r.mayBeHidden(d, a, part):
			hidden = append(hidden, d)
		}
	}
	allocs, estimated := r.perOperation(a, part, part.Sizes)
	for _, d := range hidden {
		if !estimated && allocs > float64(len(found)+1)-0.01 {
			found = append(found, d)
		}
	}
	found = append(found, r.explaining(repeated, r.unexplained(part, found))...)
	if part.Own() {
		found = slices.Concat(found, r.inMaps(a, part, found), r.merged(a, part, found))
	}
	slices.SortStableFunc(found, func(a, b escape.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return found
}

// unexplained returns the objects of a part that none of the diagnostics announces.
func (r *compilerReport) unexplained(part *profile.Part, found []escape.Diagnostic) map[profile.Object]float64 {
	rest := maps.Clone(part.Sizes)
	maps.DeleteFunc(rest, func(o profile.Object, n float64) bool {
		return len(r.explaining(found, map[profile.Object]float64{o: n})) > 0
	})
	return rest
}

// explaining returns those of the diagnostics that announce one of the objects.
func (r *compilerReport) explaining(
	diagnostics []escape.Diagnostic,
	objects map[profile.Object]float64,
) (explaining []escape.Diagnostic) {
	for _, d := range diagnostics {
		if announces(d, r.sized(d), objects) {
			explaining = append(explaining, d)
		}
	}
	return explaining
}

// sized returns what is known of the value that d announces, by the types of its line or of that in the function which
// is inlined there. Its size is -1 if it is not known, or if the function announces several values alike.
func (r *compilerReport) sized(d escape.Diagnostic) escape.Value {
	if v, known := r.value(d); known {
		return v
	}
	var found []escape.Value
	for _, function := range r.inlined[positionOf(d)] {
		for _, at := range r.saidIn[message{function, d.Message}] {
			d.File, d.Line = at.file, at.line
			if v, known := r.value(d); known {
				found = append(found, v)
			}
		}
	}
	if len(found) == 0 || slices.ContainsFunc(found, func(v escape.Value) bool { return v != found[0] }) {
		return escape.Value{Size: -1}
	}
	return found[0]
}

// asBox returns d as a diagnostic on the copy of its value in an interface.
func asBox(d escape.Diagnostic) escape.Diagnostic {
	d.Stored = escape.Boxed
	return d
}

// mayBeHidden reports whether d announces a short string that may share a block of tiny objects, which another object
// of the line opened. The profile then has no object of its kind, and the count has one more than the profile.
func (r *compilerReport) mayBeHidden(d escape.Diagnostic, a *Allocation, part *profile.Part) bool {
	v, known := r.value(d)
	return known && v.Size < 0 && !v.Pointers && part.Own() && a.tinyMissing &&
		slices.Contains([]escape.Storage{escape.Conversion, escape.Concatenation}, escape.StorageOf(d))
}

// belongs reports whether d is about an object of that part, one of the parts of a line. At an inlined call the
// compiler repeats the diagnostics of the callee's lines, and the profile has the callee on the stack. An expression
// around the call may have the same position. Its diagnostic names the call's result, and belongs to the caller unless
// the callee allocated the object, or unless the callee is of this package and has the same diagnostic.
func (r *compilerReport) belongs(d escape.Diagnostic, parts []profile.Part, part *profile.Part) bool {
	inlined := r.inlined[positionOf(d)]
	if part.Own() {
		switch {
		case len(inlined) == 0, d.Kind == escape.Moved: // a parameter belongs to the line of the call
			return true
		case r.isVariadicCall(d):
			return true
		case slices.ContainsFunc(inlined, r.isOther):
			return namesResult(d) && !slices.ContainsFunc(parts, func(p profile.Part) bool { return r.inCallee(d, &p) })
		case namesResult(d):
			return !slices.ContainsFunc(inlined, func(f string) bool { return len(r.saidIn[message{f, d.Message}]) > 0 })
		}
		return r.said[d.Message] == 1 // otherwise it is on a line of the callee, in this package
	}
	return slices.Contains(inlined, withoutTypes(r.names.Short(part.Callees[0])))
}

// isOther reports whether a function that is inlined is of another package, given its name in the compiler's messages:
// "url.QueryEscape". A method or a closure of this package may look the same, "T.Len" or "F.(*T).M.func1", but is also
// reported where it is declared.
func (r *compilerReport) isOther(function string) bool {
	return strings.Contains(function, ".") && function[0] != '(' && !r.own[function]
}

// namesResult reports whether d is on an expression with the result of a function that is inlined there: the compiler
// names it ~r0.
func namesResult(d escape.Diagnostic) bool { return strings.Contains(escape.Subject(d), "~r") }

// isVariadicCall reports whether d is about the arguments of a call on its own line, by the types of the line.
func (r *compilerReport) isVariadicCall(d escape.Diagnostic) bool {
	_, known := r.value(d)
	return known && escape.StorageOf(d) == escape.Variadic
}

// inCallee reports whether functions that are inlined at the position of d allocated an object that d announces.
func (r *compilerReport) inCallee(d escape.Diagnostic, part *profile.Part) bool {
	v := r.sized(d)
	return !part.Own() && slices.ContainsFunc(part.Paths, func(p profile.Path) bool {
		sizes := maps.Clone(p.Sizes)
		if escape.StorageOf(d) == escape.Array { // the copy of strings.Clone is no slice for its caller
			maps.DeleteFunc(sizes, func(o profile.Object, _ float64) bool { return o.Cause == "runtime.mallocgc" })
		}
		return r.inlinedAll(d, p.Callees) && announces(d, v, sizes)
	})
}

// inlinedAll reports whether all functions of a call path are inlined at the position of d.
func (r *compilerReport) inlinedAll(d escape.Diagnostic, path []string) bool {
	inlined := r.inlined[positionOf(d)]
	return !slices.ContainsFunc(path, func(f string) bool {
		return !slices.Contains(inlined, withoutTypes(r.names.Short(f)))
	})
}

// counted reports whether objects were counted of the kind and the size that d announces. Objects without pointers
// under 16 bytes may have been in blocks that other lines opened. An inlined function announces nothing of what the
// functions that it calls allocate.
func (r *compilerReport) counted(d escape.Diagnostic, a *Allocation, part *profile.Part) bool {
	v := r.sized(d)
	if v.Size > 0 && mayBeTiny(v) && a.tinyMissing {
		return true
	}
	if part.Own() {
		return announces(d, v, part.Sizes)
	}
	return r.inCallee(d, part)
}

// announces reports whether one of the objects is of the kind and the size that d announces, a diagnostic on v.
func announces(d escape.Diagnostic, v escape.Value, objects map[profile.Object]float64) bool {
	for o, n := range objects {
		if n > 0 && v.Size != 0 && (v.Size < 0 || fits(v, o.Size)) && allocatedBy(o.Cause, d, v) {
			return true
		}
	}
	return false
}

// allocatedBy reports whether compiled code calls a function of the runtime for what d announces.
func allocatedBy(cause string, d escape.Diagnostic, v escape.Value) bool {
	if v.Convert != "" {
		return cause == v.Convert
	}
	return slices.ContainsFunc(allocators(d), func(f string) bool { return strings.HasPrefix(cause, f) })
}

// fits reports whether an object of the given size, as rounded up by the allocator, may be for that value.
func fits(v escape.Value, size int64) bool {
	const header = 8 // of larger objects with pointers
	if mayBeTiny(v) {
		return v.Size <= size && size <= profile.TinyBlock
	}
	switch {
	case size <= 32: // in size classes of 8 bytes
		return v.Size <= size && size-v.Size < 8
	case size <= 256: // in those of 16 bytes
		return v.Size <= size && size-v.Size < 16
	}
	return v.Size <= size && size-v.Size <= max(16, v.Size/6+header)
}

// allocators returns prefixes of the functions of the runtime that compiled code calls for what d announces.
func allocators(d escape.Diagnostic) []string {
	if d.Kind == escape.Moved {
		// Variables without pointers of at most 16 bytes in all share an object, made by mallocgc: see
		// maxAggregatedHeapAllocation in cmd/compile/internal/ssagen.
		return []string{profile.NewObject, "runtime.mallocgc"}
	}
	switch escape.StorageOf(d) {
	case escape.Append:
		return []string{"runtime.growslice", "runtime.moveSlice"}
	case escape.Array:
		// The array of make and copy in one is made by mallocgc if it has no pointers.
		return []string{"runtime.makeslice", "runtime.mallocgc", profile.NewObject}
	case escape.Pointee, escape.Closure, escape.Variadic:
		return []string{profile.NewObject}
	case escape.Map:
		return []string{"runtime.makemap", "runtime.mapassign", profile.NewObject}
	case escape.Channel:
		return []string{"runtime.makechan"}
	case escape.Concatenation:
		return []string{"runtime.concat"}
	case escape.Conversion:
		// A constant string is copied into a new array.
		return []string{"runtime.slicebytetostring", "runtime.stringtoslice", "runtime.slicerunetostring",
			"runtime.intstring", "runtime.concatbyte", profile.NewObject}
	case escape.Boxed:
		return []string{"runtime.convT", profile.NewObject}
	}
	return []string{"runtime."} // the message does not identify what is allocated
}

// exceptTiny returns how many of a line's objects of 16 bytes are certainly no blocks of tiny objects.
func (r *compilerReport) exceptTiny(l *profile.Line) (objects float64) {
	for i := range l.Parts {
		for o, n := range l.Parts[i].Sizes {
			if profile.MayBeTiny(o.Cause, o.Size) && !r.mayBeTiny(o, sourceLine{l.File, l.Line}, l.Parts, &l.Parts[i]) {
				objects += n
			}
		}
	}
	return objects
}

// countSmall sets l.Small, and returns how many other objects of the line are under 16 bytes: those with pointers.
func (r *compilerReport) countSmall(l *profile.Line) (others float64) {
	for i := range l.Parts {
		small := r.small(sourceLine{l.File, l.Line}, l.Parts, &l.Parts[i], l.Parts[i].Sizes)
		l.Small += small
		for o, n := range l.Parts[i].Sizes {
			if o.Size < profile.TinyBlock {
				others += n
			}
		}
		others -= small
	}
	return others
}

// small returns how many of the objects of a part, one of the parts of a line, are under 16 bytes and may be without
// pointers.
func (r *compilerReport) small(
	at sourceLine,
	parts []profile.Part,
	part *profile.Part,
	objects map[profile.Object]float64,
) (count float64) {
	for o, n := range objects {
		if o.Size < profile.TinyBlock && r.mayHaveNoPointers(o, at, parts, part) {
			count += n
		}
	}
	return count
}

// mayBeTiny reports whether objects of a part, one of the parts of a line, may be blocks of tiny objects.
func (r *compilerReport) mayBeTiny(o profile.Object, at sourceLine, parts []profile.Part, part *profile.Part) bool {
	return profile.MayBeTiny(o.Cause, o.Size) && r.mayHaveNoPointers(o, at, parts, part)
}

// mayHaveNoPointers reports whether objects of a part of at most 16 bytes may have no pointers, given the types of the
// values that the compiler reports on the line.
func (r *compilerReport) mayHaveNoPointers(
	o profile.Object,
	at sourceLine,
	parts []profile.Part,
	part *profile.Part,
) bool {
	some, tiny := false, false
	for _, d := range r.of[at] {
		if d.Kind == escape.Stays && !mayAllocate(d) {
			continue
		}
		if v, known := r.value(d); r.belongs(d, parts, part) && allocatedBy(o.Cause, d, v) {
			some, tiny = true, tiny || !known || mayBeTiny(v)
		}
	}
	return tiny || !some
}

// mayAllocate reports whether a value that does not escape may be allocated all the same, if it is too large for the
// stack. A parameter that does not escape is no such value.
func mayAllocate(d escape.Diagnostic) bool {
	switch escape.StorageOf(d) {
	case escape.Append, escape.Array, escape.Map, escape.Concatenation, escape.Conversion:
		return true
	}
	return false
}
