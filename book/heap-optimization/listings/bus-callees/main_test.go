package main

func Example() {
	main()
	// Output:
	// a method of *tank:         0 allocs
	// a method of an interface:  1 allocs
	// a func value:              1 allocs
}
