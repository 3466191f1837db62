package main

func Example() {
	main()
	// Output:
	// true 0 allocs
}
