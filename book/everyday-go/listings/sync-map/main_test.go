package main

func Example() {
	main()
	// Output:
	// Load:  0 allocs
	// Store: 3 allocs
}
