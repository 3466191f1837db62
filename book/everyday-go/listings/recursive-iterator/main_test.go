package main

func Example() {
	main()
	// Output:
	// nested: 120 74 allocs
	// pushed: 120 0 allocs
}
