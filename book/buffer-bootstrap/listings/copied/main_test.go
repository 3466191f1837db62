package main

// The copy's slice still points into the original.
func Example() {
	main()
	// Output:
	// Darjeeling 250 g
	// Darjeeling 250 g
}
