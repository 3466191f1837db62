package main

func Example() {
	main()
	// Output:
	// append:  4 allocs
	// bounded: 1 allocs
	// counted: 1 allocs
}
