package advice

import (
	"slices"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// mistake returns the likely mistake that the files or the figures match; nil if none or several do. Figures say
// nothing if the starter has the same. A check that fails before the benchmark, or in one that confirms a pass, can
// fail for too many reasons, so there only the code counts.
func mistake(e *exercise.Exercise, v *verdict.Verdict, files map[string][]byte) *exercise.Mistake {
	if v.Pass || len(e.Mistakes) == 0 {
		return nil
	}
	edited := map[string][]byte{}
	for _, name := range e.Edit {
		edited[name] = files[name]
	}
	code := exercise.Fingerprint(edited)
	if i := slices.IndexFunc(e.Mistakes, func(m exercise.Mistake) bool { return m.Code == code }); i >= 0 {
		return &e.Mistakes[i]
	}
	if v.Stage != verdict.StageBenchmark || len(v.Benchmarks) == 0 {
		return nil
	}
	var now, starter []exercise.MistakeFigure
	for _, b := range v.Benchmarks {
		if b.Confirms != "" {
			return nil
		}
		now = append(now, shown(b.Name, b.AllocsPerOp, b.BytesPerOp))
	}
	if e.Figures != nil {
		for _, f := range e.Figures.Starter {
			starter = append(starter, shown(f.Name, f.AllocsPerOp, f.BytesPerOp))
		}
	}
	if same(now, starter) {
		return nil
	}
	var found *exercise.Mistake
	for i, m := range e.Mistakes {
		if same(m.Figures, now) {
			if found != nil {
				return nil
			}
			found = &e.Mistakes[i]
		}
	}
	return found
}

// shown returns a measurement as a reader sees it.
func shown(name string, allocs, bytes float64) exercise.MistakeFigure {
	return exercise.MistakeFigure{Name: name, Allocs: verdict.FormatCount(allocs), Bytes: verdict.FormatBytes(bytes)}
}

// same reports whether two lists have the same measurements, in any order.
func same(a, b []exercise.MistakeFigure) bool {
	sorted := func(list []exercise.MistakeFigure) []exercise.MistakeFigure {
		return slices.SortedFunc(slices.Values(list), func(a, b exercise.MistakeFigure) int {
			return strings.Compare(a.Name, b.Name)
		})
	}
	return slices.Equal(sorted(a), sorted(b))
}
