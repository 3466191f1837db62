package main

func Example() {
	main()
	// Output:
	// increment: 1 allocs
	// pointer:   0 allocs
	// look up:   0 allocs
}
