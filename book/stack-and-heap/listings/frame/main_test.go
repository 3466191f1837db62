package main

func Example() {
	main()
	// Output:
	// 960 cents and 1310 cents
	// the second sum was in the place of the first: true
}
