package verdict

import "strings"

// Outermost returns the name of the declared function that a function or closure stands in, given its name in an Allocation:
// "Replace" for "Replace.func1", "Replace-range1" and "Replace.gowrap2".
func Outermost(function string) string {
	end := len(function)
	for _, mark := range []string{".func", ".gowrap", ".deferwrap", "-"} { // closureName in cmd/compile/internal/ir/func.go
		if i := strings.Index(function, mark); i > 0 {
			end = min(end, i)
		}
	}
	return function[:end]
}
