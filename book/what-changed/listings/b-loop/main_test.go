package main

func Example() {
	main()
	// Output:
	// b.N:    0 allocs
	// b.Loop: 0 allocs
}
