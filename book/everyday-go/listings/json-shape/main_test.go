package main

func Example() {
	main()
	// Output:
	// map:    33 allocs
	// struct: 7 allocs
}
