package main

func Example() {
	main()
	// Output:
	// once: 0 allocs
	// each: 3 allocs
}
