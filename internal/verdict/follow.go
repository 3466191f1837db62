package verdict

import (
	"slices"
	"strings"

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
		callee, ok := keeper(flow[len(flow)-1].Message)
		leaks := r.leaks[callee]
		if !ok || len(leaks) != 1 || slices.Contains(followed, callee) {
			break
		}
		followed = append(followed, callee)
		flow = append(flow, escape.Reasons(leaks[0])...)
	}
	return flow
}

// keeper returns the function that may keep a value, according to the last step of its flow.
func keeper(message string) (function string, ok bool) {
	message, ok = strings.CutSuffix(message, ", which may keep it")
	if !ok {
		return "", false
	}
	for _, before := range []string{" passes it to ", "passed to "} {
		if i := strings.LastIndex(message, before); i >= 0 {
			return message[i+len(before):], true
		}
	}
	return "", false
}
