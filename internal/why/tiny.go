package why

import (
	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// mayBeTiny reports whether a value can be in a block of tiny objects.
func mayBeTiny(v escape.Value) bool { return !v.Pointers && v.Size != 0 && v.Size < profile.TinyBlock }

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

// mayBeTiny reports whether objects of a part, one of the parts of a line, may be blocks of tiny objects, given the
// types of the values that the compiler reports on the line.
func (r *compilerReport) mayBeTiny(o profile.Object, at sourceLine, parts []profile.Part, part *profile.Part) bool {
	some, tiny := false, false
	for _, d := range r.byLine[at] {
		if d.Kind == escape.Stays && !mayAllocate(d) {
			continue
		}
		if v, known := r.typeOf(d); r.belongsTo(d, parts, part) && allocatedBy(o.Cause, d, v) {
			some, tiny = true, tiny || !known || mayBeTiny(v)
		}
	}
	return profile.MayBeTiny(o.Cause, o.Size) && (tiny || !some)
}

// mayAllocate reports whether a value that does not escape may be allocated all the same, if it is too large for the
// stack. A parameter is never allocated where it does not escape.
func mayAllocate(d escape.Diagnostic) bool {
	switch escape.StorageOf(d) {
	case escape.Append, escape.Array, escape.Map, escape.Concatenation, escape.Conversion:
		return true
	}
	return false
}
