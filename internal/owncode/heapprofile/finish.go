package heapprofile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
)

// finish completes the report: order, units, notes.
func (e *explainer) finish() {
	r := e.report
	if len(r.Lines) == 0 && len(e.lines) > 0 { // nothing was compiled
		e.join(nil)
	}
	for _, o := range e.outside {
		r.Outside = append(r.Outside, *o)
	}
	slices.SortFunc(r.Outside, func(a, b Outside) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Package, b.Package))
	})
	slices.SortFunc(r.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	var paths []string
	for _, m := range e.modules {
		paths = append(paths, m.Path)
	}
	r.Module = strings.Join(paths, ", ")
	r.folders, r.shown, r.main = map[string]string{}, map[string]string{}, map[string]bool{}
	for importPath, meta := range e.byPath {
		r.folders[importPath], r.shown[importPath] = meta.Dir, e.file(importPath, ".")
		r.main[importPath] = slices.ContainsFunc(e.modules, func(m userpkg.Module) bool { return m.Path == meta.Module.Path })
	}
	e.benchmarks()
	e.notes()
	if r.Per != nil {
		n := r.Per.N
		for _, figure := range []*float64{&r.Objects, &r.Bytes, &r.ModuleObjects, &r.ModuleBytes} {
			*figure /= n
		}
		for i := range r.Lines {
			l := &r.Lines[i]
			for _, figure := range []*float64{&l.Objects, &l.Bytes, &l.ObjectsMargin, &l.BytesMargin} {
				*figure /= n
			}
		}
		for i := range r.Outside {
			r.Outside[i].Objects /= n
			r.Outside[i].Bytes /= n
		}
	}
	if !e.InUse && len(e.Labels) == 0 {
		r.Collections = e.profile.collections(r.Bytes, r.Per)
	}
}

func (e *explainer) note(format string, args ...any) {
	e.report.Notes = append(e.report.Notes, fmt.Sprintf(format, args...))
}

// notes says what the figures and the reasons rest on.
func (e *explainer) notes() {
	changed, negative := 0, 0
	for _, l := range e.report.Lines {
		if l.Changed != "" && !isTest(l.File) {
			changed++
		}
		if l.Bytes < 0 {
			negative++
		}
	}
	switch {
	case e.profile.Rate == 0:
		e.note("The profile does not say how many bytes were allocated from sample to sample, so the margins assume %d, the "+
			"runtime's default.", DefaultRate)
	case e.profile.columns[allocObjects] < 0 && e.profile.columns[inUseObjects] < 0:
		e.note("The profile counts bytes and no objects, so that the number of samples is an estimate.")
	}
	switch {
	case e.Binary == nil && len(e.lines) > 0:
		e.note("Without the program (%s FILE) it is not known which function of the runtime was called, so a reason of "+
			"a line may be missing, or one too many.", cmp.Or(e.BinaryFlag, "--binary"))
	case e.Binary != nil && e.Binary.image == nil:
		e.note("The code of %s cannot be read (%s), only how it was built: a reason of a line may be missing.", e.Binary.Name,
			e.Binary.unread)
	}
	if changed > 0 {
		e.note("The sources are not the program's, so %s cannot be explained.", present.Plural(changed, "line"))
	}
	if negative > 0 {
		e.note("The base has more than the profile on %s, where figures are negative.", present.Plural(negative, "line"))
	}
}
