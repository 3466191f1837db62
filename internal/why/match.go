package why

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// announced returns the diagnostics that announce objects which were counted in a part of an allocation.
func (r *compilerReport) announced(a *line, part *profile.Part) (found []escape.Diagnostic) {
	var hidden, repeated []escape.Diagnostic
	for _, d := range slices.Concat(r.of[sourceLine{a.File, a.Line}], r.inClosure(a)) {
		switch {
		case !IsHeapDiagnostic(d):
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
func (r *compilerReport) mayBeHidden(d escape.Diagnostic, a *line, part *profile.Part) bool {
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
	return slices.Contains(inlined, withoutTypes(r.pkg.Names.Short(part.Callees[0])))
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
		return !slices.Contains(inlined, withoutTypes(r.pkg.Names.Short(f)))
	})
}

// counted reports whether objects were counted of the kind and the size that d announces. Objects without pointers
// under 16 bytes may have been in blocks that other lines opened. An inlined function announces nothing of what the
// functions that it calls allocate.
func (r *compilerReport) counted(d escape.Diagnostic, a *line, part *profile.Part) bool {
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
		return size <= profile.TinyBlock
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

// inClosure returns the diagnostics at calls of the closure that an allocation is in, as diagnostics on its line: those
// on expressions that the line has.
func (r *compilerReport) inClosure(a *line) (found []escape.Diagnostic) {
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

func withoutBlanks(text string) string { return strings.ReplaceAll(text, " ", "") }
