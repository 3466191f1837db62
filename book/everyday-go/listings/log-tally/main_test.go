package main

func Example() {
	main()
	// Output:
	// Fields: 43 allocs
	// Cut:    1 allocs
}
