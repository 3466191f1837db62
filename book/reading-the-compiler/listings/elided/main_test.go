package main

func Example() {
	main()
	// Output:
	// east E
}
