package why

import (
	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// mayBeTiny reports whether a value can be in a block of tiny objects.
func mayBeTiny(v escape.Value) bool { return !v.Pointers && v.Size != 0 && v.Size < profile.TinyBlock }

// countSmall sets l.Small, and returns how many other objects of the line are under 16 bytes, because they have
// pointers.
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

// mayHaveNoPointers reports whether objects of a part of at most 16 bytes may have no pointers, given the types of the
// values that the compiler reports on the line.
func (r *compilerReport) mayHaveNoPointers(
	o profile.Object,
	at sourceLine,
	parts []profile.Part,
	part *profile.Part,
) bool {
	some, tiny := false, false
	for _, d := range r.byLine[at] {
		if d.Kind == escape.Stays && !mayAllocate(d) {
			continue
		}
		if v, known := r.typeOf(d); r.belongsTo(d, parts, part) && allocatedBy(o.Cause, d, v) {
			some, tiny = true, tiny || !known || mayBeTiny(v)
		}
	}
	return tiny || !some
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
