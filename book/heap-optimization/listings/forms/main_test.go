package main

func Example() {
	main()
	// Output:
	// a struct                                  0 allocs for 4 lamps
	// an interface, of one type                 0 allocs for 4 lamps
	// an interface, of one type or another      4 allocs for 4 lamps
	// an interface, from an interface's method  4 allocs for 4 lamps
	// an interface that is kept                 4 allocs for 4 lamps
}
