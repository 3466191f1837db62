package main

func Example() {
	main()
	// Output:
	// down     0 allocs
	// up       1 allocs
	// value    0 allocs
	// inlined  0 allocs
}
