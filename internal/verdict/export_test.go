package verdict

import "onthestack/internal/exercise"

// Policy returns what the policy stage refuses, and the files that it cannot check.
func Policy(e *exercise.Exercise, edited map[string][]byte) (problems, unparsed []Problem) {
	p := solution(e, edited)
	p.parse()
	return policy(e, edited, p)
}
