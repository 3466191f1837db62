// Package boxing puts values into an interface that outlives the call.
package boxing

// ANCHOR: hold

var held interface{} // a package variable: what it holds is on the heap

// Pointer holds a pointer.
func Pointer(p *int) { held = p }

// Number holds a number.
func Number(n int) { held = n }

// Constant holds a number that the compiler knows.
func Constant() { held = 1000 }

// Text holds a string.
func Text(s string) { held = s }

// List holds a slice.
func List(s []string) { held = s }

// ANCHOR_END: hold
