package main

func Example() {
	main()
	// Output:
	// soup soup soup
}
