package profile

import "strings"

// NewObject is the cause of an object whose size is known when it is compiled: new(T), &T{}, a variable that moved to the heap, a
// closure, the array of a slice literal. It stands for every function that compiled code calls for one; see isNewObject.
const NewObject = "runtime.newobject"

// isNewObject reports whether a function of the runtime is called for an object whose size is known when it is compiled.
//
// Up to Go 1.26 that is runtime.newobject alone. Since Go 1.27 (GOEXPERIMENT=sizespecializedmalloc, which is on unless switched
// off) compiled code calls a function for the object's size class instead, if the object has at most 80 bytes and the build does
// not instrument memory accesses, as -race does: see specializedMallocSym in cmd/compile/internal/ssagen/ssa.go. The complete list
// for Go 1.27.4 is in runtime/malloc_generated.go:
//
//	mallocgcTinySC2                      without pointers, less than 16 bytes
//	mallocgcSmallNoScanSC2 to SC7        without pointers, 16 to 80 bytes
//	mallocgcSmallScanNoHeaderSC1 to SC7  with pointers, up to 80 bytes
//
// The prefixes are those of isSpecializedMalloc in cmd/compile/internal/ssa/rewrite.go. These names are rare in a profile:
// mProf_Malloc (runtime/mprof.go) leaves out the three innermost frames, of which the function that made the object is the last.
// The stack then begins with the code that called it. Only while the garbage collector marks does the function hand on to a slow
// path, which is left out in its place.
func isNewObject(name string) bool {
	return name == NewObject ||
		strings.HasPrefix(name, "runtime.mallocgcTinySC") ||
		strings.HasPrefix(name, "runtime.mallocgcSmallNoScanSC") ||
		strings.HasPrefix(name, "runtime.mallocgcSmallScanNoHeaderSC")
}
