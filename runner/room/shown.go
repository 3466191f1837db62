package room

import (
	"slices"

	"onthestack/internal/verdict"
)

// What the figures of somebody's work are of.
const (
	OfCheck      = "check"      // the last check in the participant's page
	OfSubmission = "submission" // a submission that the server has graded
)

// Shown returns the stage and the figures to show of somebody's work on an exercise, and what they are of: the
// submission that counts if it passed, or else the newer one of the last check and the last submission. There are none
// of a submission that is not graded, unless its code was checked before; of is "" then.
func (r *Room) Shown(w *Work) (p Progress, of string) {
	last := r.Submissions[w.Last()]
	switch {
	case w.Passed:
		p, of = r.Submissions[w.Best].Grade.Progress, OfSubmission
	case last == nil || w.Newer:
		p, of = w.Progress, OfCheck
	case last.State == StateGraded:
		p, of = last.Grade.Progress, OfSubmission
	case last.Check != "" && last.Check == w.Check:
		p, of = w.Progress, OfCheck
	}
	p.Hints = w.Hints
	return p, of
}

// counted reports whether a check was counted as an attempt: a page reports the check, and hands in the same code.
func (r *Room) counted(w *Work, check string) bool {
	return check != "" && (w.Check == check ||
		slices.ContainsFunc(w.All, func(id string) bool { return r.Submissions[id].Check == check }))
}

// ProgressOf returns what a verdict shows. Of several benchmarks it is the one that is farthest above its target.
func ProgressOf(v *verdict.Verdict) Progress {
	p := Progress{Stage: v.Stage}
	above, found := 0.0, false
	for _, b := range v.Benchmarks {
		if b.TargetAllocs != nil {
			if d := b.AllocsPerOp - *b.TargetAllocs; !found || d > above {
				above, found = d, true
				p.Allocs, p.Target = b.AllocsPerOp, *b.TargetAllocs
			}
		}
		if b.TargetLiveBytes != nil && b.LiveBytesPerOp != nil && p.TargetLive == 0 {
			p.Live, p.TargetLive = *b.LiveBytesPerOp, *b.TargetLiveBytes
		}
	}
	if v.Stage == verdict.StageTests {
		p.Test = failedTest(v.Tests.Output)
	}
	for _, a := range v.Advice {
		if a.Kind == verdict.AdviseMistake {
			p.Mistake = a.Mistake
			break
		}
	}
	return p
}
