package lsp

import (
	"bytes"
	"slices"

	"onthestack/internal/escape"
	"onthestack/internal/owncode/suggest"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// figures are the last figures that were measured of the package in a folder.
type figures struct {
	dir     string
	verdict *verdict.Verdict  // nil if it was never measured
	texts   map[string][]byte // the measured texts, by base name
	failed  string            // why the last attempt measured nothing, "" if it did
	// otherText says that the failed attempt was at another text than texts. If texts come back, the figures hold
	// again.
	otherText bool

	suggested *suggest.Result   // nil before "suggest"
	before    map[string][]byte // the texts that suggested is about
}

// A view is figures in terms of the text that the editor shows: its lines are where the text is now.
type view struct {
	verdict *verdict.Verdict // nil if there are none
	stale   string           // why they may no longer hold, "" if they hold
	changed string           // that the text is another one now, "" if it is not
	lines   map[string][]suggest.Change
	texts   map[string][]byte // as they are now
}

// view returns the figures of the package in a folder, as of now.
func (s *server) view(dir string) view {
	f := s.packages[dir]
	if f == nil {
		return view{}
	}
	v := view{verdict: f.verdict, stale: f.failed, lines: map[string][]suggest.Change{}, texts: map[string][]byte{}}
	for base, measured := range f.texts {
		now := s.present(f, base)
		v.texts[base] = now
		if bytes.Equal(measured, now) {
			continue
		}
		v.lines[base] = suggest.Changes(base, measured, now)
		if !bytes.Equal(withoutDirectives(measured), withoutDirectives(now)) {
			v.changed = base + " has changed since"
		}
	}
	if f.failed == "" || f.otherText && v.changed == "" {
		v.stale = v.changed
	}
	if len(v.lines) > 0 {
		v.verdict = v.move(f.verdict)
	}
	return v
}

// move returns a verdict whose lines are where the text is now. Allocations on lines that were deleted are left out.
func (v view) move(old *verdict.Verdict) *verdict.Verdict {
	moved := *old
	moved.Allocations, moved.Escapes = nil, nil
	steps := func(flow []escape.Step) []escape.Step {
		flow = slices.Clone(flow)
		for i := range flow {
			flow[i].Line = lineAfter(v.lines[flow[i].File], flow[i].Line)
		}
		return flow
	}
	for _, a := range old.Allocations {
		if a.Line = lineAfter(v.lines[a.File], a.Line); a.Line == 0 {
			continue
		}
		a.Reasons = slices.Clone(a.Reasons)
		for i := range a.Reasons {
			r := &a.Reasons[i]
			r.Line, r.Flow = lineAfter(v.lines[a.File], r.Line), steps(r.Flow)
		}
		moved.Allocations = append(moved.Allocations, a)
	}
	for _, e := range old.Escapes {
		if e.Line = lineAfter(v.lines[e.File], e.Line); e.Line != 0 {
			e.Flow = steps(e.Flow)
			moved.Escapes = append(moved.Escapes, e)
		}
	}
	return &moved
}

// allocations returns what the lines of a file allocate, by line. The benchmark with the most comes first.
func (v view) allocations(base string) map[int][]verdict.Allocation {
	byLine := map[int][]verdict.Allocation{}
	if v.verdict == nil {
		return byLine
	}
	for _, a := range v.verdict.Allocations {
		if a.File == base && a.Package == "" && (a.AllocsPerOp > 0 || a.BytesPerOp > 0) {
			byLine[a.Line] = append(byLine[a.Line], a)
		}
	}
	return byLine
}

// keep stores what was measured of a package, without the parts that no request needs.
func (s *server) keep(dir string, subject *userpkg.Package, v *verdict.Verdict) {
	stored := *v
	stored.Inside, stored.Names = nil, nil
	stored.Escapes = make([]escape.Diagnostic, len(v.Escapes))
	for i, e := range v.Escapes {
		if !why.IsHeapDiagnostic(e) { // only its line matters
			e = escape.Diagnostic{File: e.File, Line: e.Line, Kind: e.Kind}
		}
		stored.Escapes[i] = e
	}
	f := &figures{dir: dir, verdict: &stored, texts: subject.Texts}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.packages[dir]; old != nil {
		f.suggested, f.before = old.suggested, old.before
	}
	s.remember(f)
}

// remember stores the figures of a package. If it then has figures of too many packages, it forgets another package's
// figures.
func (s *server) remember(f *figures) {
	if s.packages[f.dir] == nil {
		s.order = append(s.order, f.dir)
	}
	s.packages[f.dir] = f
	if len(s.order) > maxPackages {
		delete(s.packages, s.order[0])
		s.order = s.order[1:]
	}
}

// fail records why a package could not be measured. Its last figures stay, as stale. otherText says whether the attempt
// was at another text than the figures: see figures.otherText.
func (s *server) fail(dir, why string, otherText bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.packages[dir]
	if f == nil {
		f = &figures{dir: dir}
		s.remember(f)
	}
	f.failed, f.otherText = why, otherText
}
