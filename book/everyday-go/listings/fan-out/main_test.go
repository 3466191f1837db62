package main

func Example() {
	main()
	// Output:
	// each:    65 allocs
	// workers: 3 allocs
}
