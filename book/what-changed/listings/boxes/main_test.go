package main

func Example() {
	main()
	// Output:
	// a small int: 0 allocs
	// a larger int: 1 allocs
	// an empty string: 0 allocs
	// a constant: 0 allocs
}
