package main

func Example() {
	main()
	// Output:
	// part:  4096 bytes for each id
	// clone: 16 bytes for each id
}
