package main

func Example() {
	main()
	// Output:
	// the array inside:  1 allocs
	// the array beside:  2 allocs
}
