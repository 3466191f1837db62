//go:build go1.23

package testmain

import _ "unsafe" // for linkname

// publish is the function that package runtime/pprof uses instead of runtime.MemProfile. The stacks of the latter end
// at the 32nd call, and the package's line may be further out. Package runtime/pprof itself is too large to link. The
// records may have another layout in another release, see published_go128.go. Package runtime keeps the name for
// runtime/pprof alone; https://go.dev/issue/67401 is about such names.
//
//go:linkname publish runtime.pprof_memProfileInternal
func publish(p []published, inuseZero bool) (n int, ok bool)
