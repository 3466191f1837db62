package verdict

import (
	"slices"

	"onthestack/internal/escape"
)

// mostFollowed bounds how many functions a value is followed into.
const mostFollowed = 8

// follow returns the steps of a flow and, if it ends where the value is passed to a function of the package "which may
// keep it", those in that function too, up to the assignment that does keep it. It stops where a function may keep
// several of its parameters, because the compiler does not say which of them the value is.
func (r *compilerReport) follow(flow []escape.Step) []escape.Step {
	flow = slices.Clip(flow)
	followed := []string{}
	for len(flow) > 0 && len(followed) < mostFollowed {
		callee, ok := escape.KeptBy(flow[len(flow)-1])
		leaks := r.leaks[callee]
		if !ok || len(leaks) != 1 || slices.Contains(followed, callee) {
			break
		}
		followed = append(followed, callee)
		flow = append(flow, escape.Reasons(leaks[0])...)
	}
	return flow
}
