package main

func Example() {
	main()
	// Output:
	// hello, Ada
	// hello, Bob
}
