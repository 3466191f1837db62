package main

func Example() {
	main()
	// Output:
	// a 2 [e s]
}
