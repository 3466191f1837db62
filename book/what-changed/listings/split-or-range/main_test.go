package main

func Example() {
	main()
	// Output:
	// Split:    1 allocs
	// SplitSeq: 0 allocs
}
