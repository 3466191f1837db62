package main

func Example() {
	main()
	// Output:
	// slices:   1 allocs
	// pointers: 0 allocs
}
