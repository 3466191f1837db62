package main

func Example() {
	main()
	// Output:
	// inlined: 73 9 allocs
	// called:  73 0 allocs
}
