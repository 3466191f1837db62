package main

func Example() {
	main()
	// Output:
	// As: 1 allocs
}
