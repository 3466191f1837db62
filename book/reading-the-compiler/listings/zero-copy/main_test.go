package main

func Example() {
	main()
	// Output:
	// read:   0 allocs
	// change: 1 allocs
}
