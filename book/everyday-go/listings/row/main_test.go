package main

func Example() {
	main()
	// Output:
	// Fprintf: 3 allocs
	// append:  0 allocs
}
