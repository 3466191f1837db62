package verdict

import "onthestack/internal/exercise"

// Refused returns the verdict on a solution of e whose files are not read: file, or the folder around it, is not what a check reads, as
// why says with what to do. It fails at the policy stage.
func (c Checker) Refused(e *exercise.Exercise, file, why string) *Verdict {
	v := c.verdict(e.ID, e.Title)
	v.Stage = StagePolicy
	v.Errors = append(v.Errors, Problem{File: file, Message: why})
	return v
}
