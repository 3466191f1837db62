package main

func Example() {
	main()
	// Output:
	// collections: 0  made: 1
	// collections: 1  made: 1
	// collections: 2  made: 2
}
