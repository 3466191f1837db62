package main

func Example() {
	main()
	// Output:
	// 42
	// odd: 43
}
