package main

func Example() {
	main()
	// Output:
	// no size: 8 0 allocs
	// for 90:  8 3 allocs
}
