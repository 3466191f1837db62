package room

import (
	"slices"
	"strings"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// Known returns what p can say about an exercise, or p itself for an exercise that this server does not know. A
// participant's page can send anything, and the instructor and the class read it: a mistake and a test that the exercise
// does not have are left out, figures are left out before the benchmark, and targets are the exercise's.
func (p Progress) Known(e *exercise.Exercise) Progress {
	if e == nil {
		return p
	}
	if !slices.ContainsFunc(e.Mistakes, func(m exercise.Mistake) bool { return m.Name == p.Mistake }) {
		p.Mistake = ""
	}
	if name, _, _ := strings.Cut(p.Test, "/"); !slices.Contains(e.Tests, name) {
		p.Test = ""
	}
	var allocs, live []float64
	for _, b := range e.Benchmarks {
		if allocs = append(allocs, b.Allocs); b.Live != nil {
			live = append(live, *b.Live)
		}
	}
	if p.Stage != "" && p.Stage != verdict.StageBenchmark {
		allocs, live = nil, nil
	}
	p.Allocs, p.Target = knownTarget(p.Allocs, p.Target, allocs)
	p.Live, p.TargetLive = knownTarget(p.Live, p.TargetLive, live)
	return p
}

// knownTarget returns a figure with its target, which is one of targets. It has no figure if there are none, or if the
// page has reported none.
func knownTarget(figure, target float64, targets []float64) (float64, float64) {
	switch {
	case len(targets) == 0 || figure == 0 && target == 0:
		return 0, 0
	case !slices.Contains(targets, target):
		target = targets[0]
	}
	return figure, target
}
