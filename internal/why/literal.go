package why

import (
	"bytes"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/profile"
)

// allocatedElsewhere reports whether objects that d announces were counted on the line that d is about in a function
// which is inlined at the position of d: the compiler repeats the diagnostics of that function's lines there. Closures
// that it makes of a range over a function have no line but that of the call.
func (r *compilerReport) allocatedElsewhere(a *line, d escape.Diagnostic) bool {
	if escape.StorageOf(d) == escape.Closure {
		return false
	}
	lines := 0
	for _, function := range r.inlined[positionOf(d)] {
		for _, at := range r.saidIn[message{function, d.Message}] {
			if !r.countedAt(a, at, d) {
				return false
			}
			lines++
		}
	}
	return lines > 0
}

// countedAt reports whether the benchmark of a allocates objects on another line, of the kind and the size that d
// announces.
func (r *compilerReport) countedAt(a *line, at sourceLine, d escape.Diagnostic) bool {
	if at == (sourceLine{a.File, a.Line}) {
		return false
	}
	d.File, d.Line = at.file, at.line // the types of that line are known
	return slices.ContainsFunc(r.lines, func(other line) bool {
		return other.Benchmark == a.Benchmark && other.File == at.file && other.Line == at.line &&
			slices.ContainsFunc(other.parts, func(p profile.Part) bool {
				return p.Own() && announces(d, r.sized(d), p.Sizes)
			})
	})
}

// inMaps returns the diagnostics on literals that are keys and values of the map literals which found has. The compiler
// allocates these on the line where the map literal begins, unless they are pointers.
func (r *compilerReport) inMaps(a *line, part *profile.Part, found []escape.Diagnostic) (in []escape.Diagnostic) {
	for _, m := range found {
		if escape.StorageOf(m) != escape.Map {
			continue
		}
		for _, brace := range r.literalsIn(m) {
			for _, d := range r.of[brace.sourceLine] {
				if brace.line > a.Line && d.Col == brace.col && d.Func == m.Func && IsHeapDiagnostic(d) &&
					escape.StorageOf(d) == escape.Array && !r.countedAt(a, brace.sourceLine, d) &&
					announces(d, r.sized(d), part.Sizes) {
					in = append(in, d)
				}
			}
		}
	}
	return in
}

// mostMerged is the size in bytes of the objects that the compiler makes of several variables without pointers:
// maxAggregatedHeapAllocation in cmd/compile/internal/ssagen.
const mostMerged = 16

// merged returns the diagnostics on variables of other lines that share an object with a variable in found. The object
// is allocated on the line of the first.
func (r *compilerReport) merged(
	a *line,
	part *profile.Part,
	found []escape.Diagnostic,
) (more []escape.Diagnostic) {
	small := func(d escape.Diagnostic) (size int64, function string) {
		if v := r.sized(d); d.Kind == escape.Moved && v.Size > 0 && !v.Pointers {
			return v.Size, d.Func
		}
		return mostMerged, ""
	}
	one := false // such objects are made by mallocgc, and those of a single variable by newobject
	for o := range part.Sizes {
		one = one || strings.HasPrefix(o.Cause, "runtime.mallocgc") && o.Size <= mostMerged
	}
	if !one || len(found) == 0 {
		return nil
	}
	total, function := small(found[0])
	for _, d := range r.moved {
		size, in := small(d)
		if d.File == a.File && d.Line > a.Line && in == function && total+size <= mostMerged &&
			!r.countedAt(a, sourceLine{d.File, d.Line}, d) {
			more, total = append(more, d), total+size
		}
	}
	return more
}

// literalsIn returns the positions of the composite literals that the one at the position of d has as elements, keys
// and values, and of theirs. The position of a literal is that of its brace.
func (r *compilerReport) literalsIn(d escape.Diagnostic) (braces []position) {
	text := r.files[d.File]
	for range d.Line - 1 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	if d.Col < 1 || d.Col > len(text) || text[d.Col-1] != '{' {
		return nil
	}
	file := token.NewFileSet().AddFile("", -1, len(text)-d.Col+1)
	var s scanner.Scanner
	s.Init(file, text[d.Col-1:], nil, 0)
	for literals, calls := 0, 0; ; {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.LPAREN:
			calls++
		case token.RPAREN:
			calls--
		case token.LBRACE:
			if literals++; literals > 1 && calls == 0 {
				at := file.Position(pos)
				if at.Line == 1 {
					at.Column += d.Col - 1
				}
				braces = append(braces, position{sourceLine{d.File, d.Line + at.Line - 1}, at.Column})
			}
		case token.RBRACE:
			literals--
		}
		if literals == 0 || tok == token.EOF {
			return braces
		}
	}
}
