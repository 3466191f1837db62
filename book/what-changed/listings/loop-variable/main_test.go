package main

func Example() {
	main()
	// Output:
	// functions: 4 allocs, the first says 0
	// pointers:  5 allocs, the first says 0
}
