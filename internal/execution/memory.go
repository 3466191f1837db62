package execution

import "regexp"

// outOfMemory matches a line that Go's runtime, or a process that it has started, prints when it gets no more memory.
// The texts are from runtime/malloc.go, mem_linux.go and os_linux.go, and from runtime/cgo; the last one is strerror's
// for ENOMEM. A program's source cannot imitate them: where a message quotes text from the source, a quotation mark
// precedes that text.
var outOfMemory = regexp.MustCompile(
	"(?m)^(fatal error: |runtime: |runtime/cgo: )[^\"`\\n]*(out of memory|cannot allocate memory|pthread_create failed)" +
		"|^runtime: failed to create new OS thread" +
		"|^[^\"`\\n]*cannot allocate memory$")

// OutOfMemory reports whether a process printed that it, or a process that it has started, gets no more memory.
func OutOfMemory(output []byte) bool { return outOfMemory.Match(output) }
