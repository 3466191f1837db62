// The race detector gives each tiny object a block of its own.

//go:build !race

package main

func Example() {
	main()
	// Output:
	// a bytes.Buffer has 40 bytes and takes 48.0
	// a window of 5 bytes takes 5.3
	// a window of 16 bytes takes 16.0
	// a window of 40 bytes takes 48.0
}
