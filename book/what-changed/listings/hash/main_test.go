package main

func Example() {
	main()
	// Output:
	// 447a305e3bf20656…
	// 0 allocs
}
