package main

func Example() {
	main()
	// Output:
	// soup
}
