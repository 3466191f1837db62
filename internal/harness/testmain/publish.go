//go:build go1.23 && !go1.28

package testmain

import _ "unsafe" // for linkname

// publish is what package runtime/pprof has in the place of runtime.MemProfile, whose stacks end at the 32nd call: the
// line of the package may be further out. That package itself is too much to link. Another release may have it
// otherwise, hence the constraint.
//
//go:linkname publish runtime.pprof_memProfileInternal
func publish(p []published, inuseZero bool) (n int, ok bool)
