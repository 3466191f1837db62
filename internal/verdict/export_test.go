package verdict

// Causes returns the functions of the runtime that the allocation's line called to allocate, most objects first.
func Causes(a Allocation) (functions []string) {
	for _, c := range a.causes {
		functions = append(functions, c.Func)
	}
	return functions
}

// Policy returns what the policy stage refuses, and the files that it cannot check.
var Policy = policy
