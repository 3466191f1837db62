package main

func Example() {
	main()
	// Output:
	// a string, then written:  1 allocs
	// into the space left:     0 allocs
}
