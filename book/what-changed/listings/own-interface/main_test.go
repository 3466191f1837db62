package main

func Example() {
	main()
	// Output:
	// main.kitchen: 1 allocs
	// main.market: 1 allocs
}
