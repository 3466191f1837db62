package why

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// matchDiagnostics returns the diagnostics on the objects that were counted in a part of a line, in the order of the
// source. A diagnostic is tried in this order:
//   - it belongs to the part, and objects of its kind and size were counted;
//   - it is on a value and on the box of it in an interface, and boxes were counted;
//   - it is repeated for an inlined function, and fits objects that no diagnostic found so far does;
//   - it is on another line, whose object is allocated here: in a map literal, or together with a variable.
func (r *compilerReport) matchDiagnostics(l *line, part *profile.Part) (found []escape.Diagnostic) {
	var repeated []escape.Diagnostic
	for _, d := range r.byLine[sourceLine{l.File, l.Line}] {
		switch {
		case !IsHeapDiagnostic(d):
		case !r.belongsTo(d, l.parts, part):
			if part.Own() && !slices.ContainsFunc(r.inlinedAt[positionOf(d)], r.isOtherPackage) &&
				!r.allocatedElsewhere(l, d) {
				repeated = append(repeated, d)
			}
		case r.wasCounted(d, part):
			found = append(found, d)
		case r.wasCounted(asBox(d), part) && isBoxOf(d, r.byLine[positionOf(d).sourceLine]):
			found = append(found, asBox(d))
		}
	}
	found = append(found, r.matching(repeated, r.unmatched(part, found))...)
	if part.Own() {
		found = slices.Concat(found, r.inMaps(l, part, found), r.merged(l, part, found))
	}
	slices.SortStableFunc(found, func(a, b escape.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return found
}

// unmatched returns the objects of a part that none of the diagnostics matches.
func (r *compilerReport) unmatched(part *profile.Part, found []escape.Diagnostic) map[profile.Object]float64 {
	rest := maps.Clone(part.Sizes)
	maps.DeleteFunc(rest, func(o profile.Object, n float64) bool {
		return len(r.matching(found, map[profile.Object]float64{o: n})) > 0
	})
	return rest
}

// matching returns the diagnostics that match one of the objects.
func (r *compilerReport) matching(diagnostics []escape.Diagnostic, objects map[profile.Object]float64) (
	matching []escape.Diagnostic) {
	for _, d := range diagnostics {
		if matchesObject(d, r.valueOf(d), objects) {
			matching = append(matching, d)
		}
	}
	return matching
}

// valueOf returns what is known of the value that d is on, by the types of its line or of the line in the function that
// is inlined there. Its size is -1 if it is not known, or if several values of the function have the same message.
func (r *compilerReport) valueOf(d escape.Diagnostic) escape.Value {
	if v, known := r.typeOf(d); known {
		return v
	}
	var found []escape.Value
	for _, function := range r.inlinedAt[positionOf(d)] {
		for _, at := range r.messageInFunc[message{function, d.Message}] {
			d.File, d.Line = at.file, at.line
			if v, known := r.typeOf(d); known {
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

// belongsTo reports whether d is about an object of that part, one of the parts of a line. At an inlined call the
// compiler repeats the diagnostics of the callee's lines, and the profile has the callee on the stack. An expression
// around the call may have the same position. Its diagnostic names the call's result, and belongs to the caller unless
// the callee allocated the object, or unless the callee is of this package and has the same diagnostic.
func (r *compilerReport) belongsTo(d escape.Diagnostic, parts []profile.Part, part *profile.Part) bool {
	inlined := r.inlinedAt[positionOf(d)]
	if part.Own() {
		switch {
		case len(inlined) == 0, d.Kind == escape.Moved: // a parameter belongs to the line of the call
			return true
		case r.isVariadicCall(d):
			return true
		case slices.ContainsFunc(inlined, r.isOtherPackage):
			return namesResult(d) && !slices.ContainsFunc(parts, func(p profile.Part) bool { return r.inCallee(d, &p) })
		case namesResult(d):
			return !slices.ContainsFunc(inlined, func(f string) bool { return len(r.messageInFunc[message{f, d.Message}]) > 0 })
		}
		return r.countByMessage[d.Message] == 1 // otherwise it is on a line of the callee, in this package
	}
	return r.inlines(d, part.Callees[0])
}

// inlines reports whether a function is inlined at the position of d.
func (r *compilerReport) inlines(d escape.Diagnostic, function string) bool {
	return slices.Contains(r.inlinedAt[positionOf(d)], escape.WithoutTypes(r.pkg.Names.Short(function)))
}

// isOtherPackage reports whether a function that is inlined is of another package, given its name in the compiler's
// messages: "url.QueryEscape". A method or a closure of this package may look the same, "T.Len" or "F.(*T).M.func1",
// but is also reported where it is declared.
func (r *compilerReport) isOtherPackage(function string) bool {
	return strings.Contains(function, ".") && function[0] != '(' && !r.declaredInline[function]
}

// namesResult reports whether d is on an expression with the result of a function that is inlined there: the compiler
// names it ~r0 (declareParams in cmd/compile/internal/ir/func.go).
func namesResult(d escape.Diagnostic) bool { return strings.Contains(escape.Subject(d), "~r") }

// isVariadicCall reports whether d is about the arguments of a call on its own line, by the types of the line.
func (r *compilerReport) isVariadicCall(d escape.Diagnostic) bool {
	_, known := r.typeOf(d)
	return known && escape.StorageOf(d) == escape.Variadic
}

// inCallee reports whether functions that are inlined at the position of d allocated an object that d matches.
func (r *compilerReport) inCallee(d escape.Diagnostic, part *profile.Part) bool {
	v := r.valueOf(d)
	return !part.Own() && slices.ContainsFunc(part.Paths, func(p profile.Path) bool {
		sizes := maps.Clone(p.Sizes)
		if escape.StorageOf(d) == escape.Array { // the copy of strings.Clone is no slice for its caller
			maps.DeleteFunc(sizes, func(o profile.Object, _ float64) bool { return o.Cause == "runtime.mallocgc" })
		}
		return r.inlinedAll(d, p.Callees) && matchesObject(d, v, sizes)
	})
}

// inlinedAll reports whether all functions of a call path are inlined at the position of d.
func (r *compilerReport) inlinedAll(d escape.Diagnostic, path []string) bool {
	return !slices.ContainsFunc(path, func(f string) bool { return !r.inlines(d, f) })
}

// wasCounted reports whether objects were counted that d matches. The diagnostics of an inlined function are not on what
// the functions allocate that it calls.
func (r *compilerReport) wasCounted(d escape.Diagnostic, part *profile.Part) bool {
	if part.Own() {
		return matchesObject(d, r.valueOf(d), part.Sizes)
	}
	return r.inCallee(d, part)
}

// matchesObject reports whether one of the objects has the cause and the size of the value v that d is on.
func matchesObject(d escape.Diagnostic, v escape.Value, objects map[profile.Object]float64) bool {
	for o, n := range objects {
		if n > 0 && v.Size != 0 && (v.Size < 0 || fits(v, o.Size)) && allocatedBy(o.Cause, d, v) {
			return true
		}
	}
	return false
}

// allocatedBy reports whether compiled code calls a function of the runtime for the value that d is on, or may do so if
// the function is not known.
func allocatedBy(cause string, d escape.Diagnostic, v escape.Value) bool {
	if cause == profile.Unknown {
		return true
	}
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
	case size <= 256: // in size classes of 16 bytes
		return v.Size <= size && size-v.Size < 16
	}
	return v.Size <= size && size-v.Size <= max(16, v.Size/6+header)
}

// allocators returns prefixes of the functions of the runtime that compiled code calls for the value that d is on.
func allocators(d escape.Diagnostic) []string {
	if d.Kind == escape.Moved {
		// Variables without pointers of at most 16 bytes in all share an object, made by mallocgc: see
		// maxAggregatedHeapAllocation in cmd/compile/internal/ssagen.
		return []string{profile.NewObject, "runtime.mallocgc"}
	}
	if functions, ok := allocatorsOf[escape.StorageOf(d)]; ok {
		return functions
	}
	return []string{"runtime."} // the message does not identify what is allocated
}

var allocatorsOf = map[escape.Storage][]string{
	escape.Append: {"runtime.growslice", "runtime.moveSlice"},
	// The array of make and copy in one is made by mallocgc if it has no pointers.
	escape.Array:         {"runtime.makeslice", "runtime.mallocgc", profile.NewObject},
	escape.Pointee:       {profile.NewObject},
	escape.Closure:       {profile.NewObject},
	escape.Variadic:      {profile.NewObject},
	escape.Map:           {"runtime.makemap", "runtime.mapassign", profile.NewObject},
	escape.Channel:       {"runtime.makechan"},
	escape.Concatenation: {"runtime.concat"},
	// A constant string is copied into a new array.
	escape.Conversion: {"runtime.slicebytetostring", "runtime.stringtoslice", "runtime.slicerunetostring",
		"runtime.intstring", "runtime.concatbyte", profile.NewObject},
	escape.Boxed: {"runtime.convT", profile.NewObject},
}
