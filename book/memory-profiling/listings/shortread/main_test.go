package main

// Four digits of the PIN stay behind in the window and reach the output.
func Example() {
	main()
	// Output:
	// PIN *****.1415
}
