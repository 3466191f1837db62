package main

func Example() {
	main()
	// Output:
	// meter: 1 allocs
	// lamp:  1 allocs
}
