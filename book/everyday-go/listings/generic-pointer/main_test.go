package main

func Example() {
	main()
	// Output:
	// generic:  1 allocs
	// into:     0 allocs
	// function: 0 allocs
}
