package main

func Example() {
	main()
	// Output:
	// Errorf:   3 allocs
	// constant: 0 allocs
	// ok:       0 allocs
}
