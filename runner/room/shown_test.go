package room

import (
	"testing"

	"onthestack/internal/verdict"
)

// TestShown tests which figures stand beside somebody's work, and that a check whose code is handed in is one attempt,
// whichever of its two events came first.
func TestShown(t *testing.T) {
	check := func(id string, allocs float64) Event {
		return Event{Kind: Checked, Participant: "ada1", Exercise: "exercise6", Check: id,
			Progress: &Progress{Stage: "benchmark", Allocs: allocs, Target: 1, Hints: 2}}
	}
	hand := func(id, check string) Event {
		return Event{Kind: Submitted, Participant: "ada1", Exercise: "exercise6", Submission: id, Check: check}
	}
	grade := func(id string, pass bool, allocs float64) Event {
		return Event{Kind: Graded, Submission: id, Grade: &Grade{Pass: pass, Progress: Progress{Allocs: allocs, Target: 1}}}
	}
	for name, c := range map[string]struct {
		events   []Event
		allocs   float64
		of       string
		attempts int
	}{
		"a check":                        {[]Event{check("1", 5)}, 5, OfCheck, 1},
		"a check by an older page":       {[]Event{check("", 5), hand("a", "")}, 0, "", 2},
		"a check, handed in":             {[]Event{check("1", 5), hand("a", "1")}, 5, OfCheck, 1},
		"handed in, and then its report": {[]Event{hand("a", "1"), check("1", 5)}, 5, OfCheck, 1},
		"handed in without a check":      {[]Event{check("1", 5), hand("a", "")}, 0, "", 2},
		"that did not pass":              {[]Event{check("1", 5), hand("a", ""), grade("a", false, 3)}, 3, OfSubmission, 2},
		"checked again since":            {[]Event{hand("a", ""), grade("a", false, 3), check("2", 4)}, 4, OfCheck, 2},
		"graded before its report": {[]Event{hand("a", "1"), grade("a", false, 3), check("1", 3)}, 3,
			OfSubmission, 1},
		"passed, and checked again":        {[]Event{hand("a", "1"), grade("a", true, 1), check("2", 9)}, 1, OfSubmission, 2},
		"passed, and handed in again":      {[]Event{hand("a", ""), grade("a", true, 1), hand("b", "")}, 1, OfSubmission, 2},
		"the same code handed in again":    {[]Event{check("1", 5), hand("a", "1"), hand("b", "1")}, 5, OfCheck, 1},
		"a failure of the server, unknown": {[]Event{hand("a", ""), {Kind: Failed, Submission: "a"}}, 0, "", 1},
	} {
		r := roomOf(append([]Event{created, joined}, c.events...)...)
		w := r.Participants["ada1"].Work["exercise6"]
		p, of := r.Shown(w)
		if p.Allocs != c.allocs || of != c.of || w.Attempts != c.attempts || p.Hints != w.Hints {
			t.Errorf("%s: %v allocs of %q, %d attempts, want %v of %q, %d", name, p.Allocs, of, w.Attempts, c.allocs, c.of,
				c.attempts)
		}
	}
}

// TestProgressOf tests that the figures come from the benchmark that is farthest above its target, as in the page.
func TestProgressOf(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	v := &verdict.Verdict{Stage: verdict.StageBenchmark, Benchmarks: []verdict.Benchmark{
		{AllocsPerOp: 2, TargetAllocs: number(1)}, {AllocsPerOp: 9, TargetAllocs: number(3)},
		{AllocsPerOp: 50}, {AllocsPerOp: 5, TargetAllocs: number(5), LiveBytesPerOp: number(104.2),
			TargetLiveBytes: number(72)},
	}, Advice: []verdict.Advice{{Kind: verdict.AdviseTests}, {Kind: verdict.AdviseMistake, Mistake: "five"}}}
	want := Progress{Stage: "benchmark", Allocs: 9, Target: 3, Live: 104.2, TargetLive: 72, Mistake: "five"}
	if got := ProgressOf(v); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := ProgressOf(&verdict.Verdict{Stage: verdict.StageBuild}); got != (Progress{Stage: "build"}) {
		t.Errorf("%+v", got)
	}
}
