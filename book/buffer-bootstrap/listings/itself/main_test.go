package main

func Example() {
	main()
	// Output:
	// the array inside, by a variable:  0 allocs
	// the array inside, by a pointer:   1 allocs
	// the array beside, by a pointer:   0 allocs
}
