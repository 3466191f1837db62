package present

import "onthestack/internal/verdict"

// A Stage is a stage of a check, with the word for its result.
type Stage struct{ Name, State string }

// The states of a stage. Pages show the same words: "make generate" writes them to web/src/go/runner.ts.
const (
	StageOK         = "ok"
	StageNotYet     = "not yet"
	StageNotReached = "not reached"
)

// Stages returns the stages of a check in their order.
func Stages(v *verdict.Verdict) []Stage {
	var all []Stage
	state := StageOK
	for _, name := range verdict.Stages() {
		if v.Stage == name {
			all = append(all, Stage{name, StageNotYet})
			state = StageNotReached
			continue
		}
		all = append(all, Stage{name, state})
	}
	return all
}
