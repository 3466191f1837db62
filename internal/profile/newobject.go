package profile

import "strings"

// NewObject is the cause of an object whose size is known at compile time: new(T), &T{}, a variable that moved to the
// heap, a closure, the array of a slice literal. It stands for every function that compiled code calls for such an
// object; see isNewObject.
const NewObject = "runtime.newobject"

// isNewObject reports whether compiled code calls this function of the runtime for an object whose size is known at
// compile time.
//
// Up to Go 1.26 that is runtime.newobject alone. Since Go 1.27 (GOEXPERIMENT=sizespecializedmalloc, which is on unless
// switched off) compiled code calls a function for the object's size class instead, if the object has at most 80 bytes
// and the build does not instrument memory accesses, as -race does: see specializedMallocSym in
// cmd/compile/internal/ssagen/ssa.go. The complete list for Go 1.27.4 is in runtime/malloc_generated.go:
//
//	mallocgcTinySC2                      without pointers, less than 16 bytes
//	mallocgcSmallNoScanSC2 to SC7        without pointers, 16 to 80 bytes
//	mallocgcSmallScanNoHeaderSC1 to SC7  with pointers, up to 80 bytes
//
// The prefixes are the same as in isSpecializedMalloc in cmd/compile/internal/ssa/rewrite.go. These names are rare in a
// profile: mProf_Malloc (runtime/mprof.go) leaves out the three innermost frames, the outermost of which is the
// function that allocated the object. The stack then begins with that function's caller. Only while the garbage
// collector marks does the function call a slow path, whose frame is left out in its place.
func isNewObject(name string) bool {
	return name == NewObject ||
		strings.HasPrefix(name, "runtime.mallocgcTinySC") ||
		strings.HasPrefix(name, "runtime.mallocgcSmallNoScanSC") ||
		strings.HasPrefix(name, "runtime.mallocgcSmallScanNoHeaderSC")
}
