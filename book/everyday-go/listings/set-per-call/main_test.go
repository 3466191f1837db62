package main

func Example() {
	main()
	// Output:
	// made: 7 allocs
	// kept: 0 allocs
}
