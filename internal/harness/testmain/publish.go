//go:build go1.23 && !go1.28

package testmain

import _ "unsafe" // for linkname

// publish is the function that package runtime/pprof uses instead of runtime.MemProfile. The stacks of the latter end
// at the 32nd call, and the package's line may be further out. Package runtime/pprof itself is too large to link. The
// function may change in another release, hence the build constraint.
//
//go:linkname publish runtime.pprof_memProfileInternal
func publish(p []published, inuseZero bool) (n int, ok bool)
