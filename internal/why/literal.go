package why

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// allocatedElsewhere reports whether objects that d matches were counted on the line of a function that is inlined at
// the position of d: the compiler repeats the diagnostics of that function's lines there. A closure that it makes of a
// range over a function has no line but the call's.
func (r *compilerReport) allocatedElsewhere(l *line, d escape.Diagnostic) bool {
	if escape.StorageOf(d) == escape.Closure {
		return false
	}
	lines := 0
	for _, function := range r.inlinedAt[positionOf(d)] {
		for _, at := range r.messageInFunc[message{function, d.Message}] {
			if !r.countedAt(l, at, d) {
				return false
			}
			lines++
		}
	}
	return lines > 0
}

// countedAt reports whether the benchmark of l allocates objects on another line that d matches.
func (r *compilerReport) countedAt(l *line, at sourceLine, d escape.Diagnostic) bool {
	if at == (sourceLine{l.File, l.Line}) {
		return false
	}
	d.File, d.Line = at.file, at.line // the types of that line are known
	return slices.ContainsFunc(r.lines, func(other line) bool {
		return other.Benchmark == l.Benchmark && other.File == at.file && other.Line == at.line &&
			slices.ContainsFunc(other.parts, func(p profile.Part) bool {
				return p.Own() && matchesObject(d, r.valueOf(d), p.Sizes)
			})
	})
}

// inMaps returns the diagnostics on literals that are keys and values of the map literals which found has. The compiler
// allocates these on the line where the map literal begins, unless they are pointers.
func (r *compilerReport) inMaps(l *line, part *profile.Part, found []escape.Diagnostic) (in []escape.Diagnostic) {
	for _, m := range found {
		if escape.StorageOf(m) != escape.Map {
			continue
		}
		for _, brace := range r.literalsIn(m) {
			for _, d := range r.byLine[brace.sourceLine] {
				if brace.line > l.Line && d.Col == brace.col && d.Func == m.Func && IsHeapDiagnostic(d) &&
					escape.StorageOf(d) == escape.Array && !r.countedAt(l, brace.sourceLine, d) &&
					matchesObject(d, r.valueOf(d), part.Sizes) {
					in = append(in, d)
				}
			}
		}
	}
	return in
}

// maxMerged is the size in bytes of the objects that the compiler makes of several variables without pointers:
// maxAggregatedHeapAllocation in cmd/compile/internal/ssagen.
const maxMerged = 16

// merged returns the diagnostics on variables of other lines that share an object with a variable in found. The object
// is allocated on the line of the first.
func (r *compilerReport) merged(
	l *line,
	part *profile.Part,
	found []escape.Diagnostic,
) (more []escape.Diagnostic) {
	small := func(d escape.Diagnostic) (size int64, function string) {
		if v := r.valueOf(d); d.Kind == escape.Moved && v.Size > 0 && !v.Pointers {
			return v.Size, d.Func
		}
		return maxMerged, ""
	}
	one := false // such objects are made by mallocgc, and the object of a single variable by newobject
	for o := range part.Sizes {
		one = one || strings.HasPrefix(o.Cause, "runtime.mallocgc") && o.Size <= maxMerged
	}
	if !one || len(found) == 0 {
		return nil
	}
	total, function := small(found[0])
	for _, d := range r.moved {
		size, in := small(d)
		if d.File == l.File && d.Line > l.Line && in == function && total+size <= maxMerged &&
			!r.countedAt(l, sourceLine{d.File, d.Line}, d) {
			more, total = append(more, d), total+size
		}
	}
	return more
}

// literalsIn returns the positions of the composite literals that the one at the position of d has as elements, keys
// and values, and of theirs. A literal is at the position of its brace.
func (r *compilerReport) literalsIn(d escape.Diagnostic) (braces []position) {
	file := r.pkg.file(d.File)
	if file == nil || r.lines == nil {
		return nil
	}
	end := token.NoPos // of that literal, once it is found
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.ParenExpr:
			return !end.IsValid() // what a call gets is no part of the literal
		case *ast.CompositeLit:
			brace := r.pkg.Fset.Position(n.Lbrace)
			switch at := (position{sourceLine{d.File, brace.Line}, brace.Column}); {
			case at == positionOf(d):
				end = n.End()
			case n.End() <= end:
				braces = append(braces, at)
			}
		}
		return true
	})
	return braces
}
